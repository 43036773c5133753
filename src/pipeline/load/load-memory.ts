import type { Connection } from '../../core/duckdb/duckdb.ts';
import { withLowerMemory, withOneThread } from '../../core/duckdb/lower-memory.ts';
import type { Manifest } from '../../project/model/manifest.ts';

/** From so many columns on, the row groups of two threads do not fit into half of the limit (docs/decisions/warehouse.md). */
const MANY_COLUMNS = 50;
/** From so many on, they do not fit into all of it. */
const WIDE_COLUMNS = 200;

/**
 * Runs the INSERT of a package with memory and threads that keep the process below its ceiling and DuckDB from
 * spilling. Parquet files of the service, whose row groups are larger than ours, need more (docs/decisions/warehouse.md).
 */
export async function withLoadMemory<T>(
  connection: Connection,
  { columns, source }: Pick<Manifest, 'columns' | 'source'>,
  load: () => Promise<T>,
): Promise<T> {
  const isWide = columns.length > WIDE_COLUMNS;
  const isForeign = source.format === 'parquet';
  const onOneThread = isWide || (isForeign && columns.length > MANY_COLUMNS);
  const share = isWide ? 0.6 : columns.length > MANY_COLUMNS && !onOneThread ? 0.75 : 0.5;
  const loadWithin = (): Promise<T> => withLowerMemory(connection, share, load);
  return onOneThread ? withOneThread(connection, loadWithin) : loadWithin();
}
