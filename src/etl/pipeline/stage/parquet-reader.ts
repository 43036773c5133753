import { copyFile, link, rm } from 'node:fs/promises';
import { type Connection, ident, parquetFiles } from '../../../core/duckdb/duckdb.ts';
import { describeColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Part } from '../../project/model/download.ts';
import { typeFamily } from '../../project/model/field.ts';
import type { PackageColumn } from '../../project/model/manifest.ts';
import { needsInspection } from './convert-part.ts';
import type { PackageColumns } from './package-columns.ts';
import { hashSql, type PartFacts, readPart, writePart } from './package-part.ts';
import { brokenSql, type Conversion, strictSql, valueSql } from './value-sql.ts';

/** Returns names and DuckDB types of a Parquet file's columns, in their order. */
export async function parquetColumns(
  connection: Connection,
  part: Part,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const rows = await describeColumns(connection, `SELECT * FROM ${parquetFiles([part.path])}`, signal);
  return new Map(rows.map((row) => [row.column_name, row.column_type]));
}

/** Returns the conversions from a Parquet file to the columns of a package. */
function parquetConversions(
  types: ReadonlyMap<string, string>,
  columns: PackageColumns,
): readonly Conversion[] {
  return columns.fields.map((field) => ({
    field,
    source: field.name,
    format: 'parquet',
    widened: columns.isWidened(field.name),
    numbers: 'sent',
    type: types.get(field.name),
  }));
}

/** Returns whether the file has the package's columns, each in its type and under its name. */
function isAsPackaged(types: ReadonlyMap<string, string>, columns: readonly PackageColumn[]): boolean {
  return (
    types.size === columns.length &&
    columns.every(({ field, column, sql_type }) => field === column && types.get(field) === sql_type)
  );
}

/** Returns SQL that is true where the value in the file differs from the package's; null if it never does. */
function changedSql(conversion: Conversion): string | null {
  const { type, arity } = conversion.field;
  const source = ident(conversion.source);
  // A single value of arity many becomes an array.
  return typeFamily(type) === 'json' && arity === 'many'
    ? `(${source} IS NOT NULL AND ${source} IS DISTINCT FROM ${valueSql(conversion)})`
    : brokenSql(conversion);
}

/**
 * Refuses a file with a text column whose bytes are not UTF-8. DuckDB cannot read any value of such a column, so no
 * single row can be rejected.
 */
async function refuseUnreadableText(
  connection: Connection,
  part: Part,
  types: ReadonlyMap<string, string>,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const value = UNREADABLE.exec(String(error))?.[1];
  if (value === undefined) return;
  const isUnreadable = async (name: string): Promise<boolean> => {
    const read = `SELECT bit_xor(hash(${ident(name)})) FROM ${parquetFiles([part.path])}`;
    return connection.run(read, [], signal).then(
      () => false,
      (cause) => UNREADABLE.test(String(cause)),
    );
  };
  const names: string[] = [];
  for (const name of types.keys()) if (await isUnreadable(name)) names.push(name);
  throw new CrawlhouseError(
    'rejected_values',
    `${part.file}: text in ${names.join(', ')} contains bytes that are not UTF-8: "${value.slice(0, SHOWN)}"`,
    { hint: 'use the csv or json format, which rejects only these rows', cause: error },
  );
}

const UNREADABLE = /Invalid string encoding found in Parquet file.*: value "(.*)" is not valid UTF8/s;
/** Maximum characters of a broken value in a message. */
const SHOWN = 200;

/**
 * Adds a Parquet file to the package. The file is not converted if its column types match the service's schema.
 * Otherwise, the file is converted with the rules for text. In both cases, every value is read.
 *
 * @returns null when a value needs a closer look (`inspectPart`)
 * @throws CrawlhouseError `contract_broken` if the file does not have the requested fields
 */
export async function stageParquet(
  connection: Connection,
  part: Part,
  columns: PackageColumns,
  output: string,
  signal: AbortSignal,
): Promise<PartFacts | null> {
  const types = await parquetColumns(connection, part, signal);
  columns.refuseForeign([...types.keys()], part.file, true);
  columns.add([...types.keys()]);
  const named = columns.columns;
  const conversions = parquetConversions(types, columns);
  const values = conversions.map(
    (conversion, index) => `${strictSql(conversion)} AS ${ident(named[index]?.column ?? '')}`,
  );
  const select = `SELECT ${values.join(', ')} FROM ${parquetFiles([part.path])}`;
  try {
    if (isAsPackaged(types, named)) {
      const brokenChecks = conversions.map(changedSql).filter((check) => check !== null);
      const facts = await readPart(
        connection,
        part.path,
        named,
        { hash: hashSql(named, { asked: columns }), brokenChecks },
        signal,
      );
      if (!facts.broken) {
        await rm(output, { force: true });
        // A file system without links gets a copy.
        await link(part.path, output).catch(() => copyFile(part.path, output));
        return facts;
      }
    }
    return await writePart(connection, select, named, { output, asked: columns }, signal);
  } catch (error) {
    if (signal.aborted || !needsInspection(error)) throw error;
    await refuseUnreadableText(connection, part, types, error, signal);
    return null;
  }
}
