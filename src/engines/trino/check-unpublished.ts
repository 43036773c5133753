import type { Connection } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { readPointers, setPointers } from '../../state/catalogue/ops-pointers.ts';
import type { PointerTable } from './pointer-table.ts';

/** The relation whose pointer, of the catalogue alone, has the token of the last writer with this catalogue. */
const WRITER = 'writer';

/**
 * Checks that the rows are there that the catalogue has of a former writer, and that nobody sees yet. Another writer that
 * has begun since may have removed them, or may be about to.
 *
 * @throws CrawlhouseError `damaged_warehouse`: the run takes a new working copy, and loads what it had loaded again
 */
export async function checkUnpublished(connection: Connection, pointers: PointerTable): Promise<void> {
  const known = await readPointers(connection);
  const former = known.find(({ relation }) => relation === WRITER)?.load;
  const hasUnpublished = known.some(
    ({ relation, unit, load }) =>
      relation.includes('.') && (pointers.published(relation).get(unit) ?? null) !== load,
  );
  if (hasUnpublished && former !== String(pointers.token - 1n))
    throw new CrawlhouseError(
      'damaged_warehouse',
      'the working copy has rows in Trino that were not published, and another process has written there since',
      { hint: 'run again: the run takes a new working copy, and loads the missing units again' },
    );
  await setPointers(connection, [{ relation: WRITER, unit: '', load: String(pointers.token) }]);
}
