import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns the bytes of a file, or of all files in a folder; 0 if there is none. Files that are removed meanwhile do not
 * count.
 */
export async function bytesOf(path: string): Promise<number> {
  // It was removed, or this user may not see it.
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.size;
  // A removed folder uses nothing.
  const names = await readdir(path).catch(() => []);
  const sizes = await Promise.all(names.map((name) => bytesOf(join(path, name))));
  return sizes.reduce((all, one) => all + one, 0);
}

export async function freeBytes(path: string): Promise<number | null> {
  // The result is then null.
  const found = await statfs(path).catch(() => undefined);
  return found === undefined ? null : found.bavail * found.bsize;
}
