import type { AggRange } from '../../api/resources/aggregates.ts';
import { type Column, isMany } from '../fields/column.ts';
import { valueKind } from '../oql/check-value.ts';
import { type Bind, compileLeaf } from '../oql/compile-leaf.ts';
import { canonicalNumber } from './canonical-number.ts';
import type { Bucket } from './plan-aggregate.ts';

/** SQL for a bucket: the keys that a row falls under, how a key is shown, and how keys are ordered. */
export interface BucketSql {
  /** Over the columns of the table; a list where a row may have several keys, or none. */
  readonly key: string;
  readonly isList: boolean;
  /** A key as JSON text, NULL for the bucket of rows without a value. */
  readonly shown: (key: string) => string;
  readonly order: (key: string) => readonly string[];
}

/**
 * Buckets by distinct values include null for rows without a value. A many-valued field counts a row once under each of
 * its values. By ranges, a row counts under each range that has one of its values, or under none.
 */
export function bucketSql({ column, ranges }: Bucket, bind: Bind): BucketSql {
  if (ranges !== undefined) return rangeSql(column, ranges, bind);
  if (isMany(column)) {
    const values = `list_filter(${jsonElements(column)}, lambda element: element IS NOT NULL)`;
    const key = `CASE WHEN coalesce(len(${values}), 0) = 0 THEN [NULL] ELSE list_distinct(${values}) END`;
    return { key, isList: true, shown: (it) => it, order: jsonOrder(column) };
  }
  const { id, kind } = column;
  if (kind === 'json') {
    return { key: jsonValue(column, id), isList: false, shown: (it) => it, order: jsonOrder(column) };
  }
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

/** The values of a many-valued column, each as JSON text. */
function jsonElements(column: Column): string {
  const c = column.id;
  if (column.kind === 'texts') {
    return `list_transform(${c}, lambda element: CASE WHEN element IS NOT NULL THEN CAST(to_json(element) AS VARCHAR) END)`;
  }
  if (column.kind !== 'json') return `[CAST(to_json(${c}) AS VARCHAR)]`;
  const each = `list_transform(json_extract(${c}, '$[*]'), lambda element: ${jsonValue(column, 'CAST(element AS VARCHAR)')})`;
  return `CASE WHEN json_type(${c}) = 'ARRAY' THEN ${each} ELSE [${jsonValue(column, c)}] END`;
}

/** An unchanged JSON text, NULL for null; a number in its canonical form, so that 5 and 5.0 are one value. */
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
