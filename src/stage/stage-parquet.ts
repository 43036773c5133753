import { copyFile, link, rm } from 'node:fs/promises';
import { type Connection, ident, text } from '../core/duckdb.ts';
import type { RawPart } from '../model/raw-part.ts';
import { type Converted, needsInspection, PARQUET_OPTIONS } from './convert-part.ts';
import type { PackageColumns } from './package-columns.ts';
import { isAsPackaged, parquetColumns, parquetTexts, parquetValueSql, readWhole } from './parquet-reader.ts';

/**
 * Takes a Parquet file into the package: as it stands where its columns have the types of the service's schema, else
 * converted, by the rules for text. Either way every value has been read.
 *
 * @returns null when a value needs a closer look (`inspectPart`)
 */
export async function stageParquet(
  connection: Connection,
  part: RawPart,
  columns: PackageColumns,
  output: string,
  signal: AbortSignal,
): Promise<Converted | null> {
  const types = await parquetColumns(connection, part, signal);
  columns.add([...types.keys()]);
  const named = columns.columns;
  if (isAsPackaged(types, named)) {
    const rows = await readWhole(connection, part, types, signal);
    await rm(output, { force: true });
    await link(part.path, output).catch(() => copyFile(part.path, output));
    return { rows, columns: named };
  }
  const sources = new Map([...types.keys()].map((name, index) => [name, `t${index}`]));
  const values = named.map((column) => {
    const value = parquetValueSql(
      column,
      types,
      columns.isWidened(column.field),
      sources.get(column.field) ?? '',
    );
    return `${value} AS ${ident(column.column)}`;
  });
  const select = `SELECT ${values.join(', ')} FROM ${parquetTexts(part, types)}`;
  try {
    const copy = `COPY (${select}) TO ${text(output)} (${PARQUET_OPTIONS})`;
    return { rows: Number(await connection.run(copy, [], signal)), columns: named };
  } catch (error) {
    if (signal.aborted || !needsInspection(error)) throw error;
    return null;
  }
}
