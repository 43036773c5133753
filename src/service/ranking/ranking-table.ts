import { z } from 'zod';
import type { Oql } from '../../client/oql/oql.ts';
import {
  RANKING_METHOD_FIELDS,
  type RankingMethod,
  type RankingQuery,
} from '../../client/resources/ranking-performance.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import { type Column, isMany } from '../fields/column.ts';
import { checkOql } from '../oql/check-oql.ts';
import { type Compiled, compileOql } from '../oql/compile-oql.ts';
import { invalidParameter } from '../resources/refusal.ts';
import type { Resources, StoredDataset } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { jsonCell } from '../rows/cell-sql.ts';
import { sourceOf } from '../rows/dataset-query.ts';

const LineRow = z.strictObject({ line: z.string() });

const HOUR = 3_600_000;
const DEFAULT_RANKING_QUOTA = 2_000_000_000;

export const DATE_FIELD = 'date';
/** The column of an aggregate without a metric. */
const COUNT_ALIAS = 'count';

/** A ranking query, checked against the fields and ready to run: a table of buckets and metrics in a total order. */
export interface RankingTable {
  /** The buckets, then the metrics. */
  readonly columns: readonly Column[];
  /** SELECT with its ORDER BY, without paging. */
  readonly sql: string;
  readonly values: readonly string[];
  /** Regular expressions that must still be checked, with their places in the request. */
  readonly patterns: Compiled['patterns'];
  readonly oql: Oql | undefined;
  /** Counts the rows and the days that have to be read: all rows of the days that match the filter. */
  readonly touched: { readonly sql: string; readonly values: readonly string[] };
}

/**
 * @param path the place of the query in the request, such as `aggs[0]`
 * @throws Refusal for a query that the fields do not allow
 */
export function rankingTable(
  dataset: StoredDataset,
  query: z.output<typeof RankingQuery>,
  path: string,
): RankingTable {
  const columns = new Map(dataset.columns.map((column) => [column.field.name, column]));
  const buckets = bucketsOf(query, columns, path);
  const metrics = metricsOf(query, columns, path);
  const made = [...buckets, ...metrics.map((metric) => metric.column)];
  refuseDuplicates(made, buckets.length, path);

  const oql = query.oql ? checkOql(query.oql, columns, `${path}.oql`) : undefined;
  const condition = compileOql(oql, columns);
  const aliases = new Map(metrics.map(({ column }) => [column.field.name, column]));
  const after = query.post_aggs_oql
    ? checkOql(query.post_aggs_oql, aliases, `${path}.post_aggs_oql`)
    : undefined;
  const having = compileOql(after, aliases);

  const source = sourceOf(dataset);
  const keys = buckets.map((column) => column.id);
  const cells = [...keys, ...metrics.map(({ sql, column }) => `${sql} AS ${column.id}`)];
  const groupBy = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`;
  const grouped = `SELECT ${cells.join(', ')} FROM ${source} WHERE ${condition.sql} ${groupBy}`;
  const order = orderOf(query, made, keys, path);
  const scope = compileOql(oql && scopeOfDates(oql, DATE_FIELD), columns);
  const date = columns.get(DATE_FIELD);
  return {
    columns: made,
    sql: `SELECT * FROM (${grouped}) WHERE ${renumbered(having.sql, condition.values.length)} ${order}`,
    values: [...condition.values, ...having.values],
    patterns: [...patternsUnder(`${path}.oql`, condition), ...patternsUnder(`${path}.post_aggs_oql`, having)],
    oql,
    touched: {
      sql: `SELECT count(*) AS rows, ${date ? `count(DISTINCT ${date.id})` : '1'} AS days FROM ${source} WHERE ${scope.sql}`,
      values: scope.values,
    },
  };
}

type Query = z.output<typeof RankingQuery>;

function bucketsOf({ fields = [] }: Query, columns: ReadonlyMap<string, Column>, path: string): Column[] {
  return fields.map((field, index) => {
    const name = typeof field === 'string' ? field : field.name;
    const at = `${path}.fields[${index}]`;
    const column = columns.get(name);
    if (column === undefined)
      throw invalidParameter(at, 'unknown_field', `there is no field ${JSON.stringify(name)}`);
    if (column.field.agg_dimension === false || isMany(column))
      throw invalidParameter(at, 'not_a_dimension', `${name} can't be a bucket`);
    return column;
  });
}

