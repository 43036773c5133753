import { randomUUID } from 'node:crypto';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { countLoadsWithout, readPointers, setPointers } from '../../../state/catalogue/ops/ops-pointers.ts';
import { CATALOGUE } from '../bring-catalogue.ts';
import type { TrinoPlace } from '../trino-place.ts';
import { ownLocation } from './own-location.ts';
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
