import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { host } from '../../../../core/host/host.ts';
import { packageVersion } from '../../../../core/host/package-version.ts';
import type { PostgresAddress } from '../../../../core/net/postgres-address.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { UnitError } from '../../../project/model/runs/unit-report.ts';
import { ExportRecords } from '../export-records.ts';
import type { LedgerStatements } from '../sql-database.ts';
import type { ClaimLimits, ClaimProgress, UnitClaim, UnitQueue } from '../unit-queue.ts';
import { CLAIM_MS, lockQueue, MOST_CLAIMS, queueId, WRITER } from './postgres-ledger.ts';
import { type LedgerProject, PATIENT, PostgresDatabase, type PostgresPool } from './postgres-pool.ts';
import { openShared } from './postgres-schema.ts';

const FreeUnit = z.strictObject({ version: z.string() });

const ClaimedRow = z.strictObject({
  unit: z.string(),
  work: z.string(),
  run_id: z.string(),
  claim: z.string(),
});

const LOST = {
  code: 'worker_lost',
  message: `${MOST_CLAIMS} processes claimed the unit, and each was lost`,
  hint: 'check whether the workers have enough memory; the next run tries again',
};

export function openPostgresQueue(
  address: PostgresAddress,
  worker: string,
  signal: AbortSignal,
): Promise<UnitQueue> {
  return openShared(address, PATIENT, signal, async (pool) => {
    return new PostgresUnitQueue(pool, address, worker, await packageVersion());
  });
}

class PostgresUnitQueue implements UnitQueue {
  otherVersion: string | null = null;
  readonly #pool: PostgresPool;
  readonly #address: PostgresAddress;
  readonly #worker: string;
  readonly #version: string;

  constructor(pool: PostgresPool, address: PostgresAddress, worker: string, version: string) {
    this.#pool = pool;
    this.#address = address;
    this.#worker = worker;
    this.#version = version;
  }

  id(): Promise<string> {
    return queueId(this.#pool, this.#address);
  }

  async claim(limits: ClaimLimits): Promise<UnitClaim | null> {
    const { project } = this.#address;
    const isFree = `(queue.status = 'waiting' OR queue.status = 'claimed' AND queue.until <= clock_timestamp())`;
    // If the server's clock was set back, a claim would last that much longer. A live process has time to renew it.
    const isAhead = `status = 'claimed' AND until > clock_timestamp() + $3 * interval '1 millisecond'`;
    // Looked up without the lock, so that an idle process delays no other process.
    const [free] = typedRows(
      FreeUnit,
      await this.#pool.rows(
        `SELECT version FROM ${this.#table} AS queue
         WHERE project = $1 AND (${isFree} OR ${isAhead}) ORDER BY version = $2 DESC LIMIT 1`,
        [project, this.#version, CLAIM_MS],
      ),
    );
    this.otherVersion = free === undefined || free.version === this.#version ? null : free.version;
    if (free === undefined || this.otherVersion !== null) return null;
    const taken = await this.#pool.transaction(async (statements) => {
      await lockQueue(statements, this.#address);
      await statements.rows(
        `UPDATE ${this.#table} SET until = clock_timestamp() + $3 * interval '1 millisecond'
         WHERE project = $1 AND version = $2 AND ${isAhead}`,
        [project, this.#version, CLAIM_MS],
      );
      await statements.rows(
        `UPDATE ${this.#table} SET status = 'failed', error = $3, claim = NULL
         WHERE project = $1 AND status = 'claimed' AND claims >= $2 AND until <= clock_timestamp()`,
        [project, MOST_CLAIMS, JSON.stringify(LOST)],
      );
      const [row] = typedRows(
        ClaimedRow,
        await statements.rows(
          `WITH live AS (
             SELECT source_project, store FROM ${this.#table}
             WHERE project = $1 AND status = 'claimed' AND until > clock_timestamp()
           ), busy AS (SELECT source_project, count(*) AS units FROM live GROUP BY source_project),
           served AS (
             SELECT source_project, max(claimed_at) AS at FROM ${this.#table} WHERE project = $1 GROUP BY source_project
           ), next AS (
             SELECT queue.unit FROM ${this.#table} AS queue
             LEFT JOIN busy USING (source_project) LEFT JOIN served USING (source_project)
             WHERE queue.project = $1 AND queue.version = $2 AND ${isFree}
               AND coalesce(busy.units, 0) < $3
               AND (queue.store IS NULL OR (SELECT count(*) FROM live WHERE live.store = queue.store) < $4)
             ORDER BY coalesce(busy.units, 0), served.at NULLS FIRST, queue.position, queue.unit COLLATE "C" LIMIT 1
             FOR UPDATE OF queue SKIP LOCKED
           )
           UPDATE ${this.#table} AS queue
           SET status = 'claimed', claim = gen_random_uuid()::text, claims = queue.claims + 1, worker = $5,
             claimed_at = clock_timestamp(), until = clock_timestamp() + $6 * interval '1 millisecond',
             progress = NULL, error = NULL
           FROM next WHERE queue.project = $1 AND queue.unit = next.unit
           RETURNING queue.unit, queue.work, queue.run_id, queue.claim`,
          [project, this.#version, limits.project, limits.store, this.#worker, CLAIM_MS],
        ),
      );
      return row;
    });
    return taken
      ? new PostgresUnitClaim(this.#pool, this.#address, {
          unit: taken.unit,
          work: taken.work,
          runId: taken.run_id,
          token: taken.claim,
          storeLimit: limits.store,
        })
      : null;
  }

  async isIdle(): Promise<boolean> {
    const rows = await this.#pool.rows(
      `SELECT 1 FROM ${this.#table} WHERE project = $1 AND version = $2 AND status IN ('waiting', 'claimed')
       UNION ALL
       SELECT 1 FROM ${ident(this.#address.schema)}.leases
       WHERE project = $1 AND name = $3 AND until > clock_timestamp() LIMIT 1`,
      [this.#address.project, this.#version, WRITER],
    );
    return rows.length === 0;
  }

  get #table(): string {
    return `${ident(this.#address.schema)}.queue`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}

const HEARTBEAT_MS = 5_000;
const LOOK_MS = 500;
interface Claimed {
  readonly unit: string;
  readonly work: string;
  readonly runId: string;
  readonly token: string;
  /** Units that may use one store at a time. */
  readonly storeLimit: number;
}

/**
 * Sends heartbeats. Times are those of the server's clock. Every write checks the token of the claim, so a process that
 * has lost the unit changes nothing more.
 */
class PostgresUnitClaim implements UnitClaim {
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
    this.exports = new ExportRecords(new PostgresDatabase(pool, of, (work) => this.#write(work)));
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
    // The server was unreachable for so long that another process may have the unit.
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
      hint: 'this process writes nothing more; the other process stages the unit',
    });
    this.#heartbeat[Symbol.dispose]();
    this.#lost.abort(error);
    return error;
  }

  get #table(): string {
    return `${ident(this.#of.schema)}.queue`;
  }

  /** Gives up the claim. If that fails, the claim expires. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#heartbeat[Symbol.dispose]();
    if (this.#ended || this.lost.aborted) return;
    await this.#end(
      `status = 'waiting', claim = NULL, until = NULL, claims = claims - 1, progress = NULL`,
      // The claim expires.
    ).catch(() => {});
  }
}
