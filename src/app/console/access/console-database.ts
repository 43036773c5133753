import { hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { keepVersion } from '../../../core/errors/newer-version.ts';
import { makePrivateFolder } from '../../../core/files/private-files.ts';
import { openSqlite } from '../../../core/locks/open-sqlite.ts';

/** Version of these tables. A file of an earlier program has none. */
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (
    key_sha256 TEXT PRIMARY KEY, subject TEXT NOT NULL, role TEXT NOT NULL, csrf TEXT NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT;
  DELETE FROM sessions WHERE role = 'reader' OR (subject = 'local' AND role <> 'owner');
  CREATE TABLE IF NOT EXISTS links (key_sha256 TEXT PRIMARY KEY, ends_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS servers (url TEXT PRIMARY KEY, takes_links INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT, began_at TEXT NOT NULL, subject TEXT NOT NULL, command TEXT NOT NULL,
    ended_at TEXT, outcome TEXT, message TEXT, run_id TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS shared_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key_sha256 TEXT NOT NULL UNIQUE, title TEXT NOT NULL, query TEXT NOT NULL,
    made_by TEXT NOT NULL, made_at TEXT NOT NULL, used_at TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS uploads (
    file TEXT PRIMARY KEY, kind TEXT NOT NULL, site TEXT NOT NULL, action INTEGER NOT NULL, removal INTEGER
  ) STRICT;
`;

/**
 * Opens `<state_dir>/console/console.sqlite`, which several processes may share.
 *
 * @throws CrawlhouseError `newer_version`
 */
export function openConsoleDatabase(stateDir: string): DatabaseSync {
  const folder = join(stateDir, 'console');
  makePrivateFolder(folder);
  const path = join(folder, 'console.sqlite');
  const database = openSqlite(path);
  const hint =
    'use the newer version; or remove the file: everyone signs in again, and the list of actions is lost';
  keepVersion(database, path, { what: 'console', known: VERSION }, hint);
  database.exec(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
  return database;
}

/** One of the tables in which the console stores data about people. */
export abstract class ConsoleTable {
  protected readonly database: DatabaseSync;
  /** Milliseconds. */
  protected readonly now: () => number;

  constructor(database: DatabaseSync, now: () => number) {
    this.database = database;
    this.now = now;
  }
}

export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored form of a key, so that reading the file does not allow signing in. */
export function hashOf(key: string): string {
  return hash('sha256', key);
}