function metricsOf({ value }: Query, columns: ReadonlyMap<string, Column>, path: string): RankingMetric[] {
  if (value === undefined || value.length === 0)
    return [{ sql: 'count(*)', column: made(COUNT_ALIAS, 0, 'int') }];
  return value.map((one, index) => metricOf(one, index, columns, `${path}.value[${index}]`));
}

/** Refuses repeated column names, because `sort` and the response identify a column by its name. */
function refuseDuplicates(made: readonly Column[], buckets: number, path: string): void {
  const names = made.map((column) => column.field.name);
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return;
    const at = index < buckets ? `fields[${index}]` : `value[${index - buckets}].alias`;
    throw invalidParameter(`${path}.${at}`, 'duplicate', `${name} is the name of another column`);
  });
}

/** Returns the order of the rows. Buckets, which are unique per row, break ties, so that pages never overlap. */
function orderOf(
  { sort = [] }: Query,
  made: readonly Column[],
  keys: readonly string[],
  path: string,
): string {
  const wanted = Array.isArray(sort) ? sort : [sort];
  const terms = wanted.map(({ field, order }, index) => {
    const column = made.find((one) => one.field.name === field);
    const at = Array.isArray(sort) ? `${path}.sort[${index}].field` : `${path}.sort.field`;
    if (column === undefined)
      throw invalidParameter(at, 'unknown_field', `${field} is no bucket and no alias of this query`);
    return `${column.id} ${order.toUpperCase()} NULLS LAST`;
  });
  const all = [...terms, ...keys.map((key) => `${key} ASC NULLS LAST`)];
  return all.length === 0 ? '' : `ORDER BY ${all.join(', ')}`;
}

function patternsUnder(path: string, { patterns }: Compiled): Compiled['patterns'] {
  return patterns.map((pattern) => ({ ...pattern, path: pattern.path.replace(/^oql/, path) }));
}

