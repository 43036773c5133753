import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host, timestamp } from '../../../core/host/host.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import {
  type LedgerRun,
  type LedgerUnit,
  RunRecord,
  UnitRecord,
  type UnitState,
} from '../../project/model/runs/ledger-records.ts';
import type { RunSummary } from '../../project/model/runs/run-summary.ts';
import type { UnitError } from '../../project/model/runs/unit-report.ts';
import { type Unit, unitName } from '../../project/model/unit.ts';
import { ExportRecords } from './export-records.ts';
import { type ClaimedUnit, type Discovery, UnitCount } from './ledger-facts.ts';
import { type Move, reconcileUnits } from './reconcile-units.ts';
import { failuresAfter, nextTryAt } from './respect-backoff.ts';
import {
  deleteRows,
  insertRows,
  jsonOf,
  type LedgerRow,
  type LedgerStatements,
  ofJson,
} from './sql-database.ts';
import type { UnitOffers } from './unit-queue.ts';

const UnitRow = UnitRecord.extend({ unit: z.string(), spec: z.string(), error: z.string().nullable() });
const FactRow = z.strictObject({ value: z.string() });
const RunRow = RunRecord.extend({ summary: z.string().nullable() });
const OpenCrawl = z.strictObject({ id: z.string() });

/** The state of a unit, or `unknown` if the ledger does not have it yet. */
type UnitOrigin = UnitState | 'unknown';

/** The ends of an attempt without rows, from any state. */
const ENDS = ['failed', 'refused', 'skipped'] as const;

/** The moves of a unit that is not in progress, made by a run or a person. */
const TAKEN_UP = ['requested', 'staged', ...ENDS, 'dropped'] as const;

/** The states that the warehouse shows for a unit whose run was killed before it wrote the entry. */
const HELD = ['loaded', 'published'] as const;

/** The allowed moves. Any other move is a bug in crawlhouse. */
export const UNIT_MOVES: Readonly<Record<UnitOrigin, readonly UnitState[]>> = {
  unknown: ['discovered', ...HELD],
  discovered: [...TAKEN_UP, ...HELD],
  requested: [...TAKEN_UP, 'downloading', ...HELD],
  downloading: [...TAKEN_UP, ...HELD],
  staged: [...TAKEN_UP, ...HELD],
  loaded: [...TAKEN_UP, 'published', 'discovered'],
  published: [...TAKEN_UP, 'discovered'],
  failed: [...TAKEN_UP, ...HELD],
  refused: [...TAKEN_UP, ...HELD],
  skipped: [...TAKEN_UP, ...HELD],
  dropped: ['discovered', 'dropped'],
};

/** The parts of a unit's entry that decide the next entry. */
const FormerEntry = UnitRecord.pick({ status: true, failures: true, failing_since: true }).strict();
type FormerEntry = Typed<typeof FormerEntry>;

interface NextEntry extends FormerEntry {
  readonly next_try_at: string | null;
  readonly updated_at: string;
}

/**
 * The state of the pipeline between and during runs. The published warehouse is the source of truth about data, and a
 * lost ledger is restored from it. Each writing method uses one transaction.
 */
export abstract class Ledger extends ExportRecords implements AsyncDisposable {
  /** Version of its tables. */
  abstract readonly version: number;
  /** The queue for other processes; null if the ledger is not shared, and for readers. */
  abstract readonly offers: UnitOffers | null;
  /** Aborts with `lease_lost` once another process has replaced this one. */
  abstract readonly lost: AbortSignal;
  /** An SQL expression of the dataset of a unit. */
  protected abstract readonly dataset: string;
  /** Columns of a new run that only this database has. */
  protected abstract readonly runColumns: LedgerRow;
  /** An SQL expression of the status of `run`. */
  protected abstract readonly runStatus: string;

  abstract check(): Promise<void>;
  /** Columns of a unit that only this database has. */
  protected abstract unitColumns(unit: Unit): LedgerRow;

