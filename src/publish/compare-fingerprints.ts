import type { Connection } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import { unitFingerprints } from '../warehouse/fingerprint.ts';
import type { FreshUnit } from '../warehouse/ops-loads.ts';

/**
 * Computes the fingerprints of units again, from their rows in the copy.
 *
 * @param recent the condition that their rows meet (`recentRows`)
 * @throws CrawlhouseError `damaged_warehouse` naming the first unit whose rows are not those that were loaded
 */
export async function compareFingerprints(
  connection: Connection,
  catalog: string,
  fresh: readonly FreshUnit[],
  recent: (dataset: string) => string,
  signal: AbortSignal,
): Promise<void> {
  for (const [dataset, units] of Map.groupBy(fresh, (one) => one.dataset)) {
    let different = units;
    let found = new Map<string, string>();
    for (const condition of [{ recent: recent(dataset) }, {}]) {
      const names = different.map(({ unit }) => unit);
      found = await unitFingerprints(connection, catalog, { dataset, units: names, ...condition }, signal);
      different = different.filter(({ unit, fingerprint }) => found.get(unit) !== fingerprint);
      if (different.length === 0) break;
    }
    for (const { unit, fingerprint } of different) {
      throw new CrawlhouseError(
        'damaged_warehouse',
        `${unit}: raw.${dataset} does not hold the rows that were loaded (fingerprint ${fingerprint}, now ${found.get(unit)})`,
        { hint: 'the former publication stays; the unit is loaded again. Check disk and memory' },
      );
    }
  }
}
