import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../../core/in-transaction.ts';
import { openSqlite } from '../../core/open-sqlite.ts';
import { makePrivateFolder } from '../../core/private-files.ts';
import { tryLockState } from '../../core/state-lock.ts';
import type { Alert } from './alert.ts';
import type { AlertChange, AlertStore, Undelivered } from './alert-store.ts';
import type { OpenIncident } from './incident.ts';

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

/** `<state_dir>/alerts`: the alerts of one machine. */
export class SqliteAlertStore implements AlertStore {
  readonly #folder: string;
  readonly #database: DatabaseSync;

  constructor(folder: string) {
    this.#folder = folder;
    makePrivateFolder(folder);
    this.#database = openSqlite(join(folder, 'alerts.sqlite'));
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000');
    inTransaction(this.#database, () => {
      this.#database.exec(SCHEMA);
      const former = this.#database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'troubles'`).get();
      if (former !== undefined) this.#database.exec(RENAME);
    });
  }

  async incidents(): Promise<OpenIncident[]> {
    return this.#incidents();
  }

  #incidents(): OpenIncident[] {
    const rows = this.#database.prepare('SELECT incident FROM incidents ORDER BY key').all();
    return rows.map((row) => JSON.parse(String(row.incident)) as OpenIncident);
  }

  async change(plan: (open: readonly OpenIncident[]) => AlertChange): Promise<void> {
    inTransaction(this.#database, () => {
      const { opened, closed, alerts } = plan(this.#incidents());
      const open = this.#database.prepare('INSERT OR REPLACE INTO incidents VALUES (?, ?)');
      for (const one of opened) open.run(one.key, JSON.stringify(one));
      const close = this.#database.prepare('DELETE FROM incidents WHERE key = ?');
      for (const key of closed) close.run(key);
      const put = this.#database.prepare('INSERT INTO outbox (target, alert) VALUES (?, ?)');
      for (const { target, alert } of alerts) put.run(target, JSON.stringify(alert));
    });
  }

  async undelivered(): Promise<Undelivered[]> {
    const rows = this.#database.prepare('SELECT * FROM outbox ORDER BY id').all();
    return rows.map(({ id, target, alert }) => ({
      id: Number(id),
      target: String(target),
      alert: JSON.parse(String(alert)) as Alert,
    }));
  }

  async delivered(id: number): Promise<void> {
    this.#database.prepare('DELETE FROM outbox WHERE id = ?').run(id);
  }

  /** The holder of the lock, or the next run, delivers what this process may not. */
  async deliverAlone(deliver: () => Promise<void>): Promise<void> {
    const lock = tryLockState(this.#folder, 'delivery of alerts', false);
    if ('holder' in lock) return;
    using _held = lock;
    await deliver();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }
}
