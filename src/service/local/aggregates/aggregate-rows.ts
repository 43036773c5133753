import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { COUNT_COLUMN } from '../../api/resources/aggregates.ts';
import { SQL_TYPES } from '../fields/column.ts';
import { type Compiled, compileOql } from '../oql/compile-oql.ts';
import type { Dataset } from '../resources/resources.ts';
import { checkPatterns } from '../rows/dataset-query.ts';
import { ServiceRows } from '../rows/row-store.ts';
import { bucketSql } from './bucket-sql.ts';
import { metricSql } from './metric-sql.ts';
import type { AggregatePlan } from './plan-aggregate.ts';

/** How many rows an aggregate may have; nothing says what the service's bound is. */
const AGGREGATE_CEILING = 10_000;

/**
 * One aggregate of the response as JSON text: `cols` and `rows` in the order of the buckets' values, or its own `error`
 * if it has too many rows (wire-facts.md). SQL makes the rows, so that no number passes through JavaScript.
 */
export async function aggregateRows(
  connection: Connection,
  dataset: Dataset,
  plan: AggregatePlan,
): Promise<string> {
  const { sql, condition } = compileAggregate(dataset, plan);
  await checkPatterns(connection, condition);
  const rows = await connection.rows<{ line: string }>(sql, condition.values);
  if (rows.length > AGGREGATE_CEILING) {
    const message = `${plan.path} has more than ${AGGREGATE_CEILING} rows: filter it, or use ranges`;
    return JSON.stringify({ error: { type: 'invalid_request', message } });
  }
  return `{"cols":${JSON.stringify(columnNames(plan))},"rows":[${rows.map((row) => row.line).join(',')}]}`;
}

function columnNames({ buckets, metric }: AggregatePlan): string[] {
  const value = metric ? `${metric.column.field.name}:${metric.method}` : COUNT_COLUMN;
  return [...buckets.map((bucket) => bucket.column.field.name), value];
}

function compileAggregate(
  dataset: Dataset,
  { columns, oql, path, buckets, metric }: AggregatePlan,
): { readonly sql: string; readonly condition: Compiled } {
  const values: string[] = [];
  const keys = buckets.map((bucket, index) => ({
    id: `k${index}`,
    ...bucketSql(bucket, (value) => `$${values.push(value)}`),
  }));
  const condition = compileOql(oql, columns, `${path}.oql`, values);
  const measured = metric && metricSql(metric);

  const cells = [
    ...keys.map((key) => `${key.key} AS ${key.id}`),
    ...(measured ? [`${measured.values} AS m`] : []),
  ];
  const lists = [
    ...keys.filter((key) => key.isList).map((key) => key.id),
    ...(measured?.isList ? ['m'] : []),
  ];
  const source = sourceOf(dataset, condition);
  // One level a list: two lists unnested side by side would be paired, not multiplied.
  const rows = lists.reduce(
    (inner, id) => `SELECT * REPLACE (unnest(${id}) AS ${id}) FROM (${inner})`,
    `SELECT ${cells.join(', ') || '1'} ${source}`,
  );
  const result = measured ? measured.result('m') : 'CAST(count(*) AS VARCHAR)';
  const shown = [...keys.map((key) => key.shown(key.id)), result].map((cell) => `coalesce(${cell}, 'null')`);
  const line = `concat('[', ${shown.join(", ',', ")}, ']')`;
  const grouping = keys.length === 0 ? '' : `GROUP BY ${keys.map((key) => key.id).join(', ')}`;
  const order = keys.flatMap((key) => key.order(key.id)).map((term) => `${term} NULLS LAST`);
  const ordering = order.length === 0 ? '' : `ORDER BY ${order.join(', ')}`;
  const sql = `SELECT ${line} AS line FROM (${rows}) ${grouping} ${ordering} LIMIT ${AGGREGATE_CEILING + 1}`;
  return { sql, condition };
}

/** A dataset without a table has its columns all the same, and no rows. */
function sourceOf({ table, columns }: Dataset, condition: Compiled): string {
  if (table !== undefined) return `FROM ${ServiceRows.table(table)} WHERE ${condition.sql}`;
  const empty = columns.map((column) => `CAST(NULL AS ${SQL_TYPES[column.kind]}) AS ${column.id}`);
  return `FROM (SELECT ${empty.join(', ') || '1'}) WHERE false AND ${condition.sql}`;
}
