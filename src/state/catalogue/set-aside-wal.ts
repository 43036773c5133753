import { rename, rm, stat } from 'node:fs/promises';
import { orMissing } from '../../core/files/read-text.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { keepFormer } from './keep-former.ts';

/**
 * Puts a write-ahead log that lies beside a published warehouse under a name of its own. A publication has none: this one
 * comes from a program that wrote to the file, or to a former one of this name, and DuckDB would replay it into what
 * lies there now. The file that it belongs to is kept with it, so that the changes can be looked at.
 *
 * @returns whether anything was kept
 */
export async function setAsideWal(publishedPath: string, logger?: Logger): Promise<boolean> {
  const wal = `${publishedPath}.wal`;
  const size = (await orMissing(stat(wal)))?.size;
  if (size === undefined) return false;
  // Without an entry there is nothing to lose.
  if (size === 0) {
    await rm(wal, { force: true });
    return false;
  }
  const kept = await keepFormer(publishedPath, 'changed');
  await rename(wal, `${kept}.wal`);
  logger?.warn('another program wrote to the published warehouse; its changes are kept aside', { kept });
  return true;
}

/** Sets a WAL aside before the file is replaced; keeps one that another program has open for writing. */
export async function setAsideChanges(
  publishedPath: string,
  hasWriter: boolean,
  logger: Logger,
): Promise<void> {
  if ((await setAsideWal(publishedPath, logger)) || !hasWriter) return;
  const kept = await keepFormer(publishedPath, 'changed');
  logger.warn('the file that another program is writing is kept aside', { kept });
}
