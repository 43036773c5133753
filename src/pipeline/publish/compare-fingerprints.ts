import type { Connection } from '../../core/duckdb/duckdb.ts';
import { withLowerMemory } from '../../core/duckdb/lower-memory.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { unitFingerprints } from '../../state/catalogue/fingerprint.ts';
import type { FreshUnit } from '../../state/catalogue/ops/ops-loads.ts';

/** Of `memory_limit`. The copy is read once: DuckDB would keep as much of it as it may. */
export const MEMORY_SHARE = 0.5;

/**
 * Values (rows times columns) that are read at once. DuckDB keeps data about every row group that was read since a file
 * was attached, outside its limit. A first publication of 50 crawls read 1,100 million values, and took 500 MB for them.
 */
const VALUES_AT_ONCE = 300_000_000;

interface Comparison {
  /** Of the copy. */
  readonly catalog: string;
  readonly fresh: readonly FreshUnit[];
  /** The condition that their rows meet (`recentRows`). */
  readonly recent: (dataset: string) => string;
  readonly reopen: () => Promise<void>;
  readonly valuesAtOnce?: number;
  readonly signal: AbortSignal;
}

/**
 * Computes the fingerprints of units again, from their rows in the copy.
 *
 * @returns `damaged_warehouse` naming the first unit whose rows are not those that were loaded; undefined: all are
 */
export async function compareFingerprints(
  connection: Connection,
  { catalog, fresh, recent, reopen, valuesAtOnce = VALUES_AT_ONCE, signal }: Comparison,
): Promise<CrawlhouseError | undefined> {
  // The copy was opened just now.
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
        // Setting a limit also gives freed memory back to the system.
        found = await withLowerMemory(connection, MEMORY_SHARE, () =>
          unitFingerprints(connection, catalog, { dataset, units: names, ...condition }, signal),
        );
        different = different.filter(({ unit, fingerprint }) => found.get(unit) !== fingerprint);
        if (different.length === 0) break;
      }
      for (const { unit, fingerprint } of different)
        return new CrawlhouseError(
          'damaged_warehouse',
          `${unit}: raw.${dataset} does not hold the rows that were loaded (fingerprint ${fingerprint}, now ${found.get(unit)})`,
          { hint: 'the former publication stays; the unit is loaded again. Check disk and memory' },
        );
    }
  return undefined;
}

/** Divides units in their order, so that those of one portion have at most so many values, or are one. */
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
