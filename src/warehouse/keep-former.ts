import { constants } from 'node:fs';
import { copyFile, link } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/**
 * Keeps a published warehouse of an earlier version under a name of its own. A publication replaces the file and never
 * writes to it, so a second name is a copy; where the file system has none, it is copied.
 *
 * @returns the path of what is kept
 */
export async function keepFormer(publishedPath: string, version: number, now = new Date()): Promise<string> {
  const extension = extname(publishedPath);
  const at = now.toISOString().slice(0, 19).replaceAll(':', '-');
  const kept = join(
    dirname(publishedPath),
    `${basename(publishedPath, extension)}.v${version}-${at}Z${extension}`,
  );
  await link(publishedPath, kept).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') await copyFile(publishedPath, kept, constants.COPYFILE_FICLONE);
  });
  return kept;
}
