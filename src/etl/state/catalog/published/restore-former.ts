import { basename, dirname, join } from 'node:path';
import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { syncPath } from '../../../../core/files/atomic-file.ts';
import { host } from '../../../../core/host/host.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { attachPublished } from './attach-published.ts';

/** Returns the name of the previous publication while another one replaces it. */
export function formerPath(publishedPath: string, id: string): string {
  return `${publishedPath}.${id}.former`;
}

/**
 * Cleans up after a publication that was killed around its rename. Removes the previous file if the published file
 * opens, and restores the previous file if not.
 */
export async function restoreFormer(
  connection: Connection,
  publishedPath: string,
  logger: Logger,
): Promise<void> {
  await restoreWhole((path) => opens(connection, path), publishedPath, logger);
}

/** Restores with the caller's test of whether a file opens. */
export async function restoreWhole(
  opens: (path: string) => Promise<boolean>,
  publishedPath: string,
  logger: Logger,
): Promise<void> {
  const { files } = host();
  const folder = dirname(publishedPath);
  // A process that was killed after its rename has not synced it: after a power cut the previous file would be back.
  await syncPath(folder);
  const formers = (await files.readdir(folder)).filter(
    (name) => name.startsWith(`${basename(publishedPath)}.`) && name.endsWith('.former'),
  );
  for (const name of formers) {
    const former = join(folder, name);
    if (await opens(publishedPath)) await files.rm(former, { force: true });
    else if (await opens(former)) {
      await files.rename(former, publishedPath);
      logger.warn('the killed publication is incomplete; the previous one is restored', {
        warehouse: publishedPath,
      });
    }
  }
}

async function opens(connection: Connection, path: string): Promise<boolean> {
  if (!host().files.existsSync(path)) return false;
  try {
    await attachPublished(connection, path, 'former');
    await connection.run('DETACH former');
    return true;
  } catch (error) {
    return error instanceof CrawlhouseError && error.code === 'locked';
  }
}
