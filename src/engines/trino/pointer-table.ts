import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Pointer } from '../../state/catalogue/ops-pointers.ts';
import type { TrinoClient, TrinoPage } from './client.ts';
import { literal } from './literal.ts';
import type { RelationNames } from './relation-names.ts';
import { MODEL_SESSION } from './session.ts';
import { TrinoFailure } from './trino-error.ts';

/** Pointers of one statement, whose text has at most a million characters. */
const AT_ONCE = 3000;
/** Writers that begin at the same moment are few. */
const MOST_TRIES = 8;
/** Steps of one writer. */
const STEPS = 1_000_000_000n;

interface PointerPlace {
  readonly client: TrinoClient;
  readonly prefix: string;
}

/** Loads by relation and unit. */
type Loads = Map<string, Map<string, string>>;

/** The pointers in Trino, as one writer sees and moves them. `store.visible` has those that readers follow. */
export class PointerTable {
  readonly #client: TrinoClient;
  readonly #names: RelationNames;
  readonly #source: string;
  readonly #token: bigint;
  #step = 0n;
  readonly #seen: Loads = new Map();
  #published: Loads = new Map();

  private constructor({ client, prefix }: PointerPlace, names: RelationNames, token: bigint) {
    this.#client = client;
    this.#names = names;
    this.#source = `${prefix}${token}`;
    this.#token = token;
  }

