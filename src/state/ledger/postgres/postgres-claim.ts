import { ident } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import type { UnitError } from '../../../project/model/runs/report.ts';
import type { ExportRecords } from '../ledger-export.ts';
import type { LedgerStatements } from '../sql-database.ts';
import { SqlExports } from '../sql-exports.ts';
import type { ClaimProgress, UnitClaim } from '../unit-queue.ts';
import { type LedgerProject, PostgresDatabase } from './postgres-database.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { CLAIM_MS, lockQueue } from './queue-table.ts';

const HEARTBEAT_MS = 5_000;
const LOOK_MS = 500;

interface Claimed {
  readonly unit: string;
  readonly work: string;
  readonly runId: string;
  readonly token: string;
  /** Units that may come through one store at once. */
  readonly storeLimit: number;
}

/** A claimed unit of a shared ledger. The time is the server's; every write checks the token of the claim. */
export class PostgresClaim implements UnitClaim {
  readonly unit: string;
  readonly work: string;
  readonly runId: string;
  readonly token: string;
  readonly exports: ExportRecords;
  readonly #pool: PostgresPool;
  readonly #of: LedgerProject;
  readonly #storeLimit: number;
  readonly #lost = new AbortController();
  readonly #heartbeat: Disposable;
  #heardAt = host().monotonic();
  #progress: ClaimProgress | null = null;
  #ended = false;

  constructor(pool: PostgresPool, of: LedgerProject, { unit, work, runId, token, storeLimit }: Claimed) {
    this.#pool = pool;
    this.#of = of;
    this.unit = unit;
    this.work = work;
    this.runId = runId;
    this.token = token;
    this.#storeLimit = storeLimit;
    this.exports = new SqlExports(new PostgresDatabase(pool, of, (work) => this.#write(work)));
    // The next heartbeat makes up for it; a lost claim stays lost.
    this.#heartbeat = host().every(HEARTBEAT_MS, () => this.#beat().catch(() => {}));
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  report(progress: ClaimProgress): void {
    this.#progress = progress;
  }

  async move(store: string | null, signal: AbortSignal): Promise<void> {
    for (;;) {
      const moved = await this.#pool.transaction(async (statements) => {
        await lockQueue(statements, this.#of);
        await this.#fence(statements);
        return statements.rows(
          `UPDATE ${this.#table} SET store = $3 WHERE project = $1 AND unit = $2 AND ($3::text IS NULL OR $4 > (
             SELECT count(*) FROM ${this.#table}
             WHERE project = $1 AND unit <> $2 AND store = $3 AND status = 'claimed' AND until > clock_timestamp()
           )) RETURNING 1`,
          [this.#of.project, this.unit, store, this.#storeLimit],
        );
      });
      if (moved.length > 0) return;
      await host().sleep(LOOK_MS, AbortSignal.any([signal, this.lost]));
    }
  }

  finish(): Promise<void> {
    return this.#end(`status = 'staged', progress = NULL, until = NULL`);
  }

  fail(error: UnitError, attempts: number): Promise<void> {
    return this.#end(`status = 'failed', until = NULL, error = $3, attempts = $4`, [
      JSON.stringify(error),
      attempts,
    ]);
  }

  finishLocally(): Promise<void> {
    return this.#end(`status = 'done', until = NULL`);
  }

  async #end(change: string, values: readonly unknown[] = []): Promise<void> {
    await this.#write((statements) =>
      statements.rows(`UPDATE ${this.#table} SET ${change} WHERE project = $1 AND unit = $2`, [
        this.#of.project,
        this.unit,
        ...values,
      ]),
    );
    this.#ended = true;
    this.#heartbeat[Symbol.dispose]();
  }

  async #beat(): Promise<void> {
    const sentAt = host().monotonic();
    // Out of reach of the server for so long: somebody else may have the unit.
    if (sentAt - this.#heardAt > CLAIM_MS) throw this.#lose();
    const [held] = await this.#pool.rows(
      `UPDATE ${this.#table} SET until = clock_timestamp() + $4 * interval '1 millisecond', progress = $5
       WHERE project = $1 AND unit = $2 AND claim = $3 AND status = 'claimed' RETURNING 1`,
      [this.#of.project, this.unit, this.token, CLAIM_MS, JSON.stringify(this.#progress)],
    );
    if (this.#ended) return;
    if (!held) throw this.#lose();
    this.#heardAt = sentAt;
  }

  #write<T>(work: (statements: LedgerStatements) => Promise<T>): Promise<T> {
    return this.#pool.transaction(async (statements) => {
      await this.#fence(statements);
      return work(statements);
    });
  }

  async #fence(statements: LedgerStatements): Promise<void> {
    const [held] = await statements.rows(
      `SELECT 1 FROM ${this.#table} WHERE project = $1 AND unit = $2 AND claim = $3 AND status = 'claimed'
       FOR UPDATE`,
      [this.#of.project, this.unit, this.token],
    );
    if (!held) throw this.#lose();
  }

  #lose(): CrawlhouseError {
    const error = new CrawlhouseError('lease_lost', `another process has taken over ${this.unit}`, {
      hint: 'nothing more is written by this one; the other process stages the unit',
    });
    this.#heartbeat[Symbol.dispose]();
    this.#lost.abort(error);
    return error;
  }

  get #table(): string {
    return `${ident(this.#of.schema)}.queue`;
  }

  /** A claim that can't be given back expires. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#heartbeat[Symbol.dispose]();
    if (this.#ended || this.lost.aborted) return;
    await this.#end(
      `status = 'waiting', claim = NULL, until = NULL, claims = claims - 1, progress = NULL`,
      // A claim that can't be given back expires.
    ).catch(() => {});
  }
}
