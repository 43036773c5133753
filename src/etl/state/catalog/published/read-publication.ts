import { existsSync } from 'node:fs';
import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { newerVersion } from '../../../../core/errors/newer-version.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { type Publication, publicationOf } from '../ops/ops-publication.ts';
import { WAREHOUSE_VERSION } from '../schema.ts';
import { attachDespiteWriter, attachPublished, publishedError } from './attach-published.ts';

/**
 * Reads the identity of a published warehouse. Returns undefined if there is no file.
 *
 * @throws CrawlhouseError `bad_settings` if the file is not a crawlhouse warehouse, `newer_version`,
 *   `damaged_warehouse`, `locked` when another program has it open for writing
 */
export async function readPublication(
  connection: Connection,
  path: string,
  logger?: Logger,
): Promise<Publication | undefined> {
  if (!existsSync(path)) return undefined;
  await attachPublished(connection, path, 'published', logger);
  try {
    return await checkedPublication(connection, path);
  } finally {
    await connection.run('DETACH published');
  }
}

async function checkedPublication(connection: Connection, path: string): Promise<Publication> {
  const publication = await publicationOf(connection, 'published').catch((error: unknown) => {
    throw publishedError(path, error, 'is not a warehouse of crawlhouse');
  });
  if (publication.version > WAREHOUSE_VERSION) {
    throw newerVersion(
      path,
      { what: 'warehouse', found: publication.version, known: WAREHOUSE_VERSION },
      'use the newer version, or set `warehouse` to another path',
    );
  }
  return publication;
}

/** A published warehouse, and whether another program has it open for writing. */
export interface ReadPublication {
  readonly publication: Publication | undefined;
  readonly hasWriter: boolean;
}

/** Reads the publication even while another program has the file open for writing (`attachDespiteWriter`). */
export async function readDespiteWriter(
  connection: Connection,
  path: string,
  workingPath: string,
  logger: Logger,
): Promise<ReadPublication> {
  if (!existsSync(path)) return { publication: undefined, hasWriter: false };
  await using attached = await attachDespiteWriter(
    connection,
    { path, name: 'published', workingPath },
    logger,
  );
  return { publication: await checkedPublication(connection, path), hasWriter: attached.hasWriter };
}