  /** Becomes the writer. Unpublished work of former writers is discarded, and their later writes are refused. */
  static async begin(
    place: PointerPlace,
    names: RelationNames,
    signal: AbortSignal | undefined,
  ): Promise<PointerTable> {
    const table = await PointerTable.#withOwnToken(place, names, signal);
    const token = table.#token;
    await table.run(`DELETE FROM ${names.candidate} WHERE token < ${literal(token)}`, signal);
    for await (const { rows } of place.client.pages(names.lastPointers('visible'), {}, signal))
      for (const [relation, unit, load] of rows as [string, string, string | null][])
        note(table.#seen, { relation, unit, load });
    table.#published = copyOf(table.#seen);
    return table;
  }

  /**
   * A token that no other writer has. Two that begin at once may read the same greatest one, because no statement reads
   * and inserts in one step. Each inserts a name of its own, and whoever finds another name under its token takes the next.
   */
  static async #withOwnToken(
    place: PointerPlace,
    names: RelationNames,
    signal: AbortSignal | undefined,
  ): Promise<PointerTable> {
    const all = `SELECT token FROM ${names.visible} UNION ALL SELECT token FROM ${names.candidate}`;
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const next = `SELECT 1 + coalesce(max(token), 0) FROM (${all})`;
      const token = (await place.client.scalar(next, {}, signal)) as bigint;
      const table = new PointerTable(place, names, token);
      const own = randomUUID();
      const isWritten = await table.#insert([{ relation: null, unit: null, load: own }], signal).then(
        () => true,
        (error: unknown) => {
          // Iceberg gives up a commit that others overtake again and again: nothing was written.
          if (isOvertaken(error)) return false;
          throw error;
        },
      );
      const others = `SELECT count(*) FROM ${names.candidate}
        WHERE token = ${literal(token)} AND relation IS NULL AND load_id <> ${literal(own)}`;
      if (isWritten && (await place.client.scalar(others, {}, signal)) === 0n) return table;
      // Both try again, after random waits, so that they don't collide again.
      await sleep(Math.random() * 200 * tries, undefined, signal ? { signal } : {});
    }
    throw anotherWriter();
  }

  /** Runs a statement under the writer's name; the number of rows that it wrote. */
  run(sql: string, signal?: AbortSignal): Promise<bigint> {
    return this.#client.run(sql, { source: this.#source, session: MODEL_SESSION }, signal);
  }

  rows<T>(sql: string, signal?: AbortSignal): Promise<T[]> {
    return this.#client.rows<T>(sql, { source: this.#source, session: MODEL_SESSION }, signal);
  }

  pages(sql: string, signal?: AbortSignal): AsyncIterable<TrinoPage> {
    return this.#client.pages(sql, { source: this.#source, session: MODEL_SESSION }, signal);
  }

  /** The loads of a relation's units, as the writer sees them. */
  seen(relation: string): ReadonlyMap<string, string> {
    return this.#seen.get(relation) ?? new Map();
  }

  /** The same, as readers see them. */
  published(relation: string): ReadonlyMap<string, string> {
    return this.#published.get(relation) ?? new Map();
  }

  /** Relations that the writer or readers see a load of. */
  relations(): string[] {
    return [...new Set([...this.#seen.keys(), ...this.#published.keys()])];
  }

  /** Points units to other loads, for the writer. */
  async set(pointers: readonly Pointer[], signal?: AbortSignal): Promise<void> {
    const moved = pointers.filter(
      ({ relation, unit, load }) => (this.seen(relation).get(unit) ?? null) !== load,
    );
    await this.#insert(moved, signal);
    for (const pointer of moved) note(this.#seen, pointer);
  }

  /** Replaces all pointers of raw, mart and ops: the writer then sees these loads and no others. */
  async setAll(pointers: readonly Pointer[], signal?: AbortSignal): Promise<void> {
    const wanted: Loads = new Map();
    for (const pointer of pointers) note(wanted, pointer);
    const gone = this.relations()
      .filter((relation) => relation.includes('.'))
      .flatMap((relation) =>
        [...this.seen(relation).keys()]
          .filter((unit) => !wanted.get(relation)?.has(unit))
          .map((unit) => ({ relation, unit, load: null })),
      );
    await this.set([...gone, ...pointers.filter(({ relation }) => relation.includes('.'))], signal);
  }

  /**
   * Checks that this is still the last writer.
   *
   * @throws CrawlhouseError `locked` where another writer has begun since
   */
  async check(signal?: AbortSignal): Promise<void> {
    const last = `SELECT max(token) FROM ${this.#names.candidate}`;
    if ((await this.#client.scalar(last, {}, signal)) !== this.#token) throw anotherWriter();
  }

  /**
   * Shows readers everything that the writer has pointed to, by one statement.
   *
   * @throws CrawlhouseError `locked` where another writer has begun since
   */
  async publish(signal?: AbortSignal): Promise<void> {
    const { candidate, visible } = this.#names;
    const token = literal(this.#token);
    // The writer's first row has a NULL relation. So zero rows are written only after another writer began.
    const written = await this.run(
      `INSERT INTO ${visible}
       SELECT ${token}, max(seq), relation, unit, max_by(load_id, seq) FROM ${candidate}
       WHERE token = ${token} AND ${token} = (SELECT max(token) FROM ${candidate}) GROUP BY relation, unit`,
      signal,
    );
    if (written === 0n) throw anotherWriter();
    this.#published = copyOf(this.#seen);
  }

  async #insert(
    pointers: readonly { relation: string | null; unit: string | null; load: string | null }[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (let at = 0; at < pointers.length; at += AT_ONCE) {
      const rows = pointers.slice(at, at + AT_ONCE).map(({ relation, unit, load }) => {
        const texts = [relation, unit, load].map((value) => `CAST(${literal(value)} AS varchar)`);
        const place = this.#token * STEPS + this.#step++;
        return `(${[literal(this.#token), literal(place), ...texts].join(', ')})`;
      });
      await this.run(`INSERT INTO ${this.#names.candidate} VALUES ${rows.join(', ')}`, signal);
    }
  }
}

function note(loads: Loads, { relation, unit, load }: Pointer): void {
  const own = loads.get(relation) ?? new Map<string, string>();
  if (load === null) own.delete(unit);
  else own.set(unit, load);
  loads.set(relation, own);
}

function copyOf(loads: Loads): Loads {
  return new Map([...loads].map(([relation, units]) => [relation, new Map(units)]));
}

function isOvertaken(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof TrinoFailure && cause.errorName === 'ICEBERG_COMMIT_ERROR';
}

function anotherWriter(): CrawlhouseError {
  return new CrawlhouseError('locked', 'another writer has begun since: nothing was published', {
    hint: 'the run that began last publishes; run again after it',
  });
}