  /** Marks dead runs among the runs, where the database may still show them as running. */
  protected markDead(runs: LedgerRun[]): LedgerRun[] {
    return runs;
  }

  /** Returns the claimed units, the longest claimed first; none if the ledger is not shared. */
  async claimed(): Promise<ClaimedUnit[]> {
    return [];
  }

  /**
   * Refuses a process that another one has replaced, before it changes shared state.
   *
   * @throws CrawlhouseError `lease_lost`
   */
  async confirm(): Promise<void> {
    await this.database.write(async () => {});
  }

  /** Adds new units. The others stay unchanged. */
  async discoverUnits(units: readonly Unit[]): Promise<void> {
    if (units.length === 0) return;
    const updated_at = timestamp();
    const rows = units.map((unit) => ({
      unit: unitName(unit),
      ...this.unitColumns(unit),
      spec: JSON.stringify(unit),
      status: 'discovered',
      attempts: 0,
      updated_at,
    }));
    await this.database.write((statements) =>
      insertRows(this.database, statements, 'units', { rows, conflict: 'ON CONFLICT DO NOTHING' }),
    );
  }

  /**
   * Moves a unit, if the table of moves allows it.
   *
   * @throws CrawlhouseError `internal` for a move that is not allowed
   */
  async setUnit(unit: Unit, status: UnitState, attempts: number, error: UnitError | null): Promise<void> {
    await this.database.write((statements) => this.#move(statements, unit, { status, attempts, error }));
  }

  async #move(
    statements: LedgerStatements,
    { dataset, source, window }: Unit,
    { status, attempts, error }: Pick<LedgerUnit, 'status' | 'attempts' | 'error'>,
  ): Promise<void> {
    const { project, own, forUpdate } = this.database;
    const unit = unitName({ dataset, source, window });
    const [former] = typedRows(
      FormerEntry,
      await statements.rows(
        `SELECT status, failures, failing_since FROM ${this.#table('units')} WHERE ${own} AND unit = $2 ${forUpdate}`,
        [project, unit],
      ),
    );
    const next = nextEntry(unit, former, status);
    await this.#putUnits(statements, [{ unit, dataset, source, window, attempts, error, ...next }]);
  }

