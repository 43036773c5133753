import { host } from '../host/host.ts';
import { openSqlite } from './open-sqlite.ts';

/** SQLite's code for a file that another connection has locked. */
const BUSY = 5;

/** A process that only checks whether a lock is free holds it for less than this time. */
const PATIENCE_MS = 100;

/** SQLite's codes for a file that is no whole database: SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED: readonly unknown[] = [11, 26];

export interface HeldLock extends Disposable {
  /** The file was no database, and was emptied to take the lock on it. */
  readonly wasDamaged: boolean;
}

/**
 * Acquires SQLite's own lock on a file. The system releases it however the holder ends. Null if another holder has it,
 * in this or another process.
 */
export function lockFile(path: string): HeldLock | null {
  try {
    return takeLock(path, false);
  } catch (error) {
    // SQLite reads the file only with the lock, so no other process holds it. The file is emptied, not replaced,
    // because others may be opening it now.
    if (!DAMAGED.includes((error as { errcode?: unknown }).errcode)) throw error;
    host().files.truncateSync(path);
    return takeLock(path, true);
  }
}

function takeLock(path: string, wasDamaged: boolean): HeldLock | null {
  const database = openSqlite(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return null;
    throw error;
  }
  return {
    wasDamaged,
    [Symbol.dispose]() {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
