import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { CrawlhouseError } from '../../src/core/errors/errors.ts';
import type { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoFailure, trinoError } from '../../src/etl/engines/trino/client/trino-error.ts';
import type { SimProcess } from './sim-process.ts';
import { translateTrino, type Written } from './translate-trino.ts';
import type { World } from './world.ts';

type Row = Record<string, SQLOutputValue>;

/** What one statement was asked and gave; `test/trino/sim-trino.test.ts` asks a real server the same. */
export interface LoggedTrino {
  readonly sql: string;
  readonly rows: readonly Row[] | null;
  readonly count: bigint | null;
}

/** A commit to the visible pointers: the values of `token` that it wrote to, which are its partitions. */
interface Commit {
  readonly table: string;
  readonly partitions: ReadonlySet<unknown>;
}

/** The time that a statement may take. */
const LONGEST_MS = 400;
/** The share of the statements that fail in the server, in rough times. */
const BROKEN = 0.01;
/** The share of the statements before which a process is slow, and how slow: others then do a lot. */
const SLOW = 0.08;
const SLOWEST_MS = 5000;
const NOTHING: Row[] = [];

/**
 * Trino over Iceberg as a model, for the statements of pointers: SQLite runs them. A statement reads what was there when it
 * began. It commits some time later, and is refused where another one has committed to a partition that it writes to since.
 * Deletions are never refused, which is the harder case for those who rely on an order.
 */
export class SimTrino implements Disposable {
  readonly world: World;
  readonly log: LoggedTrino[] = [];
  /** Called with the inserted rows right before and after a commit. */
  onCommit: (table: string, inserted: readonly Row[], when: 'before' | 'after') => void = () => {};
  isRough = true;
  readonly #database = new DatabaseSync(':memory:', { readBigInts: true });
  readonly #statements = new Map<string, StatementSync>();
  readonly #commits: Commit[] = [];

  constructor(world: World) {
    this.world = world;
    this.#database.aggregate('max_by', {
      start: () => '',
      deterministic: true,
      // JSON, as a state is one value: the value, and what it is the greatest by.
      step: (state, value, by) => {
        const greatest = state === '' ? null : (JSON.parse(String(state)) as [unknown, number])[1];
        return by !== null && (greatest === null || Number(by) > greatest)
          ? JSON.stringify([value, Number(by)])
          : String(state);
      },
      result: (state) => (state === '' ? null : (JSON.parse(String(state)) as [string | null])[0]),
    });
  }

  execute(sql: string): void {
    this.#database.exec(sql);
  }

  read(sql: string): Row[] {
    const translated = translateTrino(sql);
    if (translated.kind !== 'read') throw new Error(`not a question: ${sql}`);
    return this.#all(translated.sql);
  }

  /** Begins a statement; `end` is called once it has ended. */
  begin(sql: string, end: (outcome: { rows: Row[]; count: bigint } | Error) => void): void {
    const translated = translateTrino(sql);
    const known = this.#commits.length;
    const ms = this.world.random() * LONGEST_MS;
    const finish = (rows: Row[], count: bigint): void => {
      this.log.push({
        sql,
        rows: translated.kind === 'read' ? rows : null,
        count: translated.kind === 'read' ? null : count,
      });
      end({ rows, count });
    };
    if (translated.kind === 'read') {
      const rows = this.#all(translated.sql);
      this.world.after(ms, () => finish(rows, 0n));
      return;
    }
    if (translated.kind === 'nothing') {
      this.world.after(ms, () => finish(NOTHING, 0n));
      return;
    }
    const found = this.#all(translated.select);
    const breaks = this.isRough && this.world.random() < BROKEN;
    this.world.after(ms, () => {
      if (breaks) return end(failure('GENERIC_INTERNAL_ERROR'));
      const partitions = new Set(found.map((row) => row.token));
      const isOvertaken =
        translated.kind === 'merge' &&
        this.#commits
          .slice(known)
          .some((one) => one.table === translated.table && !one.partitions.isDisjointFrom(partitions));
      if (isOvertaken) return end(failure('ICEBERG_COMMIT_ERROR'));
      const now = translated.isOfPartitions ? this.#all(translated.select) : found;
      finish(NOTHING, this.#commit(translated, now, partitions));
    });
  }

  #commit({ kind, table }: Written, found: readonly Row[], partitions: Commit['partitions']): bigint {
    if (found.length === 0) return 0n;
    if (kind === 'delete') {
      const removal = this.#prepared(`DELETE FROM ${table} WHERE rowid = ?`);
      let removed = 0n;
      for (const { rowid } of found) removed += BigInt(removal.run(rowid as bigint).changes);
      this.onCommit(table, [], 'after');
      return removed;
    }
    this.onCommit(table, found, 'before');
    for (const row of found) {
      const values = Object.values(row);
      this.#prepared(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
    }
    this.#commits.push({ table, partitions });
    this.onCommit(table, found, 'after');
    return BigInt(found.length);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #all(sql: string): Row[] {
    return this.#prepared(sql).all() as Row[];
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function failure(errorName: string): CrawlhouseError {
  return trinoError(new TrinoFailure('query', { message: errorName, errorName, errorType: 'EXTERNAL' }));
}

/** The client of a process: the server goes on with a statement whose process has died. */
export function trinoClient(server: SimTrino, process: SimProcess): TrinoClient {
  const ask = async (sql: string): Promise<{ rows: Row[]; count: bigint }> => {
    if (server.isRough && server.world.random() < SLOW)
      await process.sleep(server.world.random() * SLOWEST_MS);
    let outcome: { rows: Row[]; count: bigint } | Error | undefined;
    const what = sql.replace(/\s+/g, ' ').slice(0, 90);
    await process.operate('trino statement', what, server.world.random() * 20, () =>
      server.begin(sql, (ended) => {
        outcome = ended;
      }),
    );
    while (outcome === undefined) await process.sleep(5 + server.world.random() * 20);
    const ended = outcome;
    return process.operate('trino commit', what, 1, (fault) => {
      if (fault?.fault === 'commit answer lost')
        throw new CrawlhouseError('connection', 'the answer is lost');
      if (ended instanceof Error) throw ended;
      return ended;
    });
  };
  const client = {
    run: async (sql: string) => (await ask(sql)).count,
    rows: async (sql: string) => (await ask(sql)).rows,
    scalar: async (sql: string) => Object.values((await ask(sql)).rows[0] ?? {})[0],
    async *pages(sql: string) {
      yield { rows: (await ask(sql)).rows.map((row) => Object.values(row)) };
    },
  };
  return client as unknown as TrinoClient;
}
