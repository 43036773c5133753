import type { Connection } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import { unitFingerprints } from '../warehouse/fingerprint.ts';
import type { FreshUnit } from '../warehouse/ops-loads.ts';

/**
 * Computes the fingerprints of units again, from their rows in the copy.
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
