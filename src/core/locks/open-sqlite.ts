import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { host } from '../host/host.ts';

/** SQLite's codes for a write to a read-only file, and for a file, or an adjacent one, that it cannot open. */
const READ_ONLY = 8;
const CANT_OPEN = 14;

/**
 * Opens a SQLite file, or creates it if it does not exist.
 *
 * @throws Error of the file system with the path if it cannot be opened: SQLite reports neither file nor reason
 */
export function openSqlite(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = host().sqlite?.(path) ?? new DatabaseSync(path);
    // A write-ahead log needs adjacent files, which SQLite creates only now.
    database.exec('SELECT 1 FROM sqlite_schema');
    return database;
  } catch (error) {
    // The caller detects other errors.
    if (database !== undefined && primaryCode(error) !== CANT_OPEN) return database;
    database?.close();
    throw primaryCode(error) === CANT_OPEN ? asFileError(error, path) : error;
  }
}

/**
 * Returns the file system's reason why a file or an adjacent file cannot be opened, or else SQLite's error with the
 * path.
 */
function asFileError(error: unknown, path: string): unknown {
  const { files } = host();
  const beside = `${path}.${host().uuid()}.tmp`;
  try {
    // This creates a missing file, like SQLite does, so that a full disk is not mistaken for a missing file.
    files.writeFileSync(path, '', { flag: 'a', mode: 0o600 });
    files.writeFileSync(beside, '', { mode: 0o600 });
    files.rmSync(beside);
  } catch (cause) {
    return Object.assign(cause as Error, { path, errcode: CANT_OPEN });
  }
  return Object.assign(error as Error, { path });
}

function primaryCode(error: unknown): number | null {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : null;
}

/** Returns whether an error of `openSqlite` or of SQLite means that a file, or its folder, is read-only. */
export function isReadOnly(error: unknown): boolean {
  const code = primaryCode(error);
  return code === READ_ONLY || code === CANT_OPEN;
}

/**
 * Opens a SQLite file for a user with read-only access. While a writer exists, its write-ahead log is read, too.
 * Without a writer, the file alone is complete.
 */
export function openSqliteToRead(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec('SELECT 1 FROM sqlite_schema');
    return database;
  } catch (error) {
    database.close();
    if (!isReadOnly(error)) throw error;
    return new DatabaseSync(new URL('?immutable=1', pathToFileURL(path)), { readOnly: true });
  }
}

/** Runs statements of a SQLite database in one exclusive transaction. */
export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
