import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../core/in-transaction.ts';
import { makePrivateFolder } from '../core/private-files.ts';
import type { LedgerRun, LedgerUnit, UnitState } from '../model/ledger-records.ts';
import type { UnitError } from '../model/report.ts';
import type { RunSummary } from '../model/run-summary.ts';
import { type Unit, unitName } from '../model/unit.ts';
import { asDamage, damaged } from './damaged-ledger.ts';
import type { LedgerExport } from './ledger-export.ts';
import { migrateLedger } from './ledger-schema.ts';
import { failuresAfter, nextTryAt } from './next-try.ts';
import { type LoadState, type Move, reconcileUnits } from './reconcile-units.ts';
import { checkMove } from './unit-states.ts';

export interface Discovery {
  /** Ids of the crawls and comparisons that are known and not ended. */
  readonly open: readonly string[];
  /** When the least recently swept list was last read in full. */
  readonly swept_at: string | null;
}

/** In the state directory. */
export const LEDGER_FILE = 'ledger.sqlite';

/**
 * The state of the pipeline between and during runs. The published warehouse is the source of truth about data; a lost
 * ledger is filled from it.
 */
/** Units of a dataset in one state. */
export interface UnitCount {
  readonly dataset: string;
  readonly status: string;
  readonly units: number;
}

export class Ledger implements Disposable {
  readonly #database: DatabaseSync;

  /** @throws CrawlhouseError `newer_version`, `damaged_ledger` */
  constructor(stateDir: string) {
    makePrivateFolder(stateDir);
    const path = join(stateDir, LEDGER_FILE);
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec(
        'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
      );
      migrateLedger(this.#database, path);
    } catch (error) {
      this.#database.close();
      throw asDamage(error, path);
    }
  }