/** Renumbers the bound values of a second condition, which follow those of the first. */
function renumbered(sql: string, by: number): string {
  return sql.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + by}`);
}

/** Returns one table of the response as JSON text; SQL makes the rows, so that no number passes through JavaScript. */
export async function aggregateRanking(
  connection: Connection,
  { columns, sql, values }: RankingTable,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<string> {
  const cells = columns.map(jsonCell).join(", ',', ");
  const line = `SELECT concat('[', ${cells}, ']') AS line FROM (${sql} LIMIT ${limit} OFFSET ${offset})`;
  const rows = typedRows(LineRow, await connection.rows(line, values));
  const cols = columns.map((column) => column.field.name);
  return `{"cols":${JSON.stringify(cols)},"rows":[${rows.map((row) => row.line).join(',')}]}`;
}

/** Returns the rows that have to be read for a query, and their days. */
export async function touchedBy(
  connection: Connection,
  { touched }: RankingTable,
): Promise<{ readonly rows: number; readonly days: number }> {
  const [found] = await connection.rows(touched.sql, touched.values);
  return { rows: Number(found?.rows ?? 0), days: Number(found?.days ?? 0) };
}

/**
 * Returns the part of a filter that concerns days, with every other leaf treated as true. No node negates, so these
 * days include every row of the filter.
 */
function scopeOfDates(oql: Oql, field: string): Oql {
  if ('field' in oql) return oql.field[0] === field ? oql : { and: [] };
  if ('and' in oql) return { and: oql.and.map((node) => scopeOfDates(node, field)) };
  return { or: oql.or.map((node) => scopeOfDates(node, field)) };
}

export function filtersOn(oql: Oql | undefined, field: string): boolean {
  if (oql === undefined) return false;
  if ('field' in oql) return oql.field[0] === field;
  return ('and' in oql ? oql.and : oql.or).some((node) => filtersOn(node, field));
}

/** The use in one hour, counted from the epoch. */
interface Usage {
  readonly hour: number;
  readonly used: number;
}

/** Returns the cost of a query: the rows of its days, times the number of days. */
export function costOf({ rows, days }: { readonly rows: number; readonly days: number }): number {
  return rows * days;
}

/** Returns the use after a query, or the seconds until the next hour if the rest of this hour's quota is too small. */
export function usageAfter(
  usage: Usage | undefined,
  cost: number,
  quota: number,
  now: number,
): { readonly usage: Usage } | { readonly retryAfter: number } {
  const hour = Math.floor(now / HOUR);
  const used = (usage?.hour === hour ? usage.used : 0) + cost;
  if (used <= quota) return { usage: { hour, used } };
  return { retryAfter: Math.ceil(((hour + 1) * HOUR - now) / 1000) };
}

/**
 * Deducts the cost of a query from its project's quota. If the remaining quota is too small, deducts nothing and
 * returns the seconds to wait.
 */
export function spend(
  resources: Resources,
  projectId: string,
  cost: number,
  now: number,
): number | undefined {
  const project = resources.get('projects', projectId);
  if (project === undefined) return undefined;
  const { _ranking_performance_quota: own, _ranking_usage: usage } = project;
  const quota = typeof own === 'number' ? own : DEFAULT_RANKING_QUOTA;
  const after = usageAfter(usage as Usage | undefined, cost, quota, now);
  if ('retryAfter' in after) return after.retryAfter;
  resources.put('projects', WORKSPACE_ID, { ...project, _ranking_usage: after.usage });
  return undefined;
}

/** A metric of a ranking query: its SQL over the rows, and the column that it makes. */
interface RankingMetric {
  readonly sql: string;
  readonly column: Column;
}

/**
 * The number of decimals of positions, and of their sum before the division. Equal averages are therefore equal in any
 * order of summing, even if the last decimal is a tie.
 */
const DECIMALS = 6;

type Columns = ReadonlyMap<string, Column>;

/**
 * Returns a metric as SQL. The `sum` of no rows is 0; an average or rate without impressions has no value (api-spec.md
 * §4.2).
 *
 * @throws Refusal that names what the field does not allow
 */
function metricOf(
  { field: name, method, alias }: { field: string; method: RankingMethod; alias: string },
  index: number,
  columns: Columns,
  path: string,
): RankingMetric {
  const column = columns.get(name);
  if (column === undefined)
    throw invalidParameter(`${path}.field`, 'unknown_field', `there is no field ${JSON.stringify(name)}`);
  checkMethod(column, method, path);
  switch (method) {
    case 'cardinality':
      return { sql: `count(DISTINCT ${column.id})`, column: made(alias, index, 'int') };
    case 'sum':
      return {
        sql: `coalesce(${column.kind === 'int' ? 'sum' : 'fsum'}(${numberOf(column)}), 0)`,
        column: made(alias, index, column.kind === 'int' ? 'int' : 'float'),
      };
    case 'weighted_average': {
      const [value, weight] = [numberOf(column), numberOf(companion(columns, 'impressions', path))];
      const total = `sum(${weight}) FILTER (${value} IS NOT NULL)`;
      const sum = `round(fsum(${value} * ${weight}), ${DECIMALS})`;
      const sql = `round(${sum} / nullif(${total}, 0), ${DECIMALS})`;
      return { sql, column: made(alias, index, 'float') };
    }
    case 'ctr': {
      const shown = numberOf(companion(columns, 'impressions', path));
      const sql = `CAST(sum(${numberOf(column)}) AS DOUBLE) / nullif(sum(${shown}), 0)`;
      return { sql, column: made(alias, index, 'float') };
    }
  }
}

function checkMethod({ field, kind }: Column, method: RankingMethod, path: string): void {
  const only = RANKING_METHOD_FIELDS[method];
  const refuse = (message: string) => invalidParameter(`${path}.method`, 'method_not_allowed', message);
  if (only !== undefined && field.name !== only)
    throw refuse(`${method} is for ${only}, not for ${field.name}`);
  const allowed = field.agg_metric_methods;
  if (allowed ? !allowed.includes(method) : method === 'sum' && kind !== 'int' && kind !== 'float')
    throw refuse(`${field.name} allows ${allowed?.join(', ') || 'cardinality'}, not ${method}`);
}

function companion(columns: Columns, name: string, path: string): Column {
  const column = columns.get(name);
  if (column !== undefined) return column;
  throw invalidParameter(
    `${path}.method`,
    'method_not_allowed',
    `needs the field ${name}, which does not exist`,
  );
}

function numberOf({ id, kind }: Column): string {
  if (kind === 'int' || kind === 'float') return id;
  return `TRY_CAST(${kind === 'json' ? `json_extract_string(${id}, '$')` : id} AS DOUBLE)`;
}

function made(alias: string, index: number, kind: 'int' | 'float'): Column {
  const type = kind === 'int' ? 'natural' : 'float';
  return { id: `m${index}`, kind, field: { name: alias, type, arity: 'one' } };
}
