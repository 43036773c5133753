import { ident } from '../../../core/duckdb.ts';
import type { LedgerRun, LedgerUnit, UnitState } from '../../../project/model/ledger-records.ts';
import type { UnitError } from '../../../project/model/report.ts';
import type { RunSummary } from '../../../project/model/run-summary.ts';
import { type Unit, unitName } from '../../../project/model/unit.ts';
import type { ClaimedUnit, Discovery, Ledger, UnitCount } from '../ledger.ts';
import type { LedgerExport } from '../ledger-export.ts';
import { type FormerEntry, nextEntry } from '../next-entry.ts';
import { type LoadState, type Move, reconcileUnits } from '../reconcile-units.ts';
import type { UnitOffers } from '../unit-queue.ts';
import type { Lease } from './lease.ts';
import { PostgresExports, type Write } from './postgres-exports.ts';
import type { PostgresPool, Statements } from './postgres-pool.ts';
import { SHARED_LEDGER_VERSION, sharedVersion } from './postgres-schema.ts';
import { PostgresUnitOffers } from './postgres-unit-offers.ts';
import { claimedUnits } from './queue-table.ts';
import { jsonOf, putUnits, type RowOf, readUnits, timeOf } from './unit-rows.ts';

/** The lease of the one process that writes. */
export const WRITER = 'writer';

/** One project of a ledger in PostgreSQL. Every write checks the lease of its process in the same transaction. */
export class PostgresLedger implements Ledger {
  readonly version = SHARED_LEDGER_VERSION;
  readonly lost: AbortSignal;
  readonly offers: UnitOffers | null;
  readonly #exports: PostgresExports;
  readonly #pool: PostgresPool;
  readonly #schema: string;
  readonly #project: string;
  readonly #lease: Lease | null;

  /** @param lease null for a reader */
  constructor(
    pool: PostgresPool,
    of: { readonly schema: string; readonly project: string },
    lease: Lease | null,
  ) {
    this.#pool = pool;
    this.#schema = of.schema;
    this.#project = of.project;
    this.#lease = lease;
    // Without the server no unit can end, so none goes on.
    this.lost = AbortSignal.any([...(lease ? [lease.lost] : []), pool.gone]);
    const write: Write = (work) => this.#write(work);
    this.#exports = new PostgresExports(pool, of, write);
    this.offers = lease && new PostgresUnitOffers(pool, of, write);
  }

  async check(): Promise<void> {
    await this.#pool.transaction((statements) => sharedVersion(statements, this.#schema));
  }

  async confirm(): Promise<void> {
    await this.#write(async () => {});
  }

  async discoverUnits(units: readonly Unit[]): Promise<void> {
    await this.#write((statements) =>
      statements.rows(
        `INSERT INTO ${this.#table('units')} (project, unit, dataset, spec, status, attempts, updated_at)
         SELECT $1, unit, spec ->> 'dataset', spec, 'discovered', 0, $2::timestamptz
         FROM unnest($3::text[], $4::json[]) AS given (unit, spec) ON CONFLICT DO NOTHING`,
        [this.#project, new Date(), units.map(unitName), units.map((unit) => JSON.stringify(unit))],
      ),
    );
  }

  async setUnit(unit: Unit, status: UnitState, attempts: number, error: UnitError | null): Promise<void> {
    await this.#write((statements) => this.#move(statements, { unit, status, attempts, error }));
  }

  async #move(statements: Statements, { unit: given, status, attempts, error }: UnitMove): Promise<void> {
    const { dataset, source, window } = given;
    const unit = unitName(given);
    const [former] = await statements.rows<RowOf<FormerEntry>>(
      `SELECT status, failures, failing_since FROM ${this.#table('units')} WHERE project = $1 AND unit = $2 FOR UPDATE`,
      [this.#project, unit],
    );
    const next = nextEntry(
      unit,
      former && { ...former, failing_since: timeOf(former.failing_since) },
      status,
    );
    await putUnits(statements, this.#units(), [{ unit, dataset, source, window, attempts, error, ...next }]);
  }

  async forgetUnits(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.#write((statements) =>
      statements.rows(`DELETE FROM ${this.#table('units')} WHERE project = $1 AND unit = ANY ($2)`, [
        this.#project,
        names,
      ]),
    );
  }

