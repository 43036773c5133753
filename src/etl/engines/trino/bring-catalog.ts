import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { fillFile, writeWhole } from '../../../core/files/atomic-file.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { findObject } from '../../../core/stores/list-objects.ts';
import type { ObjectStore, StoredObject } from '../../../core/stores/object-store.ts';
import { objectBytes } from '../../../core/stores/read-object.ts';
import { publicationStamp } from '../../state/catalog/published/publication-stamp.ts';
import { readDespiteWriter } from '../../state/catalog/published/read-publication.ts';
import { RelationNames } from './client/relation-names.ts';
import type { TrinoClient } from './client/trino-client.ts';
import { TrinoFailure } from './client/trino-error.ts';
import { makeStore } from './rows/make-store.ts';
import type { TrinoPlace } from './trino-place.ts';

/** The relation whose pointer names the publication that readers see, and thus its catalog. */
export const CATALOG_POINTER = 'catalogue';
/** Publications that may follow one another during the download of a catalog. */
const TRIES = 5;

export function catalogKey(folder: string, id: string): string {
  return `${folder}/${CATALOG_POINTER}/${id}.duckdb`;
}

/**
 * Replaces the published catalog with that of the publication in Trino, if they differ. They differ if a process was
 * killed between the two steps of a publication, or if another machine has published.
 *
 * @throws CrawlhouseError `damaged_warehouse` if the catalog is missing from the bucket
 */
export async function bringCatalog(
  place: TrinoPlace,
  { path, workingPath }: { readonly path: string; readonly workingPath: string },
  logger: Logger,
  signal?: AbortSignal,
): Promise<void> {
  const { client, connection, prefix, folder } = place;
  await makeStore(place, new RelationNames(prefix), signal);
  const present = async () => (await readDespiteWriter(connection, path, workingPath, logger)).publication;
  await bringShown(
    { client, prefix, folder, objects: async () => place.objects },
    { path, id: async () => (await present())?.id ?? null },
    logger,
    signal,
  );
}

interface ShownPlace {
  readonly client: TrinoClient;
  readonly prefix: string;
  readonly folder: string;
  readonly objects: () => Promise<ObjectStore>;
  /** Aborts a request to Trino or the bucket that takes too long. A download continues as long as bytes arrive. */
  readonly patience?: () => AbortSignal;
}

/**
 * Downloads the catalog for a process that may only read.
 *
 * @param present the published file, and a stamp of its publication
 * @returns the publication that Trino shows; null if nothing is published there
 */
export async function bringShown(
  { client, prefix, folder, objects, patience }: ShownPlace,
  present: { readonly path: string; readonly id: () => Promise<string | null> },
  logger: Logger,
  given?: AbortSignal,
): Promise<string | null> {
  const { path } = present;
  const signal = given ?? new AbortController().signal;
  let lost: string | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const stamp = publicationStamp(path);
    const asking = patience ? AbortSignal.any([signal, patience()]) : signal;
    const id = await shownPublication(client, new RelationNames(prefix), asking);
    if (id === null || id === (await present.id())) return id;
    const key = catalogKey(folder, id);
    if (lost === key) break;
    const store = await objects();
    const object = await findObject(store, key, asking);
    // Gone, because another publication has followed.
    if (object === undefined) lost = key;
    else if (await download(store, object, { path, stamp }, signal)) {
      logger.info('catalog taken from the bucket', { publication: id });
      return id;
    }
  }
  if (lost === undefined) return null;
  throw new CrawlhouseError(
    'damaged_warehouse',
    `the bucket has no ${lost}, the catalog of the publication in Trino`,
    { hint: 'restore it from a copy of the bucket' },
  );
}

/** Returns the catalogs of other publications in the bucket. */
export async function otherCatalogs(
  { objects, folder }: TrinoPlace,
  published: string | undefined,
  signal: AbortSignal | undefined,
): Promise<StoredObject[]> {
  const listed = objects.list(`${folder}/${CATALOG_POINTER}/`, signal ?? new AbortController().signal);
  return (await Array.fromAsync(listed)).filter(({ key }) => basename(key, '.duckdb') !== published);
}

async function shownPublication(
  client: TrinoClient,
  names: RelationNames,
  signal: AbortSignal,
): Promise<string | null> {
  const last = `SELECT max_by(load_id, seq) FROM ${names.visible} WHERE relation = '${CATALOG_POINTER}'`;
  try {
    const id = await client.scalar(last, {}, signal);
    return typeof id === 'string' ? id : null;
  } catch (error) {
    const failure = error instanceof CrawlhouseError ? error.cause : undefined;
    if (failure instanceof TrinoFailure && /^(SCHEMA|TABLE)_NOT_FOUND$/.test(failure.errorName)) return null;
    throw error;
  }
}

/** @returns false if another process has replaced the file meanwhile, or if the object is gone */
async function download(
  store: ObjectStore,
  object: StoredObject,
  { path, stamp }: { readonly path: string; readonly stamp: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await writeWhole(path, async (growing) => {
      await fillFile(growing, objectBytes(store, object, {}, signal), object.size, signal);
      await giveUserMode(growing);
      if (publicationStamp(path) !== stamp) throw new Replaced();
      await rm(`${path}.wal`, { force: true });
    });
    return true;
  } catch (error) {
    if (error instanceof Replaced) return false;
    if (error instanceof CrawlhouseError && error.code === 'object_changed') return false;
    throw error;
  }
}

/** The error if another process has replaced the file meanwhile. */
class Replaced extends Error {}
