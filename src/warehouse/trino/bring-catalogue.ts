import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { syncPath } from '../../core/atomic-file.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import type { Logger } from '../../core/logger.ts';
import type { StoredObject } from '../../stores/object-store.ts';
import { objectBytes } from '../../stores/read-object.ts';
import { readDespiteWriter } from '../read-publication.ts';
import { makeStore } from './make-store.ts';
import { RelationNames } from './relation-names.ts';
import type { TrinoPlace } from './trino-place.ts';

/** The relation whose pointer names the publication that readers see, and so its catalogue. */
export const CATALOGUE = 'catalogue';

/** Where the bucket has the catalogue of a publication. */
export function catalogueKey(folder: string, id: string): string {
  return `${folder}/${CATALOGUE}/${id}.duckdb`;
}

/**
 * Puts the catalogue of the publication that Trino shows in the place of the published one, where that is missing or
 * another: a process was killed between the two, or another machine has published.
 *
 * @throws CrawlhouseError `damaged_warehouse` where the bucket has lost it
 */
export async function bringCatalogue(
  place: TrinoPlace,
  { path, workingPath }: { readonly path: string; readonly workingPath: string },
  logger: Logger,
  signal?: AbortSignal,
): Promise<void> {
  const { client, connection, objects, folder } = place;
  const names = new RelationNames(place.prefix);
  await makeStore(place, names, signal);
  const last = `SELECT max_by(load_id, seq) FROM ${names.visible} WHERE relation = '${CATALOGUE}'`;
  const id = await client.scalar(last, {}, signal);
  if (typeof id !== 'string') return;
  const { publication } = await readDespiteWriter(connection, path, workingPath, logger);
  if (publication?.id === id) return;
  const quiet = signal ?? new AbortController().signal;
  const object = await find(place, catalogueKey(folder, id), quiet);
  const temporary = `${path}.bringing`;
  await using file = await open(temporary, 'w', 0o600);
  for await (const bytes of objectBytes(objects, object, {}, quiet)) await file.write(bytes);
  await file.sync();
  await rm(`${path}.wal`, { force: true });
  await rename(temporary, path);
  await syncPath(dirname(path));
  logger.info('catalogue taken from the bucket', { stage: 'run', publication: id });
}

/** Removes catalogues of other publications than the present one from the bucket. */
export async function removeCatalogues(
  { objects, folder }: TrinoPlace,
  published: string | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const quiet = signal ?? new AbortController().signal;
  for await (const object of objects.list(`${folder}/${CATALOGUE}/`, quiet))
    if (basename(object.key, '.duckdb') !== published) await objects.remove(object, quiet);
}

async function find({ objects }: TrinoPlace, key: string, signal: AbortSignal): Promise<StoredObject> {
  for await (const object of objects.list(key, signal)) if (object.key === key) return object;
  throw new CrawlhouseError(
    'damaged_warehouse',
    `the bucket has no ${key}, the catalogue of what Trino shows`,
    {
      hint: 'put it back from a copy of the bucket',
    },
  );
}
