import { randomUUID } from 'node:crypto';
import { CrawlhouseError } from '../../core/errors.ts';
import { countLoadsWithout, readPointers, setPointers } from '../ops-pointers.ts';
import { literal } from './literal.ts';
import type { PointerTable } from './pointer-table.ts';
import type { RelationNames } from './relation-names.ts';
import type { TrinoPlace } from './trino-place.ts';

/** The relation whose pointer names the warehouse. */
const STORE = 'store';

/**
 * Notes which warehouse the catalogue is of, so that it is never taken for that of another one.
 *
 * @throws CrawlhouseError `bad_settings` where it is of another one
 */
export async function checkStore(
  { connection, catalog, prefix }: TrinoPlace,
  names: RelationNames,
  pointers: PointerTable,
  signal: AbortSignal | undefined,
): Promise<void> {
  let id = pointers.published(STORE).get('');
  if (id === undefined) {
    id = randomUUID();
    const row = [0n, 0n, STORE, '', id].map(literal).join(', ');
    await pointers.run(`INSERT INTO ${names.visible} VALUES (${row})`, signal);
  }
  const [own] = await readPointers(connection, STORE);
  if (own?.load === id) return;
  if (own === undefined && (await countLoadsWithout(connection)) === 0)
    return setPointers(connection, [{ relation: STORE, unit: '', load: id }]);
  throw new CrawlhouseError(
    'bad_settings',
    `the state directory has units of another warehouse than ${catalog}.${prefix}raw in Trino`,
    { hint: 'set another state_dir: a run then takes what is published there, or begins anew' },
  );
}
