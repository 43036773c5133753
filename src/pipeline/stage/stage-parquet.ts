import { copyFile, link, rm } from 'node:fs/promises';
import { type Connection, ident, parquetFiles, text } from '../../core/duckdb/duckdb.ts';
import type { RawPart } from '../../project/model/raw-part.ts';
import { type Converted, needsInspection, PARQUET_OPTIONS } from './convert-part.ts';
import type { PackageColumns } from './package-columns.ts';
import {
  changedSql,
  isAsPackaged,
  parquetColumns,
  parquetConversions,
  refuseUnreadableText,
} from './parquet-reader.ts';
import { readPart } from './read-part.ts';
import { strictSql } from './value-sql.ts';

/**
 * Adds a Parquet file to the package. It is unchanged if its columns have the types of the service's schema, else it is
 * converted by the rules for text. Every value is read in both cases.
 *
 * @returns null when a value needs a closer look (`inspectPart`)
 * @throws CrawlhouseError `contract_broken` if the file does not have the requested fields
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
      const brokenChecks = conversions.map(changedSql).filter((check) => check !== null);
      const facts = await readPart(connection, part.path, named, { asked: columns, brokenChecks }, signal);
      if (!facts.broken) {
        await rm(output, { force: true });
        // A file system without links takes a copy.
        await link(part.path, output).catch(() => copyFile(part.path, output));
        return { rows: facts.rows, columns: named, facts };
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
