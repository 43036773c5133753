import { DatabaseSync } from 'node:sqlite';
import { host } from './host.ts';

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
