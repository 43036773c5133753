import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../../../core/in-transaction.ts';
import { openSqlite } from '../../../core/open-sqlite.ts';
import { makePrivateFolder } from '../../../core/private-files.ts';
import type { LedgerRun, LedgerUnit, UnitState } from '../../../project/model/ledger-records.ts';
import type { UnitError } from '../../../project/model/report.ts';
import type { RunSummary } from '../../../project/model/run-summary.ts';
import { type Unit, unitName } from '../../../project/model/unit.ts';
import { markDeadRuns } from '../dead-runs.ts';
import type { ClaimedUnit, Discovery, Ledger, UnitCount } from '../ledger.ts';
import type { LedgerExport } from '../ledger-export.ts';
import { type FormerEntry, nextEntry } from '../next-entry.ts';
import { type LoadState, type Move, reconcileUnits } from '../reconcile-units.ts';
import { asDamage, damaged } from './damaged-ledger.ts';
import { LEDGER_VERSION, migrateLedger } from './sqlite-schema.ts';

/** In the state directory. */
export const LEDGER_FILE = 'ledger.sqlite';

/** `ledger.sqlite` in the state directory: of the one process that writes, and its readers. */
export class SqliteLedger implements Ledger {
  readonly offers = null;
  readonly version = LEDGER_VERSION;
  /** Never: the system gives the state lock to nobody else while this process is there. */
  readonly lost: AbortSignal = new AbortController().signal;
  readonly #database: DatabaseSync;
  readonly #lockedSince: string | null;

