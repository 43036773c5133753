import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { withLowerMemory } from '../../../core/duckdb/lower-memory.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { LOADS_AGAIN } from '../../engines/count-queryable.ts';
import { unitFingerprints } from '../../state/catalog/fingerprint.ts';
import type { FreshUnit } from '../../state/catalog/ops/ops-loads.ts';

/** Share of `memory_limit`. The copy is read only once, but DuckDB would cache as much of it as the limit allows. */
export const MEMORY_SHARE = 0.5;

/**
 * Values (rows times columns) read at a time. Outside its limit, DuckDB keeps data about every row group that was read
 * since a file was attached. A first publication of 50 crawls read 1,100 million values and used 500 MB for this data.
 */
const VALUES_AT_ONCE = 300_000_000;

interface Comparison {
  /** Catalog name of the copy. */
  readonly catalog: string;
  readonly fresh: readonly FreshUnit[];
  /** The condition that the rows meet (`recentRows`). */
  readonly recent: (dataset: string) => string;
  readonly reopen: () => Promise<void>;
  readonly valuesAtOnce?: number;
  readonly signal: AbortSignal;
}

/**
 * Recomputes the fingerprints of units from their rows in the copy.
 *
 * @returns `damaged_warehouse` naming the first unit whose rows differ from its load; undefined if none does
 */
export async function compareFingerprints(
  connection: Connection,
  { catalog, fresh, recent, reopen, valuesAtOnce = VALUES_AT_ONCE, signal }: Comparison,
): Promise<CrawlhouseError | undefined> {
  // The copy was just opened.
  let read = 0;
  for (const [dataset, ofDataset] of Map.groupBy(fresh, (one) => one.dataset))
    for (const units of portions(ofDataset, valuesAtOnce)) {
      const values = units.reduce((sum, one) => sum + one.values, 0);
      if (read > 0 && read + values > valuesAtOnce) {
        await reopen();
        read = 0;
      }
      read += values;
      let different = units;
      let found = new Map<string, string>();
      for (const condition of [{ recent: recent(dataset) }, {}]) {
        const names = different.map(({ unit }) => unit);
        // Setting a limit also returns freed memory to the system.
        found = await withLowerMemory(connection, MEMORY_SHARE, () =>
          unitFingerprints(connection, catalog, { dataset, units: names, ...condition }, signal),
        );
        different = different.filter(({ unit, fingerprint }) => found.get(unit) !== fingerprint);
        if (different.length === 0) break;
      }
      for (const { unit, fingerprint } of different)
        return new CrawlhouseError(
          'damaged_warehouse',
          `${unit}: raw.${dataset} does not have the loaded rows (fingerprint ${fingerprint}, now ${found.get(unit)})`,
          { hint: LOADS_AGAIN },
        );
    }
  return undefined;
}

/** Divides units in order into portions of at most `most` values. A larger unit forms its own portion. */
function portions(units: readonly FreshUnit[], most: number): FreshUnit[][] {
  const all: FreshUnit[][] = [];
  let values = Number.POSITIVE_INFINITY;
  for (const unit of units) {
    values += unit.values;
    if (values > most) {
      all.push([]);
      values = unit.values;
    }
    all.at(-1)?.push(unit);
  }
  return all;
}
