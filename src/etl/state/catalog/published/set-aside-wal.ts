import { constants, existsSync } from 'node:fs';
import { copyFile, link, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { orMissing } from '../../../../core/files/read-text.ts';
import type { Logger } from '../../../../core/logs/logger.ts';

const CHANGED = 'another program wrote to the published warehouse; its file is kept under another name';

/**
 * Renames a write-ahead log found next to a published warehouse. A publication has no such log. It comes from a program
 * that wrote to this file or to an earlier file of the same name, and DuckDB would replay it into the current file. The
 * file that the log belongs to is kept together with it, so that you can inspect the changes.
 *
 * @returns the name of the kept file; null if there was nothing to keep
 */
export async function setAsideWal(publishedPath: string, logger?: Logger): Promise<string | null> {
  const wal = `${publishedPath}.wal`;
  const size = (await orMissing(stat(wal)))?.size;
  if (size === undefined) return null;
  // Without an entry there is nothing to lose.
  if (size === 0) {
    await rm(wal, { force: true });
    return null;
  }
  const kept = await keepFormer(publishedPath, 'changed');
  await rename(wal, `${kept}.wal`);
  logger?.warn(CHANGED, { kept });
  return kept;
}

/**
 * Saves changes that another program wrote to the file or its WAL, before the file is replaced.
 *
 * @param isChanged whether another program has written to the file, or has it open for writing
 * @returns the name of the kept file; null if there was nothing to keep
 */
export async function setAsideChanges(
  publishedPath: string,
  isChanged: boolean,
  logger: Logger,
): Promise<string | null> {
  const withWal = await setAsideWal(publishedPath, logger);
  if (withWal !== null || !isChanged) return withWal;
  const kept = await keepFormer(publishedPath, 'changed');
  logger.warn(CHANGED, { kept });
  return kept;
}

/**
 * Keeps a published warehouse under a separate name: `warehouse.v6-2026-11-21T08-10-00Z.duckdb`. A publication replaces
 * the file and never writes to it, so a second name serves as a copy. If the file system does not support links, copies
 * the file.
 *
 * @param mark what it is: `v6` for an earlier version, `changed` for a change by another program
 * @returns the path of the kept file
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