  async publishLoaded(id: string): Promise<void> {
    await this.#write(async (statements) => {
      await statements.rows(
        `UPDATE ${this.#table('units')}
         SET status = 'published', failures = 0, failing_since = NULL, next_try_at = NULL, updated_at = $2::timestamptz
         WHERE project = $1 AND status = 'loaded'`,
        [this.#project, new Date()],
      );
      await this.#setFact(statements, 'publication', id);
    });
  }

  async units(which: 'all' | 'unpublished' = 'all'): Promise<LedgerUnit[]> {
    return readUnits(this.#pool, this.#units(), which);
  }

  async unitCounts(): Promise<UnitCount[]> {
    return this.#pool.rows(
      `SELECT dataset, status, count(*)::integer AS units FROM ${this.#table('units')} WHERE project = $1
       GROUP BY 1, 2 ORDER BY dataset COLLATE "C", status COLLATE "C"`,
      [this.#project],
    );
  }

  async restore(units: readonly LedgerUnit[], runs: readonly LedgerRun[]): Promise<void> {
    if (units.length + runs.length === 0) return;
    await this.#write(async (statements) => {
      await putUnits(statements, this.#units(), units, 'excluded.updated_at > known.updated_at');
      await statements.rows(
        `INSERT INTO ${this.#table('runs')} (project, run_id, command, status, started_at, ended_at)
         SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[])
         ON CONFLICT DO NOTHING`,
        [
          this.#project,
          runs.map(({ run_id }) => run_id),
          runs.map(({ command }) => command),
          runs.map(({ status }) => status),
          runs.map(({ started_at }) => started_at),
          runs.map(({ ended_at }) => ended_at),
        ],
      );
    });
  }

  async reconcile(loaded: ReadonlyMap<string, LoadState>): Promise<readonly Move[]> {
    return this.#write(async (statements) => {
      const known = new Map(
        (await readUnits(statements, this.#units(), 'all')).map((one) => [one.unit, one]),
      );
      const moves = reconcileUnits([...known.values()], loaded);
      for (const { unit, to } of moves) {
        const one = known.get(unit);
        if (one) await this.#move(statements, { unit: one, status: to, attempts: one.attempts, error: null });
      }
      return moves;
    });
  }

  async publication(): Promise<string | null> {
    return this.#fact('publication');
  }

  async setPublication(id: string): Promise<void> {
    await this.#write((statements) => this.#setFact(statements, 'publication', id));
  }

  async #fact(name: string): Promise<string | null> {
    const [row] = await this.#pool.rows<{ value: string }>(
      `SELECT value FROM ${this.#table('facts')} WHERE project = $1 AND name = $2`,
      [this.#project, name],
    );
    return row?.value ?? null;
  }

  async #setFact(statements: Statements, name: string, value: string): Promise<void> {
    await statements.rows(
      `INSERT INTO ${this.#table('facts')} VALUES ($1, $2, $3)
       ON CONFLICT (project, name) DO UPDATE SET value = excluded.value`,
      [this.#project, name, value],
    );
  }

  putExport(one: LedgerExport): Promise<void> {
    return this.#exports.putExport(one);
  }

  claimExport(unit: string, runId: string): Promise<void> {
    return this.#exports.claimExport(unit, runId);
  }

  setExportStatus(unit: string, status: string): Promise<void> {
    return this.#exports.setExportStatus(unit, status);
  }

  exportOf(unit: string): Promise<LedgerExport | undefined> {
    return this.#exports.exportOf(unit);
  }

  exports(): Promise<LedgerExport[]> {
    return this.#exports.all();
  }

  claimed(): Promise<ClaimedUnit[]> {
    return claimedUnits(this.#pool, { schema: this.#schema, project: this.#project });
  }

  async startRun(runId: string, command: string, startedAt: string): Promise<void> {
    await this.#write(async (statements) => {
      await statements.rows(
        `UPDATE ${this.#table('runs')} SET status = 'killed' WHERE project = $1 AND status = 'running'`,
        [this.#project],
      );
      await statements.rows(
        `INSERT INTO ${this.#table('runs')} (project, run_id, command, status, started_at, token)
         VALUES ($1, $2, $3, 'running', $4, $5)`,
        [this.#project, runId, command, startedAt, this.#lease?.token],
      );
    });
  }

  async endRun(
    runId: string,
    status: string,
    endedAt: string,
    summary: RunSummary | null = null,
  ): Promise<void> {
    await this.#write((statements) =>
      statements.rows(
        `UPDATE ${this.#table('runs')} SET status = $3, ended_at = $4, summary = $5 WHERE project = $1 AND run_id = $2`,
        [this.#project, runId, status, endedAt, jsonOf(summary)],
      ),
    );
  }

  /** A run is under way for as long as the lease is that it began under. */
  async runs(limit = 20): Promise<LedgerRun[]> {
    const rows = await this.#pool.rows<RowOf<LedgerRun>>(
      `SELECT run_id, command, started_at, ended_at, summary,
         CASE WHEN status <> 'running' OR EXISTS (
           SELECT FROM ${this.#table('leases')} AS lease
           WHERE lease.project = $1 AND name = $3 AND lease.token = run.token AND until > clock_timestamp()
         ) THEN status ELSE 'killed' END AS status
       FROM ${this.#table('runs')} AS run WHERE project = $1 ORDER BY started_at DESC, run_id COLLATE "C" LIMIT $2`,
      [this.#project, limit, WRITER],
    );
    return rows.map((row) => ({
      ...row,
      started_at: row.started_at.toISOString(),
      ended_at: timeOf(row.ended_at),
    }));
  }

  async setDiscovery({ open, swept_at }: Discovery): Promise<void> {
    await this.#write(async (statements) => {
      await statements.rows(`DELETE FROM ${this.#table('open_crawls')} WHERE project = $1`, [this.#project]);
      await statements.rows(
        `INSERT INTO ${this.#table('open_crawls')} SELECT DISTINCT $1, id FROM unnest($2::text[]) AS open (id)`,
        [this.#project, open],
      );
      if (swept_at !== null) await this.#setFact(statements, 'swept_at', swept_at);
      else {
        await statements.rows(
          `DELETE FROM ${this.#table('facts')} WHERE project = $1 AND name = 'swept_at'`,
          [this.#project],
        );
      }
    });
  }

  async discovery(): Promise<Discovery> {
    const open = await this.#pool.rows<{ id: string }>(
      `SELECT id FROM ${this.#table('open_crawls')} WHERE project = $1 ORDER BY id`,
      [this.#project],
    );
    return { open: open.map(({ id }) => id), swept_at: await this.#fact('swept_at') };
  }

  #units(): { readonly table: string; readonly project: string } {
    return { table: this.#table('units'), project: this.#project };
  }

  #table(name: string): string {
    return `${ident(this.#schema)}.${ident(name)}`;
  }

  async #write<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const lease = this.#lease;
    if (lease === null) throw new Error('a reader of the ledger does not write');
    return this.#pool.transaction(async (statements) => {
      await lease.fence(statements);
      return work(statements);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease?.[Symbol.asyncDispose]();
    await this.#pool[Symbol.asyncDispose]();
  }
}

interface UnitMove {
  readonly unit: Unit;
  readonly status: UnitState;
  readonly attempts: number;
  readonly error: UnitError | null;
}
