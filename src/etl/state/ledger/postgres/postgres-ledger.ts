import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import type { PostgresAddress } from '../../../../core/net/postgres-address.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { UnitError } from '../../../project/model/runs/unit-report.ts';
import type { Unit } from '../../../project/model/unit.ts';
import { Ledger } from '../ledger.ts';
import { ClaimedUnit } from '../ledger-facts.ts';
import type { LedgerRow, LedgerStatements, LedgerWrite } from '../sql-database.ts';
import { ClaimProgress, type OfferedUnit, type QueueEntry, type UnitOffers } from '../unit-queue.ts';
import { holderOf, Lease } from './lease.ts';
import { BRIEF, type LedgerProject, PATIENT, PostgresDatabase, PostgresPool } from './postgres-pool.ts';
import { openShared, SHARED_LEDGER_VERSION, sharedVersion } from './postgres-schema.ts';

const ClaimRow = ClaimedUnit.pick({ unit: true, worker: true, claimed_at: true }).extend({
  progress: ClaimProgress.nullable(),
});

const EntryRow = z.strictObject({
  unit: z.string(),
  status: z.enum(['claimed', 'staged', 'failed']),
  claim: z.string().nullable(),
  worker: z.string(),
  progress: ClaimProgress.nullable(),
  error: z.custom<UnitError>((error) => typeof error === 'object').nullable(),
  attempts: z.number(),
  waiting: z.number(),
});

const TokenRow = z.strictObject({ claim: z.string() });

const FactRow = z.strictObject({ value: z.string() });

/** The lease of the one process that writes. */
export const WRITER = 'writer';

/** One project of a ledger in PostgreSQL. Every write checks the lease of its process in the same transaction. */
class PostgresLedger extends Ledger {
  readonly version = SHARED_LEDGER_VERSION;
  readonly offers: UnitOffers | null;
  readonly lost: AbortSignal;
  protected readonly dataset = 'dataset';
  protected readonly runColumns: LedgerRow;
  // A run is active while the lease that it began under is held.
  protected readonly runStatus = `CASE WHEN status <> 'running' OR EXISTS (
        SELECT FROM ${this.database.table('leases')} AS lease
        WHERE lease.project = run.project AND name = '${WRITER}' AND lease.token = run.token
          AND until > clock_timestamp()
      ) THEN status ELSE 'killed' END`;
  readonly #pool: PostgresPool;
  readonly #of: LedgerProject;
  readonly #lease: Lease | null;

  /** @param lease null for a reader */
  constructor(pool: PostgresPool, of: LedgerProject, lease: Lease | null) {
    const write: LedgerWrite = async (work) => {
      if (lease === null) throw new Error('a reader of the ledger does not write');
      return pool.transaction(async (statements) => {
        await lease.fence(statements);
        return work(statements);
      });
    };
    super(new PostgresDatabase(pool, of, write));
    this.#pool = pool;
    this.#of = of;
    this.#lease = lease;
    this.offers = lease && new PostgresUnitOffers(pool, of, write);
    // Without the server no unit can end, so none continues.
    this.lost = AbortSignal.any([...(lease ? [lease.lost] : []), pool.gone]);
    this.runColumns = { token: lease?.token };
  }

  async check(): Promise<void> {
    await this.#pool.transaction((statements) => sharedVersion(statements, this.#of.schema));
  }

  protected unitColumns({ dataset }: Unit): LedgerRow {
    return { dataset };
  }

  /** Returns the units that live processes work on, the longest claimed first. */
  override async claimed(): Promise<ClaimedUnit[]> {
    const rows = typedRows(
      ClaimRow,
      await this.#pool.rows(
        `SELECT unit, worker, claimed_at, progress FROM ${this.database.table('queue')}
         WHERE project = $1 AND status = 'claimed' AND until > clock_timestamp() ORDER BY claimed_at, unit`,
        [this.#of.project],
      ),
    );
    return rows.map(({ progress, ...claim }) => ({
      ...claim,
      phase: progress?.phase ?? 'download',
      received: progress?.received ?? 0,
      reported: progress?.reported ?? null,
    }));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease?.[Symbol.asyncDispose]();
    await super[Symbol.asyncDispose]();
  }
}