  /**
   * @param lockedSince for a reader: as `lockedSince` of the lock tells, asked before. A run that ends meanwhile is in the
   *   ledger by then.
   * @throws CrawlhouseError `newer_version`, `damaged_ledger`
   */
  constructor(stateDir: string, lockedSince: string | null = null) {
    this.#lockedSince = lockedSince;
    makePrivateFolder(stateDir);
    const path = join(stateDir, LEDGER_FILE);
    this.#database = openSqlite(path);
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
   * @throws CrawlhouseError `damaged_ledger`
   */
  async check(): Promise<void> {
    const path = String(this.#database.location());
    try {
      const said = this.#database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
      if (said !== 'ok') throw damaged(path, said);
    } catch (error) {
      throw asDamage(error, path);
    }
  }

  async confirm(): Promise<void> {}

  async discoverUnits(units: readonly Unit[]): Promise<void> {
    this.#transaction(() => {
      const insert = this.#database.prepare(
        `INSERT OR IGNORE INTO units (unit, spec, status, attempts, updated_at) VALUES (?, ?, 'discovered', 0, ?)`,
      );
      const now = new Date().toISOString();
      for (const unit of units) insert.run(unitName(unit), JSON.stringify(unit), now);
    });
  }

  async setUnit(unit: Unit, status: UnitState, attempts: number, error: UnitError | null): Promise<void> {
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
      .get(name) as FormerEntry | undefined;
    const next = nextEntry(name, former, status);
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
        next.failures,
        next.failing_since,
        next.next_try_at,
        next.updated_at,
      );
  }

  async forgetUnits(names: readonly string[]): Promise<void> {
    this.#transaction(() => {
      const forget = this.#database.prepare('DELETE FROM units WHERE unit = ?');
      for (const name of names) forget.run(name);
    });
  }

  async publishLoaded(id: string): Promise<void> {
    this.#transaction(() => {
      this.#database
        .prepare(
          `UPDATE units SET status = 'published', failures = 0, failing_since = NULL, next_try_at = NULL, updated_at = ?
           WHERE status = 'loaded'`,
        )
        .run(new Date().toISOString());
      this.#setFact('publication', id);
    });
  }

  async units(which: 'all' | 'unpublished' = 'all'): Promise<LedgerUnit[]> {
    return this.#units(which);
  }

  #units(which: 'all' | 'unpublished'): LedgerUnit[] {
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

  async restore(units: readonly LedgerUnit[], runs: readonly LedgerRun[]): Promise<void> {
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

  async reconcile(loaded: ReadonlyMap<string, LoadState>): Promise<readonly Move[]> {
    const known = new Map(this.#units('all').map((one) => [one.unit, one]));
    const moves = reconcileUnits([...known.values()], loaded);
    this.#transaction(() => {
      for (const { unit, to } of moves) {
        const one = known.get(unit);
        if (one) this.#move(one, to, one.attempts, null);
      }
    });
    return moves;
  }

  async publication(): Promise<string | null> {
    const row = this.#database.prepare(`SELECT value FROM facts WHERE name = 'publication'`).get();
    return row ? String(row.value) : null;
  }

  async setPublication(id: string): Promise<void> {
    this.#setFact('publication', id);
  }

  #setFact(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO facts VALUES (?, ?)').run(name, value);
  }

  async putExport(one: LedgerExport): Promise<void> {
    const { unit, data_export_id, store, format, prefix, status, requested_at, run_id } = one;
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO exports (unit, data_export_id, store, format, prefix, status, requested_at, run_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(unit, data_export_id, store, format, prefix, status, requested_at, run_id);
  }

  async claimExport(unit: string, runId: string): Promise<void> {
    this.#database.prepare('UPDATE exports SET run_id = ? WHERE unit = ?').run(runId, unit);
  }

  async setExportStatus(unit: string, status: string): Promise<void> {
    this.#database.prepare('UPDATE exports SET status = ? WHERE unit = ?').run(status, unit);
  }

  async exportOf(unit: string): Promise<LedgerExport | undefined> {
    const row = this.#database.prepare('SELECT * FROM exports WHERE unit = ?').get(unit);
    return row as unknown as LedgerExport | undefined;
  }

  async exports(): Promise<LedgerExport[]> {
    const sql = 'SELECT * FROM exports ORDER BY requested_at, unit';
    return this.#database.prepare(sql).all() as unknown as LedgerExport[];
  }

  async claimed(): Promise<ClaimedUnit[]> {
    return [];
  }

  async startRun(runId: string, command: string, startedAt: string): Promise<void> {
    this.#database.prepare(`UPDATE runs SET status = 'killed' WHERE status = 'running'`).run();
    this.#database
      .prepare('INSERT INTO runs (run_id, command, status, started_at) VALUES (?, ?, ?, ?)')
      .run(runId, command, 'running', startedAt);
  }

  async endRun(
    runId: string,
    status: string,
    endedAt: string,
    summary: RunSummary | null = null,
  ): Promise<void> {
    this.#database
      .prepare('UPDATE runs SET status = ?, ended_at = ?, summary = ? WHERE run_id = ?')
      .run(status, endedAt, summary ? JSON.stringify(summary) : null, runId);
  }

  async unitCounts(): Promise<UnitCount[]> {
    const sql = `SELECT spec ->> '$.dataset' AS dataset, status, count(*) AS units FROM units GROUP BY 1, 2 ORDER BY 1, 2`;
    return this.#database.prepare(sql).all() as unknown as UnitCount[];
  }

  async runs(limit = 20): Promise<LedgerRun[]> {
    const rows = this.#database
      .prepare('SELECT * FROM runs ORDER BY started_at DESC, run_id LIMIT ?')
      .all(limit);
    const runs = rows.map((row) => ({
      ...(row as unknown as LedgerRun),
      summary: row.summary === null ? null : (JSON.parse(String(row.summary)) as RunSummary),
    }));
    return markDeadRuns(runs, this.#lockedSince);
  }

  async setDiscovery(discovery: Discovery): Promise<void> {
    this.#transaction(() => {
      this.#database.exec('DELETE FROM open_crawls');
      const insert = this.#database.prepare('INSERT OR IGNORE INTO open_crawls VALUES (?)');
      for (const id of discovery.open) insert.run(id);
      if (discovery.swept_at === null) this.#database.exec(`DELETE FROM facts WHERE name = 'swept_at'`);
      else this.#setFact('swept_at', discovery.swept_at);
    });
  }

  async discovery(): Promise<Discovery> {
    const open = this.#database.prepare('SELECT id FROM open_crawls ORDER BY id').all();
    const swept = this.#database.prepare(`SELECT value FROM facts WHERE name = 'swept_at'`).get();
    return { open: open.map((row) => String(row.id)), swept_at: swept ? String(swept.value) : null };
  }

  #transaction(work: () => void): void {
    inTransaction(this.#database, work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }
}
