import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder } from '../../core/private-files.ts';
import type { Role, Session } from './session.ts';

const HOUR_MS = 3_600_000;
const LASTS_MS = 12 * HOUR_MS;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    key_sha256 TEXT PRIMARY KEY, subject TEXT NOT NULL, role TEXT NOT NULL, csrf TEXT NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT;
`;

/** The sessions of the console, in `<state_dir>/console/console.sqlite`; of a key only its hash is kept. */
export class Sessions implements Disposable {
  readonly #database: DatabaseSync;
  readonly #now: () => number;

  constructor(stateDir: string, now: () => number = Date.now) {
    const folder = join(stateDir, 'console');
    makePrivateFolder(folder);
    this.#now = now;
    this.#database = new DatabaseSync(join(folder, 'console.sqlite'));
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; ${SCHEMA}`);
  }

  /** Begins a session, and gives the key of its cookie. */
  begin(subject: string, role: Role): string {
    const key = randomBytes(32).toString('base64url');
    const csrf = randomBytes(24).toString('base64url');
    this.#database.prepare('DELETE FROM sessions WHERE ends_at <= ?').run(this.#now());
    this.#database
      .prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)')
      .run(hashOf(key), subject, role, csrf, this.#now() + LASTS_MS);
    return key;
  }

  find(key: string): Session | null {
    const row = this.#database
      .prepare('SELECT subject, role, csrf FROM sessions WHERE key_sha256 = ? AND ends_at > ?')
      .get(hashOf(key), this.#now());
    return row === undefined ? null : (row as unknown as Session);
  }

  end(key: string): void {
    this.#database.prepare('DELETE FROM sessions WHERE key_sha256 = ?').run(hashOf(key));
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