/** The queue of a project in a shared ledger, for the run that holds the writer's lease. */
class PostgresUnitOffers implements UnitOffers {
  readonly #pool: PostgresPool;
  readonly #of: LedgerProject;
  readonly #table: string;
  /** Removes unclaimed units. */
  readonly #unclaimed: string;
  readonly #write: LedgerWrite;

  constructor(pool: PostgresPool, of: LedgerProject, write: LedgerWrite) {
    this.#pool = pool;
    this.#of = of;
    this.#table = `${ident(of.schema)}.queue`;
    this.#unclaimed = `DELETE FROM ${this.#table} WHERE project = $1 AND status IN ('waiting', 'failed', 'done')`;
    this.#write = write;
  }

  id(): Promise<string> {
    return queueId(this.#pool, this.#of);
  }

  async offer(runId: string, units: readonly OfferedUnit[], version: string): Promise<void> {
    await this.#write(async (statements) => {
      await lockQueue(statements, this.#of);
      await statements.rows(this.#unclaimed, [this.#of.project]);
      // A run claims as long as it has the lease. Nothing waits for a former run.
      await statements.rows(
        `UPDATE ${this.#table} SET until = clock_timestamp()
         WHERE project = $1 AND status = 'claimed' AND worker LIKE 'crawlhouse run (%'`,
        [this.#of.project],
      );
      // Staged for a run that did not load them; the unit was loaded otherwise, or dropped. Or loaded by a run that was
      // killed between its publication and `forgetLoaded`.
      await statements.rows(
        `DELETE FROM ${this.#table} AS queue USING ${ident(this.#of.schema)}.units AS known
         WHERE queue.project = $1 AND known.project = $1 AND queue.unit = known.unit
           AND queue.status IN ('staged', 'loaded')
           AND known.status IN ('published', 'dropped') AND queue.unit <> ALL ($2)`,
        [this.#of.project, units.map(({ unit }) => unit)],
      );
      // The rows of a loaded unit that is due again were lost with the working copy; its package was not.
      await statements.rows(
        `INSERT INTO ${this.#table} AS known
           (project, unit, position, run_id, version, work, source_project, store, status, claims)
         SELECT $1, unit, position, $2, $3, work, source_project, store, 'waiting', 0
         FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::boolean[])
           WITH ORDINALITY AS given (unit, source_project, store, work, refresh, position)
         ON CONFLICT (project, unit) DO UPDATE SET
           position = excluded.position, run_id = excluded.run_id,
           status = CASE WHEN known.status = 'loaded' THEN 'staged' ELSE known.status END`,
        [this.#of.project, runId, version, ...columnsOf(units)],
      );
      await statements.rows(
        `UPDATE ${this.#table} AS known
         SET status = 'waiting', claim = NULL, claims = 0, until = NULL, progress = NULL, attempts = 0,
           version = $2, work = given.work, source_project = given.source_project, store = given.store
         FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[])
           AS given (unit, source_project, store, work, refresh)
         WHERE project = $1 AND known.unit = given.unit AND known.status <> 'waiting'
           AND (given.refresh OR known.work <> given.work OR known.version <> $2)`,
        [this.#of.project, version, ...columnsOf(units)],
      );
    });
  }

  async entries(
    runId: string,
  ): Promise<{ readonly entries: readonly QueueEntry[]; readonly waiting: number }> {
    const values = [this.#of.project, runId];
    const rows = await this.#pool.rows(
      `SELECT unit, status, claim, worker, progress, error, attempts,
         (SELECT count(*)::integer FROM ${this.#table} WHERE project = $1 AND run_id = $2 AND status = 'waiting') AS waiting
       FROM (SELECT 1) AS one LEFT JOIN ${this.#table} AS queue
         ON project = $1 AND run_id = $2 AND status IN ('claimed', 'staged', 'failed')
       ORDER BY position`,
      values,
    );
    return {
      entries: typedRows(
        EntryRow,
        rows.filter(({ unit }) => unit !== null),
      ).map(({ waiting: _, ...entry }) => entry),
      waiting: Number(rows[0]?.waiting ?? 0),
    };
  }

  setStatus(unit: string, status: 'loaded' | 'done' | 'waiting'): Promise<void> {
    return this.#change(
      `UPDATE ${this.#table} SET status = $3 WHERE project = $1 AND unit = $2`,
      unit,
      status,
    );
  }

  withdraw(): Promise<void> {
    return this.#change(this.#unclaimed);
  }

  forgetLoaded(): Promise<void> {
    return this.#change(`DELETE FROM ${this.#table} WHERE project = $1 AND status = 'loaded'`);
  }

  async #change(sql: string, ...values: readonly string[]): Promise<void> {
    await this.#write((statements) => statements.rows(sql, [this.#of.project, ...values]));
  }

  async claims(): Promise<ReadonlySet<string>> {
    const rows = typedRows(
      TokenRow,
      await this.#pool.rows(
        `SELECT claim FROM ${this.#table}
         WHERE project = $1 AND claim IS NOT NULL AND status IN ('claimed', 'staged', 'loaded')`,
        [this.#of.project],
      ),
    );
    return new Set(rows.map(({ claim }) => claim));
  }
}

function columnsOf(units: readonly OfferedUnit[]): unknown[] {
  return [
    units.map(({ unit }) => unit),
    units.map(({ project }) => project),
    units.map(({ store }) => store),
    units.map(({ work }) => work),
    units.map(({ refresh }) => refresh),
  ];
}

/**
 * Opens a shared ledger for the process that holds the state lock. Creates missing tables.
 *
 * @throws CrawlhouseError `locked` while a process on another machine writes, `newer_version`, `bad_settings`,
 *   `ledger_unavailable`
 */
export async function openPostgresLedger(
  address: PostgresAddress,
  { command, stateDir }: { readonly command: string; readonly stateDir: string },
  signal: AbortSignal,
): Promise<Ledger> {
  return await openShared(address, PATIENT, signal, async (pool) => {
    const holder = holderOf(`crawlhouse ${command}`, stateDir);
    const lease = await Lease.take(pool, { ...address, name: WRITER }, holder, signal);
    return new PostgresLedger(pool, address, lease);
  });
}

/**
 * Opens a shared ledger for a process that only reads. Returns undefined if no run has created it yet.
 *
 * @throws CrawlhouseError `newer_version`, `bad_settings`, `ledger_unavailable`
 */
export async function readPostgresLedger(address: PostgresAddress): Promise<Ledger | undefined> {
  await using stack = new AsyncDisposableStack();
  const pool = stack.use(new PostgresPool(address, BRIEF, new AbortController().signal));
  if ((await sharedVersion(pool, address.schema)) === null) return undefined;
  stack.move();
  return new PostgresLedger(pool, address, null);
}

/** A claim without a heartbeat for this time is free again. */
export const CLAIM_MS = 30_000;
/** A unit fails after this many processes in a row have claimed and lost it, because it may have crashed them. */
export const MOST_CLAIMS = 5;

/** Serializes the claims of one project, so that limits hold. Each takes milliseconds. */
export async function lockQueue(
  statements: LedgerStatements,
  { schema, project }: LedgerProject,
): Promise<void> {
  await statements.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `crawlhouse queue ${schema} ${project}`,
  ]);
}

/** Returns the random id of a project's queue, created on first use. */
export async function queueId(pool: PostgresPool, { schema, project }: LedgerProject): Promise<string> {
  const facts = `${ident(schema)}.facts`;
  const values = [project, 'queue'];
  const read = async () =>
    typedRows(
      FactRow,
      await pool.rows(`SELECT value FROM ${facts} WHERE project = $1 AND name = $2`, values),
    );
  const [known] = await read();
  if (known) return known.value;
  await pool.transaction((statements) =>
    statements.rows(
      `INSERT INTO ${facts} (project, name, value) VALUES ($1, $2, gen_random_uuid()::text) ON CONFLICT DO NOTHING`,
      values,
    ),
  );
  const [made] = await read();
  if (!made) throw new Error('the id of the queue is gone');
  return made.value;
}