  /** @param condition on `known` and `excluded`, for an existing entry */
  async #putUnits(
    statements: LedgerStatements,
    units: readonly LedgerUnit[],
    condition = 'true',
  ): Promise<void> {
    const rows = units.map(({ unit, dataset, source, window, ...one }) => ({
      unit,
      ...this.unitColumns({ dataset, source, window }),
      spec: JSON.stringify({ dataset, source, window }),
      status: one.status,
      attempts: one.attempts,
      error: jsonOf(one.error),
      failures: one.failures,
      failing_since: one.failing_since,
      next_try_at: one.next_try_at,
      updated_at: one.updated_at,
    }));
    const conflict = `ON CONFLICT ${this.database.key('unit')} DO UPDATE SET
       spec = excluded.spec, status = excluded.status, attempts = excluded.attempts, error = excluded.error,
       failures = excluded.failures,
       failing_since = CASE WHEN excluded.failures > 0 THEN coalesce(excluded.failing_since, known.failing_since) END,
       next_try_at = excluded.next_try_at, updated_at = excluded.updated_at
     WHERE ${condition}`;
    await insertRows(this.database, statements, 'units', { rows, conflict });
  }

  async forgetUnits(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.database.write((statements) =>
      deleteRows(this.database, statements, { from: 'units', column: 'unit', keys }),
    );
  }

  /** Moves every loaded unit to `published`, after its rows can be queried in the publication with this id. */
  async publishLoaded(id: string): Promise<void> {
    const { project, own } = this.database;
    await this.database.write(async (statements) => {
      await statements.rows(
        `UPDATE ${this.#table('units')}
         SET status = 'published', failures = 0, failing_since = NULL, next_try_at = NULL, updated_at = $2
         WHERE ${own} AND status = 'loaded'`,
        [project, timestamp()],
      );
      await this.#setFact(statements, 'publication', id);
    });
  }

  /** Returns the units, least recently updated first. */
  units(which: 'all' | 'unpublished' = 'all'): Promise<LedgerUnit[]> {
    return this.#units(this.database, which);
  }

  async #units(statements: LedgerStatements, which: 'all' | 'unpublished'): Promise<LedgerUnit[]> {
    const { project, own } = this.database;
    const rows = typedRows(
      UnitRow,
      await statements.rows(
        `SELECT unit, CAST(spec AS text) AS spec, status, attempts, CAST(error AS text) AS error, failures,
           failing_since, next_try_at, updated_at
         FROM ${this.#table('units')} WHERE ${own} ${which === 'all' ? '' : `AND status <> 'published'`}
         ORDER BY updated_at, unit`,
        [project],
      ),
    );
    return rows.map(({ spec, ...row }) => {
      const { dataset, source, window } = ofJson<Unit>(spec);
      return { ...row, dataset, source, window, error: ofJson<UnitError | null>(row.error) };
    });
  }

  async unitCounts(): Promise<readonly UnitCount[]> {
    const { project, own, binary } = this.database;
    return typedRows(
      UnitCount,
      await this.database.rows(
        `SELECT dataset, status, CAST(count(*) AS integer) AS units
         FROM (SELECT ${this.dataset} AS dataset, status FROM ${this.#table('units')} WHERE ${own}) AS known
         GROUP BY dataset, status ORDER BY dataset ${binary}, status ${binary}`,
        [project],
      ),
    );
  }

  /**
   * Copies units and runs from a publication if this ledger lacks them or has older entries. The ledger may be new, or
   * an old one that a person restored.
   */
  async restore(units: readonly LedgerUnit[], runs: readonly LedgerRun[]): Promise<void> {
    if (units.length + runs.length === 0) return;
    await this.database.write(async (statements) => {
      await this.#putUnits(statements, units, 'excluded.updated_at > known.updated_at');
      const rows = runs.map(({ run_id, command, status, started_at, ended_at }) => {
        return { run_id, command, status, started_at, ended_at };
      });
      await insertRows(this.database, statements, 'runs', { rows, conflict: 'ON CONFLICT DO NOTHING' });
    });
  }

  /** Corrects the states that a killed run or an older warehouse left. */
  async reconcile(loaded: Parameters<typeof reconcileUnits>[1]): Promise<readonly Move[]> {
    return this.database.write(async (statements) => {
      const known = new Map((await this.#units(statements, 'all')).map((unit) => [unit.unit, unit]));
      const moves = reconcileUnits([...known.values()], loaded);
      for (const { unit, to } of moves) {
        const one = known.get(unit);
        if (one) await this.#move(statements, one, { status: to, attempts: one.attempts, error: null });
      }
      return moves;
    });
  }

  /** Returns the publication that this ledger matches; null before the first one. */
  publication(): Promise<string | null> {
    return this.#fact('publication');
  }

  async setPublication(id: string): Promise<void> {
    await this.database.write((statements) => this.#setFact(statements, 'publication', id));
  }

  async #fact(name: string): Promise<string | null> {
    const { project, own } = this.database;
    const [row] = typedRows(
      FactRow,
      await this.database.rows(`SELECT value FROM ${this.#table('facts')} WHERE ${own} AND name = $2`, [
        project,
        name,
      ]),
    );
    return row?.value ?? null;
  }

  async #setFact(statements: LedgerStatements, name: string, value: string): Promise<void> {
    const conflict = `ON CONFLICT ${this.database.key('name')} DO UPDATE SET value = excluded.value`;
    await insertRows(this.database, statements, 'facts', { rows: [{ name, value }], conflict });
  }

  /** Starts a run. A run still marked as running has lost its process, because only one can write. */
  async startRun(run_id: string, command: string, started_at: string): Promise<void> {
    const { project, own } = this.database;
    const run = { run_id, command, status: 'running', started_at, ...this.runColumns };
    await this.database.write(async (statements) => {
      await statements.rows(
        `UPDATE ${this.#table('runs')} SET status = 'killed' WHERE ${own} AND status = 'running'`,
        [project],
      );
      await insertRows(this.database, statements, 'runs', { rows: [run] });
    });
  }

  async endRun(
    runId: string,
    status: string,
    endedAt: string,
    summary: RunSummary | null = null,
  ): Promise<void> {
    const { project, own } = this.database;
    await this.database.write((statements) =>
      statements.rows(
        `UPDATE ${this.#table('runs')} SET status = $3, ended_at = $4, summary = $5 WHERE ${own} AND run_id = $2`,
        [project, runId, status, endedAt, jsonOf(summary)],
      ),
    );
  }

  /** Returns the last runs, newest first. */
  async runs(limit = 20): Promise<LedgerRun[]> {
    const { project, own, binary } = this.database;
    const rows = typedRows(
      RunRow,
      await this.database.rows(
        `SELECT run_id, command, ${this.runStatus} AS status, started_at, ended_at, CAST(summary AS text) AS summary
         FROM ${this.#table('runs')} AS run WHERE ${own} ORDER BY started_at DESC, run_id ${binary} LIMIT $2`,
        [project, limit],
      ),
    );
    const runs = rows.map((row) => ({ ...row, summary: ofJson<RunSummary | null>(row.summary) }));
    return this.markDead(runs);
  }

  async setDiscovery({ open, swept_at }: Discovery): Promise<void> {
    const { project, own } = this.database;
    await this.database.write(async (statements) => {
      await statements.rows(`DELETE FROM ${this.#table('open_crawls')} WHERE ${own}`, [project]);
      const rows = [...new Set(open)].map((id) => ({ id }));
      await insertRows(this.database, statements, 'open_crawls', { rows });
      if (swept_at !== null) await this.#setFact(statements, 'swept_at', swept_at);
      else await deleteRows(this.database, statements, { from: 'facts', column: 'name', keys: ['swept_at'] });
    });
  }

  async discovery(): Promise<Discovery> {
    const { project, own } = this.database;
    const open = typedRows(
      OpenCrawl,
      await this.database.rows(`SELECT id FROM ${this.#table('open_crawls')} WHERE ${own} ORDER BY id`, [
        project,
      ]),
    );
    return { open: open.map(({ id }) => id), swept_at: await this.#fact('swept_at') };
  }

  #table(name: string): string {
    return this.database.table(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.database[Symbol.asyncDispose]();
  }
}

/**
 * Returns the entry of a unit after it moves to another state.
 *
 * @param former undefined for a unit that the ledger does not have yet
 * @throws CrawlhouseError `internal` for a move that is not allowed
 */
function nextEntry(name: string, former: FormerEntry | undefined, status: UnitState): NextEntry {
  const now = host().now();
  checkMove(name, former?.status ?? 'unknown', status);
  const failures = failuresAfter(status, former?.failures ?? 0);
  const updated_at = new Date(now).toISOString();
  return {
    status,
    failures,
    failing_since: failures === 0 ? null : (former?.failing_since ?? updated_at),
    next_try_at: nextTryAt(failures, now),
    updated_at,
  };
}

/**
 * Checks a change of state against the allowed changes.
 *
 * @throws CrawlhouseError `internal`
 */
export function checkMove(unit: string, from: UnitOrigin, to: UnitState): void {
  if (UNIT_MOVES[from].includes(to)) return;
  throw new CrawlhouseError('internal', `${unit} cannot go from ${from} to ${to}`);
}
