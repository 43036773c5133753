import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's code for a file that another connection has locked. */
const BUSY = 5;

/** Who only looks whether a lock is free has it for less than this. */
const PATIENCE_MS = 100;

/** SQLite's codes for a file that is no whole database: SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED: readonly unknown[] = [11, 26];

export interface HeldLock extends Disposable {
  /** The file was no database, and was emptied to take the lock on it. */
  readonly wasDamaged: boolean;
}

/**
 * Takes SQLite's own lock on a file, which the system releases however the holder ends; null when another one has it,
 * in this process or in any.
 */
export function lockFile(path: string): HeldLock | null {
  try {
    return takeLock(path, false);
  } catch (error) {
    // SQLite reads the file only once it may, so nobody holds it. Emptied, not replaced: a lock belongs to the file that
    // others may be opening just now.
    if (!DAMAGED.includes((error as { errcode?: unknown }).errcode)) throw error;
    truncateSync(path);
    return takeLock(path, true);
  }
}

function takeLock(path: string, wasDamaged: boolean): HeldLock | null {
  const database = new DatabaseSync(path);
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
