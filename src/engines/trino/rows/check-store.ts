import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { countLoadsWithout, readPointers, setPointers } from '../../../state/catalogue/ops/ops-pointers.ts';
import { findObject } from '../../../stores/list-objects.ts';
import { objectText } from '../../../stores/read-object.ts';
import { CATALOGUE, catalogueKey } from '../bring-catalogue.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { PointerTable } from './pointer-table.ts';

/** The relation whose pointer names the warehouse. */
const STORE = 'store';

/**
 * Records which warehouse owns the catalogue and the location, so that no other one uses them.
 *
 * @returns whether the location is surely this warehouse's
 * @throws CrawlhouseError `bad_settings` where either is of another one
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
      { hint: 'set another state_dir: a run then takes what is published there, or begins anew' },
    );
  const isOurs = await ownLocation(place, { id, published: pointers.published(CATALOGUE).get('') }, signal);
  if (own === undefined) await setPointers(connection, [{ relation: STORE, unit: '', load: id }]);
  return isOurs;
}

const OwnerNote = z.object({ id: z.string(), catalog: z.string(), prefix: z.string() });
const NOTE = 'warehouse.json';

/**
 * Notes in the warehouse's folder of the bucket whose it is. A folder without a note is this warehouse's if it has
 * nothing yet, or the catalogue that this warehouse has published.
 *
 * @param published the id of that catalogue
 * @returns whether it is surely this warehouse's; others leave alone what they have not made
 * @throws CrawlhouseError `bad_settings` where it is another one's
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
        hint: `set another location; if that warehouse is gone, remove what it has left there, ${NOTE} last`,
      },
    );
  }
  const has = async (start: string): Promise<boolean> => {
    for await (const _object of objects.list(start, signal)) return true;
    return false;
  };
  const isOurs = published !== undefined && (await has(catalogueKey(folder, published)));
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

/** @throws CrawlhouseError `bad_settings` where somebody else's object has that name */
function ownerOf(text: string, url: string): z.output<typeof OwnerNote> {
  try {
    return OwnerNote.parse(JSON.parse(text));
  } catch (cause) {
    throw new CrawlhouseError('bad_settings', `${url} does not say whose warehouse this is`, {
      cause,
      hint: "set another location, or remove that object if the location is this warehouse's",
    });
  }
}
