import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { findObject } from '../../../stores/list-objects.ts';
import { objectText } from '../../../stores/read-object.ts';
import { catalogueKey } from '../bring-catalogue.ts';
import type { TrinoPlace } from '../trino-place.ts';

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
