import { z } from 'zod';
import { type AggMethod, type AggRange, COUNT_COLUMN } from '../../client/resources/aggregates.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import { type Column, isMany, valueKind } from '../fields/column.ts';
import { type Bind, type Compiled, compileLeaf, compileOql, elementsOf, textOf } from '../oql/compile-oql.ts';
import type { StoredDataset } from '../resources/resources.ts';
import { checkPatterns, sourceOf } from '../rows/dataset-query.ts';
import type { AggregateMetric, AggregatePlan, Bucket } from './plan-aggregate.ts';

const LineRow = z.strictObject({ line: z.string() });

/** The maximum number of rows of an aggregate. The specification sets no bound. */
const AGGREGATE_CEILING = 10_000;

/**
 * Returns one aggregate of the response as JSON text: `cols` and `rows` in the order of the buckets' values, or its own
 * `error` if it has too many rows (wire-facts.md). SQL makes the rows, so that no number passes through JavaScript.
 */
export async function aggregateRows(
  connection: Connection,
  dataset: StoredDataset,
  plan: AggregatePlan,
): Promise<string> {
  const { sql, condition } = compileAggregate(dataset, plan);
  await checkPatterns(connection, condition);
  const rows = typedRows(LineRow, await connection.rows(sql, condition.values));
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
  dataset: StoredDataset,
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
  const source = `FROM ${sourceOf(dataset)} WHERE ${condition.sql}`;
  // One level per list: two lists unnested together would be paired, not multiplied.
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

/** SQL for a bucket: the keys that a row falls under, how a key is shown, and how keys are ordered. */
interface BucketSql {
  /** Over the columns of the table; a list if a row may have several keys, or none. */
  readonly key: string;
  readonly isList: boolean;
  /** A key as JSON text, NULL for the bucket of rows without a value. */
  readonly shown: (key: string) => string;
  readonly order: (key: string) => readonly string[];
}

/**
 * Buckets by distinct values include null for rows without a value. For a many-valued field, a row is counted once
 * under each of its values. For ranges, a row is counted under each range that contains one of its values, or under
 * none.
 */
function bucketSql({ column, ranges }: Bucket, bind: Bind): BucketSql {
  if (ranges !== undefined) return rangeSql(column, ranges, bind);
  if (isMany(column)) {
    const values = `list_filter(${jsonElements(column)}, lambda element: element IS NOT NULL)`;
    const key = `CASE WHEN coalesce(len(${values}), 0) = 0 THEN [NULL] ELSE list_distinct(${values}) END`;
    return { key, isList: true, shown: (it) => it, order: jsonOrder(column) };
  }
  const { id, kind } = column;
  if (kind === 'json')
    return { key: jsonValue(column, id), isList: false, shown: (it) => it, order: jsonOrder(column) };
  const shown = (it: string): string =>
    kind === 'text' || kind === 'date' ? `CAST(to_json(${it}) AS VARCHAR)` : `CAST(${it} AS VARCHAR)`;
  return { key: id, isList: false, shown, order: (it) => [it] };
}

function rangeSql(column: Column, ranges: readonly AggRange[], bind: Bind): BucketSql {
  const { name } = column.field;
  const holds = ranges.map(({ from, to }, index) => {
    const inside =
      from !== undefined && to !== undefined
        ? compileLeaf([name, 'between', [from, to]], column, bind)
        : from !== undefined
          ? compileLeaf([name, 'gte', from], column, bind)
          : to !== undefined
            ? compileLeaf([name, 'lt', to], column, bind)
            : compileLeaf([name, 'has_value', ''], column, bind);
    return `CASE WHEN ${inside} THEN ${index} END`;
  });
  const names = ranges.map(
    (range, index) => `WHEN ${index} THEN CAST(to_json(${bind(range.name)}::VARCHAR) AS VARCHAR)`,
  );
  return {
    key: `list_filter([${holds.join(', ')}], lambda range_index: range_index IS NOT NULL)`,
    isList: true,
    shown: (it) => `CASE ${it} ${names.join(' ')} END`,
    order: (it) => [it],
  };
}

/** Returns the values of a many-valued column, each as JSON text. */
function jsonElements(column: Column): string {
  const c = column.id;
  if (column.kind === 'texts')
    return `list_transform(${c}, lambda element: CASE WHEN element IS NOT NULL THEN CAST(to_json(element) AS VARCHAR) END)`;
  if (column.kind !== 'json') return `[CAST(to_json(${c}) AS VARCHAR)]`;
  const each = `list_transform(json_extract(${c}, '$[*]'), lambda element: ${jsonValue(column, 'CAST(element AS VARCHAR)')})`;
  return `CASE WHEN json_type(${c}) = 'ARRAY' THEN ${each} ELSE [${jsonValue(column, c)}] END`;
}

/** Returns an unchanged JSON text, NULL for null; a number in its canonical form, so that 5 and 5.0 are one value. */
function jsonValue(column: Column, json: string): string {
  if (valueKind(column.field) === 'number')
    return `CASE WHEN json_type(${json}) IN ('DOUBLE', 'BIGINT', 'UBIGINT', 'HUGEINT') THEN ${canonicalNumber(json)} ELSE nullif(${json}, 'null') END`;
  return `nullif(${json}, 'null')`;
}

function jsonOrder(column: Column): BucketSql['order'] {
  return valueKind(column.field) === 'number'
    ? (it) => [`TRY_CAST(${it} AS DOUBLE)`, `TRY_CAST(${it} AS HUGEINT)`, it]
    : (it) => [it];
}

/** SQL for a metric: the values of a row that it is computed from, and the aggregate over them. */
interface MetricSql {
  /** Over the columns of the table; a list if a row may have several values. */
  readonly values: string;
  readonly isList: boolean;
  /** The result as JSON text, NULL if there is none. */
  readonly result: (value: string) => string;
}

/** Whole numbers with at most these digits are summed exactly: HUGEINT can hold the sum of 10^8 such numbers. */
const EXACT_DIGITS = 30;

/** Returns SQL for a metric. In a many-valued field, every value counts. */
function metricSql({ column, method }: AggregateMetric): MetricSql {
  const isList = isMany(column);
  const isTyped = !isList && (column.kind === 'int' || column.kind === 'float');
  const values = isList
    ? `CASE WHEN coalesce(len(${elementsOf(column)}), 0) = 0 THEN [NULL] ELSE ${elementsOf(column)} END`
    : isTyped
      ? column.id
      : textOf(column);
  const result = (it: string): string =>
    isTyped ? overNumbers(method, it, column.kind === 'int') : overTexts(method, it, column);
  return { values, isList, result };
}

function overNumbers(method: AggMethod, it: string, areWhole: boolean): string {
  switch (method) {
    case 'value_count':
      return `CAST(count(${it}) AS VARCHAR)`;
    case 'cardinality':
      return `CAST(count(DISTINCT ${it}) AS VARCHAR)`;
    case 'min':
    case 'max':
      return `CAST(${method}(${it}) AS VARCHAR)`;
    case 'sum':
      return areWhole ? wholeSum(it) : finite(`coalesce(fsum(${it}), 0.0)`);
    case 'avg':
      return finite(areWhole ? `avg(${it})` : `favg(${it})`);
  }
}

/** Returns a metric over values as text: whole numbers of any size, fractions, or no numbers at all. */
function overTexts(method: AggMethod, it: string, column: Column): string {
  const isNumber = valueKind(column.field) === 'number';
  const double = `TRY_CAST(${it} AS DOUBLE)`;
  const whole = `CASE WHEN ${isWhole(it, EXACT_DIGITS)} THEN CAST(${it} AS HUGEINT) END`;
  const areWhole = `count(${double}) = count(${whole})`;
  switch (method) {
    case 'value_count':
      return `CAST(count(${it}) AS VARCHAR)`;
    case 'cardinality':
      return `CAST(count(DISTINCT ${isNumber ? `coalesce(${canonicalNumber(it)}, ${it})` : it}) AS VARCHAR)`;
    case 'min':
    case 'max':
      if (!isNumber) return `CAST(to_json(${method}(${it})) AS VARCHAR)`;
      // By size and, beyond the precision of a DOUBLE, by all digits.
      return `arg_${method}(${canonicalNumber(it)}, row(${double}, ${isWholeOrder(it)})) FILTER (${double} IS NOT NULL)`;
    case 'sum':
      return `CASE WHEN ${areWhole} THEN ${wholeSum(whole)} ELSE ${finite(`fsum(${double})`)} END`;
    case 'avg':
      return finite(
        `CASE WHEN ${areWhole} THEN CAST(sum(${whole}) AS DOUBLE) / count(${whole}) ELSE favg(${double}) END`,
      );
  }
}

function isWholeOrder(it: string): string {
  return `CASE WHEN ${isWhole(it)} THEN CAST(${it} AS HUGEINT) END`;
}

/**
 * Returns SQL for a sum. Sums are floats on the wire (wire-facts.md), with all digits of the exact sum; the sum of no
 * values is 0.0.
 */
function wholeSum(it: string): string {
  return `concat(CAST(coalesce(sum(${it}), 0) AS VARCHAR), '.0')`;
}

/** Replaces infinite values and NaN, which JSON cannot represent. */
function finite(number: string): string {
  return `CASE WHEN isfinite(${number}) THEN CAST(${number} AS VARCHAR) END`;
}

/** SQL condition for a text that is a whole number within HUGEINT. */
function isWhole(number: string, digits = 38): string {
  return `regexp_full_match(${number}, '-?[0-9]{1,${digits}}')`;
}

/** Returns SQL for the text of a number in canonical form: whole numbers with all their digits, others as a DOUBLE. */
function canonicalNumber(number: string): string {
  const rounded = `CAST(TRY_CAST(${number} AS DOUBLE) AS VARCHAR)`;
  return `CASE WHEN ${isWhole(number)} THEN ${number} ELSE regexp_replace(${rounded}, '\\.0$', '') END`;
}
