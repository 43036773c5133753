import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import type { RelationNames } from '../client/relation-names.ts';
import type { TrinoPlace } from '../trino-place.ts';
import type { PointerTable } from './pointer-table.ts';
import { vacuumRows } from './vacuum-rows.ts';

const EVERY_MS = 24 * 3600 * 1000;
/** Queries that have begun keep what they read for so long. */
const GRACE = '7d';

/** Removes once a day what nobody sees any more. The first day of a state directory only begins to count. */
export async function vacuumAtTimes(
  { client, catalog, temporary }: TrinoPlace,
  names: RelationNames,
  pointers: PointerTable,
  signal: AbortSignal | undefined,
): Promise<void> {
  const note = join(temporary, 'tidied');
  const last = statSync(note, { throwIfNoEntry: false })?.mtimeMs;
  if (last !== undefined && Date.now() - last < EVERY_MS) return;
  if (last !== undefined) {
    const tables = await pointers.rows<{ table_name: string }>(names.storedTables, signal);
    const relations = tables
      .map(({ table_name }) => table_name.replace('_', '.'))
      .filter((relation) => relation.includes('.'));
    const check = (own?: AbortSignal): Promise<void> => pointers.check(own);
    await vacuumRows({ client, catalog, names, relations, grace: GRACE, check }, signal);
  }
  makeFolder(temporary);
  await writeFileAtomic(note, '');
}
