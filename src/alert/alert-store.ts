import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder } from '../core/private-files.ts';
import type { Alert } from './alert.ts';
import type { OpenIncident } from './incident.ts';

/** An alert that has not reached its target yet. */
export interface Undelivered {
  readonly id: number;
  /** The id of a target. */
  readonly target: string;
  readonly alert: Alert;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS troubles (key TEXT PRIMARY KEY, trouble TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, target TEXT NOT NULL, alert TEXT NOT NULL) STRICT;
`;

/** `<state_dir>/alerts`: which troubles somebody was told of, and what is still to be delivered. */
export class AlertStore implements Disposable {
  readonly #database: DatabaseSync;

  constructor(folder: string) {
    makePrivateFolder(folder);
    this.#database = new DatabaseSync(join(folder, 'alerts.sqlite'));
    this.#database.exec(SCHEMA);
  }

  /** Runs `change` alone and whole, whatever other processes do. */
  transaction(change: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      change();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  troubles(): OpenIncident[] {
    const rows = this.#database.prepare('SELECT trouble FROM troubles ORDER BY key').all();
    return rows.map((row) => JSON.parse(String(row.trouble)) as OpenIncident);
  }

  open(trouble: OpenIncident): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO troubles VALUES (?, ?)')
      .run(trouble.key, JSON.stringify(trouble));
  }

  close(key: string): void {
    this.#database.prepare('DELETE FROM troubles WHERE key = ?').run(key);
  }

  put(target: string, alert: Alert): void {
    this.#database
      .prepare('INSERT INTO outbox (target, alert) VALUES (?, ?)')
      .run(target, JSON.stringify(alert));
  }

  /** In the order in which they came. */
  undelivered(): Undelivered[] {
    const rows = this.#database.prepare('SELECT * FROM outbox ORDER BY id').all();
    return rows.map(({ id, target, alert }) => ({
      id: Number(id),
      target: String(target),
      alert: JSON.parse(String(alert)) as Alert,
    }));
  }

  delivered(id: number): void {
    this.#database.prepare('DELETE FROM outbox WHERE id = ?').run(id);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