  /**
   * Reads the whole file.
   *
   * @throws CrawlhouseError `damaged_ledger`
   */
  check(): void {
    const path = String(this.#database.location());
    try {
      const said = this.#database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
      if (said !== 'ok') throw damaged(path, said);
    } catch (error) {
      throw asDamage(error, path);
    }
  }

  /** Takes note of units that have not been met before; the others stay where they are. */
  discoverUnits(units: readonly Unit[]): void {
    this.#transaction(() => {
      const insert = this.#database.prepare(
        `INSERT OR IGNORE INTO units (unit, spec, status, attempts, updated_at) VALUES (?, ?, 'discovered', 0, ?)`,
      );
      const now = new Date().toISOString();
      for (const unit of units) insert.run(unitName(unit), JSON.stringify(unit), now);
    });
  }

  /**
   * Moves a unit, where the table of moves allows it.
   *
   * @throws CrawlhouseError `internal` for a move that there is not
   */
  setUnit(unit: Unit, status: UnitState, attempts: number, error: UnitError | null): void {
    this.#transaction(() => this.#move(unit, status, attempts, error));
  }

  #move(
    { dataset, source, window }: Unit,
    status: UnitState,
    attempts: number,
    error: UnitError | null,
  ): void {
    const unit = { dataset, source, window };
    const name = unitName(unit);
    const former = this.#database
      .prepare('SELECT status, failures, failing_since FROM units WHERE unit = ?')
      .get(name);
    checkMove(name, former === undefined ? 'unknown' : (String(former.status) as UnitState), status);
    const failures = failuresAfter(status, Number(former?.failures ?? 0));
    const now = Date.now();
    const failing_since =
      failures === 0 ? null : String(former?.failing_since ?? new Date(now).toISOString());
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO units (unit, spec, status, attempts, error, failures, failing_since, next_try_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        name,
        JSON.stringify(unit),
        status,
        attempts,
        error ? JSON.stringify(error) : null,
        failures,
        failing_since,
        nextTryAt(failures, now),
        new Date(now).toISOString(),
      );
  }

  forgetUnit(name: string): void {
    this.#database.prepare('DELETE FROM units WHERE unit = ?').run(name);
  }

  /** Moves every loaded unit on, once what was loaded can be queried in the publication of this id. */
  publishLoaded(id: string): void {
    this.#transaction(() => {
      this.#database
        .prepare(
          `UPDATE units SET status = 'published', failures = 0, failing_since = NULL, next_try_at = NULL, updated_at = ?
           WHERE status = 'loaded'`,
        )
        .run(new Date().toISOString());
      this.setPublication(id);
    });
  }

  units(which: 'all' | 'unpublished' = 'all'): LedgerUnit[] {
    const sql = 'SELECT * FROM units WHERE ? OR status <> ? ORDER BY updated_at, unit';
    const rows = this.#database.prepare(sql).all(Number(which === 'all'), 'published');
    return rows.map((row) => {
      const unit = JSON.parse(String(row.spec)) as Unit;
      return {
        unit: String(row.unit),
        dataset: unit.dataset,
        source: unit.source,
        window: unit.window,
        status: String(row.status) as UnitState,
        attempts: Number(row.attempts),
        error: row.error === null ? null : (JSON.parse(String(row.error)) as UnitError),
        failures: Number(row.failures),
        failing_since: row.failing_since === null ? null : String(row.failing_since),
        next_try_at: row.next_try_at === null ? null : String(row.next_try_at),
        updated_at: String(row.updated_at),
      };
    });
  }

  /**
   * Copies units and runs from a publication if this ledger lacks them or has older entries. The ledger may be new, or
   * a former one that a person put back.
   */
  restore(units: readonly LedgerUnit[], runs: readonly LedgerRun[]): void {
    this.#transaction(() => {
      const unit = this.#database.prepare(
        `INSERT INTO units (unit, spec, status, attempts, error, failures, failing_since, next_try_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (unit) DO UPDATE SET
         status = excluded.status, attempts = excluded.attempts, error = excluded.error, failures = excluded.failures,
         failing_since = iif(excluded.failures = 0, NULL, coalesce(excluded.failing_since, units.failing_since)),
         next_try_at = excluded.next_try_at, updated_at = excluded.updated_at
         WHERE excluded.updated_at > units.updated_at`,
      );
      for (const { dataset, source, window, error, ...one } of units) {
        const spec = JSON.stringify({ dataset, source, window });
        const said = error ? JSON.stringify(error) : null;
        const { status, attempts, failures, failing_since, next_try_at, updated_at } = one;
        unit.run(one.unit, spec, status, attempts, said, failures, failing_since, next_try_at, updated_at);
      }
      const run = this.#database.prepare(
        `INSERT OR IGNORE INTO runs (run_id, command, status, started_at, ended_at) VALUES (?, ?, ?, ?, ?)`,
      );
      for (const one of runs) run.run(one.run_id, one.command, one.status, one.started_at, one.ended_at);
    });
  }

  /** Corrects the states that a killed run, or an older warehouse, left behind. */
  reconcile(loaded: ReadonlyMap<string, LoadState>): readonly Move[] {
    const known = new Map(this.units().map((one) => [one.unit, one]));
    const moves = reconcileUnits([...known.values()], loaded);
    this.#transaction(() => {
      for (const { unit, to } of moves) {
        const one = known.get(unit);
        if (one) this.#move(one, to, one.attempts, null);
      }
    });
    return moves;
  }

  /** The publication that this ledger is of one mind with; null: none yet. */
  publication(): string | null {
    const row = this.#database.prepare(`SELECT value FROM facts WHERE name = 'publication'`).get();
    return row ? String(row.value) : null;
  }

  setPublication(id: string): void {
    this.#database.prepare(`INSERT OR REPLACE INTO facts VALUES ('publication', ?)`).run(id);
  }

  /** Takes note of the data export of a unit's present attempt. */
  putExport(one: LedgerExport): void {
    const { unit, data_export_id, store, format, prefix, status, requested_at, run_id } = one;
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO exports (unit, data_export_id, store, format, prefix, status, requested_at, run_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(unit, data_export_id, store, format, prefix, status, requested_at, run_id);
  }

  /** A run takes up what an earlier one asked for. */
  claimExport(unit: string, runId: string): void {
    this.#database.prepare('UPDATE exports SET run_id = ? WHERE unit = ?').run(runId, unit);
  }

  setExportStatus(unit: string, status: string): void {
    this.#database.prepare('UPDATE exports SET status = ? WHERE unit = ?').run(status, unit);
  }

  exports(): LedgerExport[] {
    const sql = 'SELECT * FROM exports ORDER BY requested_at, unit';
    return this.#database.prepare(sql).all() as unknown as LedgerExport[];
  }

  startRun(runId: string, command: string, startedAt: string): void {
    // A run that is still marked as running lost its process: only one can hold the lock.
    this.#database.prepare(`UPDATE runs SET status = 'killed' WHERE status = 'running'`).run();
    this.#database
      .prepare('INSERT INTO runs (run_id, command, status, started_at) VALUES (?, ?, ?, ?)')
      .run(runId, command, 'running', startedAt);
  }

  endRun(runId: string, status: string, endedAt: string, summary: RunSummary | null = null): void {
    this.#database
      .prepare('UPDATE runs SET status = ?, ended_at = ?, summary = ? WHERE run_id = ?')
      .run(status, endedAt, summary ? JSON.stringify(summary) : null, runId);
  }

  /** How many units stand where, by dataset. */
  unitCounts(): UnitCount[] {
    const sql = `SELECT spec ->> '$.dataset' AS dataset, status, count(*) AS units FROM units GROUP BY 1, 2 ORDER BY 1, 2`;
    return this.#database.prepare(sql).all() as unknown as UnitCount[];
  }

  /** The last runs, newest first. */
  runs(limit = 20): LedgerRun[] {
    const rows = this.#database
      .prepare('SELECT * FROM runs ORDER BY started_at DESC, run_id LIMIT ?')
      .all(limit);
    return rows.map((row) => ({
      ...(row as unknown as LedgerRun),
      summary: row.summary === null ? null : (JSON.parse(String(row.summary)) as RunSummary),
    }));
  }

  setDiscovery(discovery: { open: readonly string[]; swept_at: string | null }): void {
    this.#transaction(() => {
      this.#database.exec('DELETE FROM open_crawls');
      const insert = this.#database.prepare('INSERT OR IGNORE INTO open_crawls VALUES (?)');
      for (const id of discovery.open) insert.run(id);
      if (discovery.swept_at === null) this.#database.exec(`DELETE FROM facts WHERE name = 'swept_at'`);
      else
        this.#database.prepare(`INSERT OR REPLACE INTO facts VALUES ('swept_at', ?)`).run(discovery.swept_at);
    });
  }

  discovery(): Discovery {
    const open = this.#database.prepare('SELECT id FROM open_crawls ORDER BY id').all();
    const swept = this.#database.prepare(`SELECT value FROM facts WHERE name = 'swept_at'`).get();
    return { open: open.map((row) => String(row.id)), swept_at: swept ? String(swept.value) : null };
  }

  #transaction(work: () => void): void {
    inTransaction(this.#database, work);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
