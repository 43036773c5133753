import type { FieldRecord } from '../../client/resources/fields.ts';
import { type Connection, ident } from '../../core/duckdb/duckdb.ts';
import { type Column, columnsOf, SQL_TYPES } from '../fields/column.ts';
import { dimension, RANKING_FIELD_RECORDS } from '../fields/field-records-of.ts';
import { ServiceRows } from '../rows/service-rows.ts';

const SPECIFIED = ['url', 'query', 'date', 'device', 'clicks', 'impressions', 'position'];
/**
 * Ranking performance from added files: the specification's fields (api-spec.md §2.13), then crawlhouse's own fields. A
 * country may have any value. Rows of days and URLs have no `period_days`. Totals have `period_days`, the number of
 * their days, of which `date` is the last, and their dimensions in `totals_by`.
 */
const DEMAND_FIELD_RECORDS: readonly FieldRecord[] = [
  ...RANKING_FIELD_RECORDS.filter(({ name }) => SPECIFIED.includes(name)),
  dimension('country', 'string'),
  dimension('period_days', 'natural'),
  dimension('totals_by', 'string'),
  dimension('search_engine', 'string'),
  dimension('is_anonymized', 'bool'),
];

/** The columns of ranking performance that was added by files. */
export const DEMAND_COLUMNS: readonly Column[] = columnsOf(DEMAND_FIELD_RECORDS);
/** Columns of the table that are not served: the dimensions of a row's table, and its export. */
export const [BY, EXPORT] = ['_by', '_export'] as const;
/**
 * Columns of rows that were replaced or left out: the export that caused this, its place in the order, whether it
 * replaced a whole period, and whether `--keep` left the rows out, which any other cause overrides.
 */
export const [REPLACED_BY, REPLACED_AT, IS_WHOLE, IS_KEPT_OUT] = [
  '_replaced_by',
  '_replaced_at',
  '_is_whole',
  '_is_kept_out',
] as const;
/** The new rows, as they go into the table. */
export const [DETAILS, TOTALS] = ['demand_details', 'demand_totals'] as const;
/** New rows that are left out, with the export that has their place. */
export const LEFT_OUT = 'demand_left_out';

/** The tables of a project's search results: the rows, and the exports that they came with. */
export interface DemandTables {
  readonly projectId: string;
  readonly name: string;
  /** Quoted, as the next one. */
  readonly rows: string;
  readonly exports: string;
  /** The rows and exports that later exports replaced. They come back when the later ones are removed. */
  readonly replacedRows: string;
  readonly replacedExports: string;
}

export function demandTables(projectId: string): DemandTables {
  const name = `ranking_performance_${projectId}`;
  return {
    projectId,
    name,
    rows: ServiceRows.table(name),
    exports: ServiceRows.table(`demand_exports_${projectId}`),
    replacedRows: ServiceRows.table(`demand_replaced_rows_${projectId}`),
    replacedExports: ServiceRows.table(`demand_replaced_exports_${projectId}`),
  };
}

/** @param anew whether existing rows belong to a deleted project, or to a first export that was interrupted */
export async function makeDemandTables(
  connection: Connection,
  { rows, exports, replacedRows, replacedExports }: DemandTables,
  anew: boolean,
): Promise<void> {
  if (anew)
    for (const one of [rows, exports, replacedRows, replacedExports])
      await connection.run(`DROP TABLE IF EXISTS ${one}`);
  const columns = DEMAND_COLUMNS.map(({ id, kind }) => `${ident(id)} ${SQL_TYPES[kind]}`);
  const own = [BY, EXPORT].map((one) => `${ident(one)} VARCHAR`);
  await connection.run(`CREATE TABLE IF NOT EXISTS ${rows} (${[...columns, ...own].join(', ')})`);
  await connection.run(`CREATE TABLE IF NOT EXISTS ${exports} (hash VARCHAR PRIMARY KEY, summary VARCHAR)`);
  const how = `${REPLACED_BY} VARCHAR, ${REPLACED_AT} BIGINT`;
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${replacedRows} (${[...columns, ...own].join(', ')}, ${how}, ${IS_WHOLE} BOOLEAN)`,
  );
  await connection.run(`ALTER TABLE ${replacedRows} ADD COLUMN IF NOT EXISTS ${IS_KEPT_OUT} BOOLEAN`);
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${replacedExports} (hash VARCHAR, summary VARCHAR, ${how})`,
  );
}

export function idOf(name: string): string {
  const column = DEMAND_COLUMNS.find(({ field }) => field.name === name);
  if (column === undefined) throw new Error(`there is no field ${name}`);
  return column.id;
}
