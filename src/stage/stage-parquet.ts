import { copyFile, link, rm } from 'node:fs/promises';
import { type Connection, ident, parquetFiles, text } from '../core/duckdb.ts';
import type { RawPart } from '../model/raw-part.ts';
import { type Converted, needsInspection, PARQUET_OPTIONS } from './convert-part.ts';
import type { PackageColumns } from './package-columns.ts';
import {
  isAsPackaged,
  parquetColumns,
  parquetConversions,
  readWhole,
  refuseUnreadableText,
} from './parquet-reader.ts';
import { strictSql } from './value-sql.ts';

/**
 * Takes a Parquet file into the package: as it stands where its columns have the types of the service's schema, else
 * converted, by the rules for text. Either way every value has been read.
 *
 * @returns null when a value needs a closer look (`inspectPart`)
 * @throws CrawlhouseError `contract_broken` when the file does not show the fields that were asked for
 */
export async function stageParquet(
  connection: Connection,
  part: RawPart,
  columns: PackageColumns,
  output: string,
  signal: AbortSignal,
): Promise<Converted | null> {
  const types = await parquetColumns(connection, part, signal);
  columns.refuseForeign([...types.keys()], part.file, true);
  columns.add([...types.keys()]);
  const named = columns.columns;
  const conversions = parquetConversions(types, columns);
  const values = conversions.map((one, index) => `${strictSql(one)} AS ${ident(named[index]?.column ?? '')}`);
  const select = `SELECT ${values.join(', ')} FROM ${parquetFiles([part.path])}`;
  try {
    if (isAsPackaged(types, named)) {
      const { rows, broken } = await readWhole(connection, part, conversions, signal);
      if (!broken) {
        await rm(output, { force: true });
        await link(part.path, output).catch(() => copyFile(part.path, output));
        return { rows, columns: named };
      }
    }
    const copy = `COPY (${select}) TO ${text(output)} (${PARQUET_OPTIONS})`;
    return { rows: Number(await connection.run(copy, [], signal)), columns: named };
  } catch (error) {
    if (signal.aborted || !needsInspection(error)) throw error;
    await refuseUnreadableText(connection, part, types, error, signal);
    return null;
  }
}
