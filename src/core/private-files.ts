import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';

/** What the user who started us wants files to be. */
const USER_MASK = process.umask();
const PRIVATE_MASK = 0o077;

/**
 * From here on nobody else may read what this process makes: files are 0600, folders 0700, also those that DuckDB and
 * SQLite make. What people asked for is given to them by `giveUserMode`.
 */
export function keepFilesPrivate(): void {
  process.umask(USER_MASK | PRIVATE_MASK);
}

/** From here on files are what the user's umask says again. */
export function endPrivacy(): void {
  if (process.umask() !== USER_MASK) process.umask(USER_MASK);
}

/** Gives a file or folder that is a result of ours the mode that the user's umask says. */
export async function giveUserMode(path: string): Promise<void> {
  const all = (await stat(path)).isDirectory() ? 0o777 : 0o666;
  await chmod(path, all & ~USER_MASK);
}

/** Calls `work`, which must not wait, under the user's own umask, as for a program that is started for them. */
export function underUserMask<T>(work: () => T): T {
  const ours = process.umask();
  if (ours === USER_MASK) return work();
  process.umask(USER_MASK);
  try {
    return work();
  } finally {
    process.umask(ours);
  }
}

/** Makes a folder that only its owner may look into; takes the leave of others away where it is there already. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  try {
    const { mode } = statSync(path);
    if ((mode & PRIVATE_MASK) !== 0) chmodSync(path, mode & 0o700);
  } catch (error) {
    // Another's folder that we may write to: theirs to close.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
