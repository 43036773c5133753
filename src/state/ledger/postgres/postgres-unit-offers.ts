import { ident } from '../../../core/duckdb/duckdb.ts';
import type { LedgerWrite } from '../sql-database.ts';
import type { OfferedUnit, QueueEntry, UnitOffers } from '../unit-queue.ts';
import type { LedgerProject } from './postgres-database.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { lockQueue, queueId } from './queue-table.ts';

/** The queue of a project in a shared ledger, for the run that holds the lease of the writer. */
export class PostgresUnitOffers implements UnitOffers {
  readonly #pool: PostgresPool;
  readonly #of: LedgerProject;
  readonly #table: string;
  readonly #write: LedgerWrite;

  constructor(pool: PostgresPool, of: LedgerProject, write: LedgerWrite) {
    this.#pool = pool;
    this.#of = of;
    this.#table = `${ident(of.schema)}.queue`;
    this.#write = write;
  }

  id(): Promise<string> {
    return queueId(this.#pool, this.#of);
  }

  async offer(runId: string, units: readonly OfferedUnit[], version: string): Promise<void> {
    await this.#write(async (statements) => {
      await lockQueue(statements, this.#of);
      await statements.rows(
        `DELETE FROM ${this.#table} WHERE project = $1 AND status IN ('waiting', 'failed', 'done')`,
        [this.#of.project],
      );
      // A run claims as long as it has the lease: a former one is not waited for.
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
    const rows = await this.#pool.rows<QueueEntry & { readonly waiting: number }>(
      `SELECT unit, status, claim, worker, progress, error, attempts,
         (SELECT count(*)::integer FROM ${this.#table} WHERE project = $1 AND run_id = $2 AND status = 'waiting') AS waiting
       FROM (SELECT 1) AS one LEFT JOIN ${this.#table} AS queue
         ON project = $1 AND run_id = $2 AND status IN ('claimed', 'staged', 'failed')
       ORDER BY position`,
      values,
    );
    return {
      entries: rows.filter(({ unit }) => unit !== null).map(({ waiting: _, ...entry }) => entry),
      waiting: rows[0]?.waiting ?? 0,
    };
  }

  async setStatus(unit: string, status: 'loaded' | 'done' | 'waiting'): Promise<void> {
    await this.#write((statements) =>
      statements.rows(`UPDATE ${this.#table} SET status = $3 WHERE project = $1 AND unit = $2`, [
        this.#of.project,
        unit,
        status,
      ]),
    );
  }

  async withdraw(): Promise<void> {
    await this.#write((statements) =>
      statements.rows(
        `DELETE FROM ${this.#table} WHERE project = $1 AND status IN ('waiting', 'failed', 'done')`,
        [this.#of.project],
      ),
    );
  }

  async forgetLoaded(): Promise<void> {
    await this.#write((statements) =>
      statements.rows(`DELETE FROM ${this.#table} WHERE project = $1 AND status = 'loaded'`, [
        this.#of.project,
      ]),
    );
  }

  async claims(): Promise<ReadonlySet<string>> {
    const rows = await this.#pool.rows<{ claim: string }>(
      `SELECT claim FROM ${this.#table}
       WHERE project = $1 AND claim IS NOT NULL AND status IN ('claimed', 'staged', 'loaded')`,
      [this.#of.project],
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
