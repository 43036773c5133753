import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Database } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { underUserMask } from '../../../core/files/private-files.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { targetOf } from '../../state/catalog/published/attach-published.ts';
import { publicationStamp } from '../../state/catalog/published/publication-stamp.ts';
import { readDespiteWriter } from '../../state/catalog/published/read-publication.ts';
import type { Following, RemoteRows, Statements } from '../engine.ts';
import { bringShown } from './bring-catalog.ts';
import type { TrinoAddress } from './client/address.ts';
import { openTrinoBucket, openTrinoClient } from './client/open-trino.ts';
import { QUERY_SESSION } from './client/trino-client.ts';

/** Time limit for Trino and the bucket to name the newest catalog, on a machine that has a catalog. */
const PATIENCE_MS = 15_000;

/** Reads a warehouse in Trino. Never writes. */
export function trinoRemote(address: TrinoAddress): RemoteRows {
  return {
    openStatements: () => openStatements(address),
    async follow(place, logger, following) {
      const { signal, known } = following;
      const path = await targetOf(place.warehouse);
      try {
        const id = await bring(address, { path, stateDir: place.state_dir }, logger, following);
        return { stamp: publicationStamp(path), id };
      } catch (thrown) {
        signal?.throwIfAborted();
        const { code, message } = toCrawlhouseError(thrown);
        if (!existsSync(path))
          throw new CrawlhouseError(code, `the catalog of the warehouse is not available: ${message}`, {
            cause: thrown,
            hint: `reading needs Trino and the objects under s3://${address.bucket}/${address.folder}/catalogue/ (docs/trino.md)`,
          });
        logger.warn('the newest catalog is not available; reading the catalog of an earlier publication', {
          because: message,
        });
        return known ?? { stamp: '', id: null };
      }
    },
    async bringNewest({ warehouse, state_dir: stateDir }, logger, signal) {
      await bring(address, { path: await targetOf(warehouse), stateDir }, logger, { signal });
    },
  };
}

/** @returns the publication that Trino shows; null if nothing is published there */
async function bring(
  address: TrinoAddress,
  { path, stateDir }: { readonly path: string; readonly stateDir: string },
  logger: Logger,
  { signal, known, patience = () => AbortSignal.timeout(PATIENCE_MS) }: Following,
): Promise<string | null> {
  underUserMask(() => makeFolder(dirname(path)));
  const id = async (): Promise<string | null> =>
    known !== undefined && known.stamp === publicationStamp(path)
      ? known.id
      : publishedId(path, stateDir, logger);
  await using stack = new AsyncDisposableStack();
  const client = stack.use(await openTrinoClient(address, { attempts: 2, baseMs: 100, maxMs: 1000 }));
  const place = {
    client,
    prefix: address.schemaPrefix,
    folder: address.folder,
    objects: async () => stack.use(await openTrinoBucket(address)),
    ...(existsSync(path) ? { patience } : {}),
  };
  return await bringShown(place, { path, id }, logger, signal);
}

async function publishedId(path: string, stateDir: string, logger: Logger): Promise<string | null> {
  if (!existsSync(path)) return null;
  await using database = await Database.open({
    memoryLimit: '100MB',
    threads: 1,
    tempDirectory: join(stateDir, 'spill'),
  });
  using connection = await database.connect();
  const { publication } = await readDespiteWriter(connection, path, join(stateDir, 'work.duckdb'), logger);
  return publication?.id ?? null;
}

/** Opens users' statements, with a time limit that Trino enforces too. */
async function openStatements(address: TrinoAddress): Promise<Statements> {
  const client = await openTrinoClient(address);
  return {
    async *rows(sql, seconds, signal) {
      const session = { ...QUERY_SESSION, query_max_run_time: `${Math.ceil(seconds)}s` };
      for await (const { rows } of client.pages(sql, { session, source: 'query' }, signal)) yield rows;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
