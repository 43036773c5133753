import { z } from 'zod';
import { type Connection, table, text } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';

const SinceRow = z.strictObject({ dataset: z.string(), since: z.string() });

/**
 * Returns, by dataset, a condition that the rows of unpublished units meet, and few others. DuckDB knows the smallest
 * and the largest value of `_loaded_at` in each row group, and skips the groups of earlier loads. Of texts such as
 * `_unit`, it knows only eight characters, which all units of a dataset share.
 *
 * `ops.loads` is written after the rows, so the condition allows for a day. If a clock was set back further, the
 * condition misses rows. A count that does not match is therefore repeated without the condition. Lists of resources
 * keep records of earlier loads.
 */
export async function recentRows(
  connection: Connection,
  catalog: string,
): Promise<(dataset: string) => string> {
  const rows = typedRows(
    SinceRow,
    await connection.rows(
      `SELECT dataset, CAST(min(loaded_at) - INTERVAL 1 DAY AS VARCHAR) AS since
       FROM ${table(catalog, 'ops', 'loads')}
       WHERE queryable IS NULL AND dataset IN (
         SELECT table_name FROM duckdb_columns() WHERE database_name = $1 AND schema_name = 'raw'
         GROUP BY table_name HAVING bool_or(column_name = '_loaded_at') AND NOT bool_or(column_name = '_seen_to'))
       GROUP BY dataset HAVING count(*) = count(loaded_at)`,
      [catalog],
    ),
  );
  const since = new Map(rows.map((row) => [row.dataset, row.since]));
  return (dataset) => {
    const bound = since.get(dataset);
    return bound === undefined ? 'true' : `_loaded_at >= CAST(${text(bound)} AS TIMESTAMP WITH TIME ZONE)`;
  };
}
