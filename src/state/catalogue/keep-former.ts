import { constants, existsSync } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/**
 * Keeps a published warehouse under a name of its own: `warehouse.v6-2026-11-21T08-10-00Z.duckdb`. A publication replaces
 * the file and never writes to it, so a second name is a copy; where the file system has none, it is copied.
 *
 * @param mark what it is: `v6` of an earlier version, `changed` by another program
 * @returns the path of what is kept
 */
export async function keepFormer(publishedPath: string, mark: string, now = new Date()): Promise<string> {
  const extension = extname(publishedPath);
  const stem = join(dirname(publishedPath), basename(publishedPath, extension));
  const at = now.toISOString().slice(0, 19).replaceAll(':', '-');
  const kept = freePath(`${stem}.${mark}-${at}Z`, extension);
  await link(publishedPath, kept).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') await copyFile(publishedPath, kept, constants.COPYFILE_FICLONE);
  });
  return kept;
}

function freePath(stem: string, extension: string): string {
  for (let number = 1; ; number++) {
    const path = `${stem}${number === 1 ? '' : `-${number}`}${extension}`;
    if (!existsSync(path) && !existsSync(`${path}.wal`)) return path;
  }
}
