import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../core/in-transaction.ts';
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
  CREATE TABLE IF NOT EXISTS incidents (key TEXT PRIMARY KEY, incident TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, target TEXT NOT NULL, alert TEXT NOT NULL) STRICT;
`;

/** From the names of earlier versions. */
const RENAME = `
  INSERT INTO incidents
    SELECT key, json_remove(json_set(trouble, '$.targets', trouble -> '$.told'), '$.told') FROM troubles;
  DROP TABLE troubles;
  UPDATE outbox SET alert = json_remove(json_set(alert, '$.incident', alert ->> '$.trouble'), '$.trouble');
`;

/** `<state_dir>/alerts`: the open incidents that alerts were sent for, and the alerts that are not delivered yet. */
export class AlertStore implements Disposable {
  readonly #database: DatabaseSync;

  constructor(folder: string) {
    makePrivateFolder(folder);
    this.#database = new DatabaseSync(join(folder, 'alerts.sqlite'));
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000');
    this.transaction(() => {
      this.#database.exec(SCHEMA);
      const former = this.#database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'troubles'`).get();
      if (former !== undefined) this.#database.exec(RENAME);
    });
  }

  /** Runs `change` alone and whole, whatever other processes do. */
  transaction(change: () => void): void {
    inTransaction(this.#database, change);
  }

  incidents(): OpenIncident[] {
    const rows = this.#database.prepare('SELECT incident FROM incidents ORDER BY key').all();
    return rows.map((row) => JSON.parse(String(row.incident)) as OpenIncident);
  }

  open(incident: OpenIncident): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO incidents VALUES (?, ?)')
      .run(incident.key, JSON.stringify(incident));
  }

  close(key: string): void {
    this.#database.prepare('DELETE FROM incidents WHERE key = ?').run(key);
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
