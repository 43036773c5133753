import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { host } from '../host/host.ts';

/** SQLite's code for a statement that would write to what may only be read. */
const READ_ONLY = 8;
/** SQLite's code for a file that it can't open. */
const CANT_OPEN = 14;

/**
 * Opens a file of SQLite, or makes it.
 *
 * @throws Error of the file system with the path where it can't be opened: SQLite says neither which file nor why
 */
export function openSqlite(path: string): DatabaseSync {
  try {
    return host().sqlite?.(path) ?? new DatabaseSync(path);
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode !== CANT_OPEN) throw error;
    // It makes a missing file, as SQLite does. So a full disk is not taken for a missing file.
    host().files.writeFileSync(path, '', { flag: 'a', mode: 0o600 });
    throw Object.assign(error as Error, { path });
  }
}

/** Whether an error of SQLite means that a file, or its folder, may only be read. */
export function isReadOnly(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === READ_ONLY;
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
