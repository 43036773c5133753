import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { host } from '../host/host.ts';

/** SQLite's codes for a write to what may only be read, and for a file, or a file beside it, that it can't open. */
const READ_ONLY = 8;
const CANT_OPEN = 14;

/**
 * Opens a file of SQLite, or makes it.
 *
 * @throws Error of the file system with the path where it can't be opened: SQLite says neither which file nor why
 */
export function openSqlite(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = host().sqlite?.(path) ?? new DatabaseSync(path);
    // A log of changes needs files beside it, which SQLite makes only now.
    database.exec('SELECT 1 FROM sqlite_schema');
    return database;
  } catch (error) {
    // What else is wrong with it, its user finds out.
    if (database !== undefined && primaryCode(error) !== CANT_OPEN) return database;
    database?.close();
    throw primaryCode(error) === CANT_OPEN ? asFileError(error, path) : error;
  }
}

/** The reason of the file system why a file, or one beside it, can't be opened; else the error of SQLite, with the path. */
function asFileError(error: unknown, path: string): unknown {
  const { files } = host();
  const beside = `${path}.${host().uuid()}.tmp`;
  try {
    // It makes a missing file, as SQLite does. So a full disk is not taken for a missing file.
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

/** Whether an error of `openSqlite` or of SQLite means that a file, or its folder, may only be read. */
export function isReadOnly(error: unknown): boolean {
  const code = primaryCode(error);
  return code === READ_ONLY || code === CANT_OPEN;
}

/**
 * Opens a file of SQLite for somebody who may only read. The log of changes is read too while its writer is there;
 * without a writer, the file alone is whole.
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
