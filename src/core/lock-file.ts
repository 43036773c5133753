import { DatabaseSync } from 'node:sqlite';

/** SQLite's code for a file that another connection has locked. */
const BUSY = 5;

/** Who only looks whether a lock is free has it for less than this. */
const PATIENCE_MS = 100;

/**
 * Takes SQLite's own lock on a file, which the system releases however the holder ends; null when another one has it,
 * in this process or in any.
 */
export function lockFile(path: string): Disposable | null {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return null;
    throw error;
  }
  return {
    [Symbol.dispose]() {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
