import { host } from '../host/host.ts';
import { makeFolder } from './make-folder.ts';

const USER_MASK = process.umask();
const PRIVATE_MASK = 0o077;

/**
 * Makes the files and folders that this process creates accessible only to the user (files 0600, folders 0700).
 * This includes DuckDB and SQLite files. `giveUserMode` changes the mode of results.
 */
export function keepFilesPrivate(): void {
  process.umask(USER_MASK | PRIVATE_MASK);
}

/** Restores the user's umask for new files. */
export function endPrivacy(): void {
  if (process.umask() !== USER_MASK) process.umask(USER_MASK);
}

/** Gives a file or folder with results the mode of the user's umask. */
export async function giveUserMode(path: string): Promise<void> {
  const { files } = host();
  const all = (await files.stat(path)).isDirectory() ? 0o777 : 0o666;
  await files.chmod(path, all & ~USER_MASK);
}

/** Calls `work` under the user's own umask, as for a program that the user starts. `work` must not wait. */
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

/** Makes a folder that only its owner may read; removes the permissions of others if it already exists. */
export function makePrivateFolder(path: string): void {
  const { files } = host();
  makeFolder(path, { mode: 0o700 });
  try {
    const { mode } = files.statSync(path);
    if ((mode & PRIVATE_MASK) !== 0) files.chmodSync(path, mode & 0o700);
  } catch (error) {
    // A writable folder of another user, who alone can close it. On a read-only disk, nobody can.
    if (!['EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
