import { z } from 'zod';
import { ident, text } from '../../core/duckdb/duckdb.ts';
import type { Typed } from '../../core/text/typed-rows.ts';

/** A partition of a mirrored table: the values that distinguish its rows, in Hive's form. */
export interface MirrorPartition {
  /** With its schema: `raw.crawl_pages`. */
  readonly table: string;
  /** Columns and values, including NULL. Empty if the table is one partition. */
  readonly key: readonly (readonly [column: string, value: string | null])[];
  readonly rows: number;
  /** Hash of its rows, in any order. */
  readonly fingerprint: string;
}

export interface MirroredTable {
  /** With its schema: `raw.crawl_pages`. */
  readonly name: string;
  /** With DuckDB's types; `stored` is the type in the Parquet file, if different. */
  readonly columns: readonly { readonly name: string; readonly type: string; readonly stored?: string }[];
  /** The numbers of the fields in the Parquet file, as FIELD_IDS expects them. */
  readonly fieldIds?: string;
  /** The columns that distinguish its partitions; none if it is one partition. */
  readonly cut: readonly string[];
}

export interface MirrorSource {
  /** Returns the partitions of a table. An undivided table has one, even without rows. */
  partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]>;
  /** Writes a partition as Parquet, with all columns. Returns the number of its rows. */
  write(table: MirroredTable, partition: MirrorPartition, file: string, signal: AbortSignal): Promise<bigint>;
}

/** A partition's values are `k0`, `k1` and so on, as text. */
export const PartitionRow = z
  .strictObject({ n: z.bigint(), fingerprint: z.string().nullable() })
  .and(z.looseRecord(z.templateLiteral(['k', z.number()]), z.string().nullable()));
type PartitionRow = Typed<typeof PartitionRow>;

/** Returns SQL for both engines. */
export function selectPartitions({ cut }: MirroredTable, fingerprint: string, from: string): string {
  const keys = cut.map((name, index) => `CAST(${ident(name)} AS VARCHAR) AS k${index}`);
  const places = cut.map((_name, index) => index + 1).join(', ');
  return `SELECT ${[...keys, 'count(*) AS n', `${fingerprint} AS fingerprint`].join(', ')} FROM ${from} AS t
    ${places === '' ? '' : `GROUP BY ${places} ORDER BY ${places}`}`;
}

export function partitionsOf({ name, cut }: MirroredTable, rows: readonly PartitionRow[]): MirrorPartition[] {
  return rows.map((row) => ({
    table: name,
    key: cut.map((column, index) => [column, row[`k${index}`] ?? null] as const),
    rows: Number(row.n),
    fingerprint: row.fingerprint ?? '',
  }));
}

export function isKey(column: string, value: string): string {
  return `CAST(${ident(column)} AS VARCHAR) IS NOT DISTINCT FROM ${value}`;
}

export function all(conditions: readonly string[]): string {
  return conditions.length > 0 ? conditions.join(' AND ') : 'true';
}

/**
 * Writes rows as Parquet, including the key columns, because readers guess types from folder names. JSON becomes text,
 * because other readers treat DuckDB's JSON as bytes.
 *
 * @param from a relation with all columns of the table
 */
export function copyToParquet({ columns, fieldIds }: MirroredTable, from: string, file: string): string {
  const values = columns.map(({ name, type, stored = withoutJson(type) }) => {
    const column = ident(name);
    return stored === type ? column : `CAST(${column} AS ${stored}) AS ${column}`;
  });
  const ids = fieldIds === undefined ? '' : `, FIELD_IDS ${fieldIds}`;
  return `COPY (SELECT ${values.join(', ')} FROM ${from}) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd${ids})`;
}

function withoutJson(type: string): string {
  return /^JSON(\[\])*$/.test(type) ? type.replace('JSON', 'VARCHAR') : type;
}
