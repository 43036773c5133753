import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { makeFolder } from '../../../../core/files/make-folder.ts';
import { findObject } from '../../../../core/stores/list-objects.ts';
import { objectText } from '../../../../core/stores/read-object.ts';
import { countLoadsWithout, readPointers, setPointers } from '../../../state/catalog/ops/ops-pointers.ts';
import { CATALOG_POINTER, catalogKey } from '../bring-catalog.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { PointerTable } from './pointer-table.ts';

/** The relation whose pointer names the warehouse. */
const STORE = 'store';

/**
 * Records which warehouse owns the catalog and the location, so that no other warehouse uses them.
 *
 * @returns whether the location certainly belongs to this warehouse
 * @throws CrawlhouseError `bad_settings` if either belongs to another warehouse
 */
export async function checkStore(
  place: TrinoPlace,
  pointers: PointerTable,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { connection, catalog, prefix } = place;
  const known = pointers.published(STORE).get('');
  const id = known ?? (await pointers.settle(STORE, randomUUID(), signal));
  const [own] = await readPointers(connection, STORE);
  if (own === undefined ? (await countLoadsWithout(connection)) > 0 : own.load !== id)
    throw new CrawlhouseError(
      'bad_settings',
      `the state directory has units of another warehouse than ${catalog}.${prefix}raw in Trino`,
      {
        hint: 'set another state_dir; a run then starts from the published warehouse there, or from scratch',
      },
    );
  const isOurs = await ownLocation(
    place,
    { id, published: pointers.published(CATALOG_POINTER).get('') },
    signal,
  );
  if (own === undefined) await setPointers(connection, [{ relation: STORE, unit: '', load: id }]);
  return isOurs;
}

const OwnerNote = z.object({ id: z.string(), catalog: z.string(), prefix: z.string() });
const NOTE = 'warehouse.json';

/**
 * Records the owner in the warehouse's folder of the bucket. A folder without a note belongs to this warehouse if it is
 * empty, or contains the catalog that this warehouse has published.
 *
 * @param published the id of that catalog
 * @returns whether it certainly belongs to this warehouse; other warehouses do not touch what they have not created
 * @throws CrawlhouseError `bad_settings` if it belongs to another warehouse
 */
export async function ownLocation(
  { objects, bucket, folder, catalog, prefix, temporary }: TrinoPlace,
  { id, published }: { readonly id: string; readonly published: string | undefined },
  given: AbortSignal | undefined,
): Promise<boolean> {
  const signal = given ?? new AbortController().signal;
  const key = `${folder}/${NOTE}`;
  const note = await findObject(objects, key, signal);
  if (note !== undefined) {
    const owner = ownerOf(await objectText(objects, note, signal), note.url);
    if (owner.id === id) return true;
    throw new CrawlhouseError(
      'bad_settings',
      `s3://${bucket}/${folder} is the location of the warehouse ${owner.catalog}.${owner.prefix}raw, not of ${catalog}.${prefix}raw`,
      {
        hint: `set another location; if that warehouse no longer exists, remove its remaining objects, ${NOTE} last`,
      },
    );
  }
  const has = async (start: string): Promise<boolean> => {
    for await (const _object of objects.list(start, signal)) return true;
    return false;
  };
  const isOurs = published !== undefined && (await has(catalogKey(folder, published)));
  if (!isOurs && (await has(`${folder}/`))) return false;
  const file = join(temporary, `${randomUUID()}.json`);
  makeFolder(temporary);
  try {
    await writeFile(file, JSON.stringify({ id, catalog, prefix }));
    await objects.put(key, file, signal);
  } finally {
    await rm(file, { force: true });
  }
  return true;
}

/** @throws CrawlhouseError `bad_settings` if another program's object has that name */
function ownerOf(text: string, url: string): z.output<typeof OwnerNote> {
  try {
    return OwnerNote.parse(JSON.parse(text));
  } catch (cause) {
    throw new CrawlhouseError('bad_settings', `${url} does not name the warehouse`, {
      cause,
      hint: 'set another location, or remove this object if the location belongs to this warehouse',
    });
  }
}
