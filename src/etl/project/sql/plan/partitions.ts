import { z } from 'zod';
import { type Connection, ident, type Row, text } from '../../../../core/duckdb/duckdb.ts';
import { withoutEnd } from '../../../../core/duckdb/sql-tokens.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { PlannedModel } from './plan-models.ts';

const PartitionKey = z.strictObject({ partition_key: z.string() });

export interface PartitionedModel {
  readonly name: string;
  readonly by: readonly string[];
  readonly partitions: string;
  readonly types: ReadonlyMap<string, string>;
  /** The columns of `partitions`, with their types. */
  readonly made: ReadonlyMap<string, string>;
  /** The engine's fastest condition on several values; IN by default. */
  readonly oneOf?: OneOf;
}

/** Returns a model with the SELECT of its partitions; undefined for one that is built as a whole. */
export function partitionedModel(planned: PlannedModel): PartitionedModel | undefined {
  const { model, partitions, outputs: types, partitionColumns: made } = planned;
  if (!model.incremental || partitions === null) return undefined;
  return { name: model.name, by: model.incremental.by, partitions, types, made };
}

/** Returns the keys of the partitions that a model should have. */
export async function presentPartitions(
  connection: Connection,
  partitioned: PartitionedModel,
): Promise<string[]> {
  const rows = typedRows(
    PartitionKey,
    await connection.rows(
      `SELECT partition_key FROM (${currentPartitions(partitioned)}) ORDER BY partition_key`,
    ),
  );
  return rows.map((row) => row.partition_key);
}

/** Returns SQL that is true where a column has one of several values, which are SQL too. */
export type OneOf = (column: string, values: readonly string[]) => string;

const inValues: OneOf = (column, values) => `${column} IN (${values.join(', ')})`;

const literalOf = (types: PartitionedModel['types'], column: string, value: string): string =>
  `CAST(${text(value)} AS ${types.get(column)})`;

/**
 * Returns a semi join that keeps the rows of these partitions, for rows named `made`. Unlike a condition, no engine
 * moves a semi join into a subquery.
 */
export function semiJoinPartitions({ by, types }: PartitionedModel, partitions: readonly string[]): string {
  const rows = partitions.map((key) => {
    const values = JSON.parse(key) as (string | null)[];
    return `(${by.map((column, index) => (values[index] == null ? `CAST(NULL AS ${types.get(column)})` : literalOf(types, column, values[index]))).join(', ')})`;
  });
  const names = by.map((column) => ident(column));
  const equal = names.map((name) => `made.${name} IS NOT DISTINCT FROM asked.${name}`);
  return `SEMI JOIN (VALUES ${rows.join(', ')}) AS asked(${names.join(', ')}) ON ${equal.join(' AND ')}`;
}

/**
 * Returns a condition that holds for the rows of these partitions. The condition also compares each column by itself,
 * because DuckDB pushes such a condition down to the scans, which then skip the rows of other partitions.
 */
export function inPartitions(
  { by, types, oneOf = inValues }: PartitionedModel,
  partitions: readonly string[],
): string {
  const keys = partitions.map((key) => JSON.parse(key) as (string | null)[]);
  if (keys.length === 0) return 'false';
  const literal = (column: string, value: string): string => literalOf(types, column, value);
  const each = by.map((column, index) => {
    const values = [...new Set(keys.map((key) => key[index] ?? null))];
    const present = values.filter((value) => value !== null).map((value) => literal(column, value));
    const found = present.length > 0 ? oneOf(ident(column), present) : 'false';
    return values.includes(null) ? `(${found} OR ${ident(column)} IS NULL)` : found;
  });
  if (by.length === 1) return each.join('');
  const together = keys.map((key) =>
    by
      .map((column, index) => {
        const value = key[index] ?? null;
        return value === null ? `${ident(column)} IS NULL` : `${ident(column)} = ${literal(column, value)}`;
      })
      .join(' AND '),
  );
  return [...each, `(${together.join(' OR ')})`].join(' AND ');
}

/**
 * Returns a condition on a table with these columns. It is true at least for the rows that the partitions are built
 * from.
 */
export async function withinPartitions(
  connection: Connection,
  partitioned: PartitionedModel,
  columns: readonly string[],
  partitions: readonly string[],
): Promise<string> {
  const { by, types, made } = partitioned;
  const isKey = (column: string): boolean => by.includes(column) && types.get(column) === made.get(column);
  const part = (key: string, column: string): unknown => JSON.parse(key)[by.indexOf(column)];
  const rows = columns.every(isKey)
    ? partitions.map((key) => Object.fromEntries(columns.map((column) => [column, part(key, column)])))
    : await madeFrom(connection, partitioned, columns, partitions);
  const keys = (column: string): string[] => rows.map((row) => JSON.stringify([row[column]]));
  return columns
    .map((column) => inPartitions({ ...partitioned, by: [column], types: made }, keys(column)))
    .join(' AND ');
}

/** Returns the values of the columns besides those of the key. */
function madeFrom(
  connection: Connection,
  partitioned: PartitionedModel,
  columns: readonly string[],
  partitions: readonly string[],
): Promise<readonly Row[]> {
  const texts = columns.map((column) => `CAST(${ident(column)} AS VARCHAR) AS ${ident(column)}`).join(', ');
  return connection.rows(
    `SELECT DISTINCT ${texts} FROM (${withoutEnd(partitioned.partitions)}\n) AS made WHERE ${inPartitions(partitioned, partitions)} ORDER BY ALL`,
  );
}

/** Returns a SELECT of the partitions that a model should have: keys, and stamps that change with their sources. */
export function currentPartitions({ by, partitions, types }: PartitionedModel): string {
  const key = by.map((column) => `CAST(CAST(made.${ident(column)} AS ${types.get(column)}) AS VARCHAR)`);
  return `SELECT to_json([${key.join(', ')}])::VARCHAR AS partition_key,
      md5(string_agg(to_json(made)::VARCHAR, chr(10) ORDER BY to_json(made)::VARCHAR)) AS stamp
    FROM (${withoutEnd(partitions)}\n) AS made GROUP BY partition_key`;
}
