import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { UnitError } from '../model/report.ts';
import { type Unit, unitName } from '../model/unit.ts';

/** Where a unit stands (design.md, issue "Unattended"). */
export const UNIT_STATES = [
  'requested',
  'staged',
  'loaded',
  'published',
  'failed',
  'refused',
  'skipped',
] as const;
export type UnitState = (typeof UNIT_STATES)[number];

export interface LedgerUnit {
  readonly unit: string;
  readonly dataset: string;
  readonly source: Unit['source'];
  readonly window: Unit['window'];
  readonly status: UnitState;
  readonly attempts: number;
  readonly error: UnitError | null;
  readonly updated_at: string;
}

export interface LedgerRun {
  readonly run_id: string;
  readonly command: string;
  readonly status: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** A data export that a unit's attempt asked for; its prefix holds unit and attempt (spec-notes.md 21). */
export interface LedgerExport {
  readonly unit: string;
  /** Null until the service's answer is known: a kill may fall between the request and its answer. */
  readonly data_export_id: string | null;
  readonly store: string;
  readonly format: string;
  readonly prefix: string;
  /** The service's own; `loaded` once its rows are in the warehouse. */
  readonly status: string;
  readonly requested_at: string;
}

export interface Discovery {
  /** Ids of the crawls that are known and not ended. */
  readonly open: readonly string[];
  /** When every list was last read to its end. */
  readonly swept_at: string | null;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS units (
    unit TEXT PRIMARY KEY, spec TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL,
    error TEXT, updated_at TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, command TEXT NOT NULL, status TEXT NOT NULL,
    started_at TEXT NOT NULL, ended_at TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS exports (
    unit TEXT PRIMARY KEY, data_export_id TEXT, store TEXT NOT NULL, format TEXT NOT NULL, prefix TEXT NOT NULL,
    status TEXT NOT NULL, requested_at TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS open_crawls (id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`;

/**
 * What the pipeline remembers between runs and shows while one is on. Not the truth about data: that is the published
 * warehouse, from which a lost ledger is filled again.
 */
export class Ledger implements Disposable {
  readonly #database: DatabaseSync;

  constructor(stateDir: string) {
    mkdirSync(stateDir, { recursive: true });
    this.#database = new DatabaseSync(join(stateDir, 'ledger.sqlite'));
    this.#database.exec(SCHEMA);
  }

  setUnit(unit: Unit, status: UnitState, attempts: number, error: UnitError | null): void {
    this.#database
      .prepare(
        `INSERT INTO units VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (unit) DO UPDATE SET
         spec = excluded.spec, status = excluded.status, attempts = excluded.attempts, error = excluded.error,
         updated_at = excluded.updated_at`,
      )
      .run(
        unitName(unit),
        JSON.stringify(unit),
        status,
        attempts,
        error ? JSON.stringify(error) : null,
        new Date().toISOString(),
      );
  }

  forgetUnit(name: string): void {
    this.#database.prepare('DELETE FROM units WHERE unit = ?').run(name);
  }

  /** Moves every loaded unit on, once what was loaded can be queried. */
  publishLoaded(): void {
    this.#database
      .prepare(`UPDATE units SET status = 'published', updated_at = ? WHERE status = 'loaded'`)
      .run(new Date().toISOString());
  }

  units(): LedgerUnit[] {
    const rows = this.#database.prepare('SELECT * FROM units ORDER BY updated_at, unit').all();
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
        updated_at: String(row.updated_at),
      };
    });
  }

  isEmpty(): boolean {
    return (
      this.#database.prepare('SELECT 1 FROM units UNION ALL SELECT 1 FROM runs LIMIT 1').get() === undefined
    );
  }

  /** Fills an empty ledger. */
  restore(units: readonly LedgerUnit[], runs: readonly LedgerRun[]): void {
    this.#database.exec('BEGIN');
    const unit = this.#database.prepare('INSERT INTO units VALUES (?, ?, ?, ?, ?, ?)');
    for (const { dataset, source, window, error, ...one } of units) {
      const spec = JSON.stringify({ dataset, source, window });
      unit.run(
        one.unit,
        spec,
        one.status,
        one.attempts,
        error ? JSON.stringify(error) : null,
        one.updated_at,
      );
    }
    const run = this.#database.prepare('INSERT INTO runs VALUES (?, ?, ?, ?, ?)');
    for (const one of runs) run.run(one.run_id, one.command, one.status, one.started_at, one.ended_at);
    this.#database.exec('COMMIT');
  }

  /** Takes note of the data export of a unit's present attempt. */
  putExport(one: LedgerExport): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO exports VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(one.unit, one.data_export_id, one.store, one.format, one.prefix, one.status, one.requested_at);
  }

  setExportStatus(unit: string, status: string): void {
    this.#database.prepare('UPDATE exports SET status = ? WHERE unit = ?').run(status, unit);
  }

  exports(): LedgerExport[] {
    return this.#database
      .prepare('SELECT * FROM exports ORDER BY requested_at, unit')
      .all() as unknown as LedgerExport[];
  }

  startRun(runId: string, command: string, startedAt: string): void {
    // A run that is still marked as running lost its process: only one can hold the lock.
    this.#database.prepare(`UPDATE runs SET status = 'killed' WHERE status = 'running'`).run();
    this.#database
      .prepare('INSERT INTO runs VALUES (?, ?, ?, ?, NULL)')
      .run(runId, command, 'running', startedAt);
  }

  endRun(runId: string, status: string, endedAt: string): void {
    this.#database
      .prepare('UPDATE runs SET status = ?, ended_at = ? WHERE run_id = ?')
      .run(status, endedAt, runId);
  }

  /** The last runs, newest first. */
  runs(limit = 20): LedgerRun[] {
    return this.#database
      .prepare('SELECT * FROM runs ORDER BY started_at DESC, run_id LIMIT ?')
      .all(limit) as unknown as LedgerRun[];
  }

  setDiscovery(discovery: { open: readonly string[]; swept_at: string }): void {
    this.#database.exec('BEGIN; DELETE FROM open_crawls');
    const insert = this.#database.prepare('INSERT OR IGNORE INTO open_crawls VALUES (?)');
    for (const id of discovery.open) insert.run(id);
    this.#database.prepare(`INSERT OR REPLACE INTO facts VALUES ('swept_at', ?)`).run(discovery.swept_at);
    this.#database.exec('COMMIT');
  }

  discovery(): Discovery {
    const open = this.#database.prepare('SELECT id FROM open_crawls ORDER BY id').all();
    const swept = this.#database.prepare(`SELECT value FROM facts WHERE name = 'swept_at'`).get();
    return { open: open.map((row) => String(row.id)), swept_at: swept ? String(swept.value) : null };
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
