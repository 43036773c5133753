import { type Connection, ident, text } from '../core/duckdb.ts';
import type { PackageColumn } from '../model/manifest.ts';
import type { RawPart } from '../model/raw-part.ts';
import { strictSql } from './value-sql.ts';

/** Names and DuckDB types of a Parquet file's columns, in their order. */
export async function parquetColumns(
  connection: Connection,
  part: RawPart,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.rows<{ column_name: string; column_type: string }>(
    `DESCRIBE SELECT * FROM read_parquet(${text(part.path)})`,
    [],
    signal,
  );
  return new Map(rows.map((row) => [row.column_name, row.column_type]));
}

/** Has the file the package's columns, each in its type and under its name? */
export function isAsPackaged(types: ReadonlyMap<string, string>, columns: readonly PackageColumn[]): boolean {
  return (
    types.size === columns.length &&
    columns.every(({ field, column, sql_type }) => field === column && types.get(field) === sql_type)
  );
}

/** Reads every value of the file, so that a broken page is found now; the number of its rows. */
export async function readWhole(
  connection: Connection,
  part: RawPart,
  types: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<number> {
  const values = [...types.keys()].map((name) => `bit_xor(hash(${ident(name)}))`);
  const [row] = await connection.rows<{ rows: bigint }>(
    `SELECT count(*) AS rows, [${values.join(', ')}] AS read FROM read_parquet(${text(part.path)})`,
    [],
    signal,
  );
  return Number(row?.rows ?? 0n);
}

/** SQL of the typed value of a column: as it stands, or by way of its text, held to the same rules as a CSV's. */
export function parquetValueSql(
  { field, type, arity, sql_type }: PackageColumn,
  types: ReadonlyMap<string, string>,
  widened: boolean,
  source: string,
): string {
  const own = types.get(field);
  if (own === undefined) return `CAST(NULL AS ${sql_type})`;
  if (own === sql_type) return ident(field);
  return strictSql({ field: { name: field, type, arity }, source, format: 'csv', widened });
}

/** SQL of a value's text, as a CSV would have it. */
export function parquetTextSql(name: string, type: string): string {
  const source = ident(name);
  if (type === 'VARCHAR') return source;
  if (type.startsWith('TIMESTAMP')) {
    const utc = type === 'TIMESTAMP WITH TIME ZONE' ? `timezone('UTC', ${source})` : source;
    return `strftime(${utc}, '%Y/%m/%d %H:%M:%S UTC')`;
  }
  const nested = type.endsWith(']') || /^(STRUCT|MAP|UNION)/.test(type);
  return nested ? `CAST(to_json(${source}) AS VARCHAR)` : `CAST(${source} AS VARCHAR)`;
}

/** A table expression with the text of every column under `t<n>`, beside the columns themselves. */
export function parquetTexts(part: RawPart, types: ReadonlyMap<string, string>): string {
  const texts = [...types].map(([name, type], index) => `${parquetTextSql(name, type)} AS t${index}`);
  return `(SELECT *, ${texts.join(', ')} FROM read_parquet(${text(part.path)}, file_row_number = true))`;
}
