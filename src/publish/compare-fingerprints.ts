import { type Connection, table } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import { unitFingerprints } from '../warehouse/fingerprint.ts';

/** A unit that was loaded since the last publication, with the fingerprint of what was loaded. */
export interface FreshUnit {
  readonly dataset: string;
  readonly unit: string;
  readonly fingerprint: string;
}

/** Units of a copy that are not published yet; without those of versions that took no fingerprint. */
export async function freshUnits(connection: Connection, catalog: string): Promise<FreshUnit[]> {
  const rows = await connection.rows(
    `SELECT dataset, unit, fingerprint FROM ${table(catalog, 'ops', 'loads')}
     WHERE queryable IS NULL AND fingerprint IS NOT NULL ORDER BY dataset, unit`,
  );
  return rows as unknown as FreshUnit[];
}

/**
 * Takes the fingerprints of units anew, from their rows in the copy.
 *
 * @throws CrawlhouseError `damaged_warehouse` naming the first unit whose rows are not those that were loaded
 */
export async function compareFingerprints(
  connection: Connection,
  catalog: string,
  fresh: readonly FreshUnit[],
  signal: AbortSignal,
): Promise<void> {
  for (const [dataset, units] of Map.groupBy(fresh, (one) => one.dataset)) {
    const names = units.map(({ unit }) => unit);
    const found = await unitFingerprints(connection, catalog, dataset, names, signal);
    for (const { unit, fingerprint } of units) {
      if (found.get(unit) === fingerprint) continue;
      throw new CrawlhouseError(
        'damaged_warehouse',
        `${unit}: raw.${dataset} does not hold the rows that were loaded (fingerprint ${fingerprint}, now ${found.get(unit)})`,
        { hint: 'the former publication stays; the unit is loaded again. Check disk and memory' },
      );
    }
  }
}
