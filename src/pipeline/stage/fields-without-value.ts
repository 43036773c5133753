import { type Connection, file, ident, parquetFiles } from '../../core/duckdb/duckdb.ts';
import type { PackageColumn } from '../../project/model/manifest.ts';

/** The fields whose columns are NULL in every row. Most are answered by the statistics of the files. */
export async function fieldsWithoutValue(
  connection: Connection,
  paths: readonly string[],
  columns: readonly PackageColumn[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (columns.length === 0) return new Set();
  const rows = await connection.rows<{ path: string }>(
    `SELECT DISTINCT path_in_schema AS path FROM parquet_metadata([${paths.map(file).join(', ')}])
     WHERE stats_null_count < num_values`,
    [],
    signal,
  );
  const shown = new Set(rows.map(({ path }) => path));
  const doubtful = columns.filter(({ column }) => !shown.has(column));
  if (doubtful.length === 0) return new Set();
  const counts = doubtful.map(({ column }, index) => `count(${ident(column)}) AS n${index}`).join(', ');
  const [values] = await connection.rows(
    `SELECT ${counts} FROM ${parquetFiles(paths, { unionByName: true })}`,
    [],
    signal,
  );
  return new Set(doubtful.filter((_column, index) => values?.[`n${index}`] === 0n).map(({ field }) => field));
}
