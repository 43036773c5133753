import type { SqlNode } from '../../../core/duckdb/serialize-sql.ts';
import { lookUp } from '../../../core/text/look-up.ts';

/** A condition on the arguments of a function; what to write where it does not hold. */
interface Use {
  readonly holds: (args: readonly SqlNode[]) => boolean;
  readonly instead: string;
}

const constant = (node: SqlNode | undefined): unknown => {
  const value = node?.type === 'VALUE_CONSTANT' ? (node.value as SqlNode) : undefined;
  return value?.is_null === true ? null : value?.value;
};

const firstIsOneOf = (...allowed: readonly string[]): Use => ({
  holds: ([part]) => allowed.includes(String(constant(part)).toLowerCase()),
  instead: `one of ${allowed.join(', ')}`,
});

const isNeverNull = (node: SqlNode): boolean =>
  (constant(node) ?? null) !== null || node.type === 'OPERATOR_COALESCE';
const withoutNulls: Use = {
  holds: (args) => args.every(isNeverNull),
  instead: 'coalesce(…, …) for each value',
};

/** DuckDB divides whole numbers as DOUBLE, others as whole numbers. */
const isDouble = (node: SqlNode | undefined): boolean => {
  if (node?.type === 'OPERATOR_CAST') return (node.cast_type as SqlNode).id === 'DOUBLE';
  const args = (node?.children ?? []) as SqlNode[];
  if (['+', '-', '*', '/'].includes(String(node?.function_name))) return args.some(isDouble);
  return node?.type === 'VALUE_CONSTANT' && ((node.value as SqlNode).type as SqlNode).id === 'DOUBLE';
};

/**
 * Functions that mean the same in both engines, by their names in DuckDB, some under a condition. `translateSql` writes
 * those that other engines name or bound otherwise.
 */
const FUNCTIONS: ReadonlyMap<string, Use | null> = new Map<string, Use | null>([
  ...['+', '-', '*', '%', '||', '~~', '!~~'].map((name) => [name, null] as const),
  ['/', { holds: ([dividend]) => isDouble(dividend), instead: 'CAST(a AS DOUBLE) / b' }],
  ...[
    'count',
    'count_star',
    'sum',
    'min',
    'max',
    'avg',
    'bool_and',
    'bool_or',
    'array_agg',
    'max_by',
    'min_by',
  ].map((name) => [name, null] as const),
  ...['row_number', 'rank', 'dense_rank', 'percent_rank', 'lag', 'lead', 'first_value', 'last_value'].map(
    (name) => [name, null] as const,
  ),
  ...['abs', 'ceil', 'floor', 'round', 'trunc', 'nullif', 'hash', 'row', 'unnest'].map(
    (name) => [name, null] as const,
  ),
  ...[
    'chr',
    'concat_ws',
    'length',
    'lower',
    'upper',
    'replace',
    'split',
    'split_part',
    'starts_with',
    'strpos',
    'trim',
  ].map((name) => [name, null] as const),
  ...['array_distinct', 'array_length', 'array_to_string', 'list_extract', 'json_extract_string'].map(
    (name) => [name, null] as const,
  ),
  // An INTERVAL, and AT TIME ZONE.
  ...['to_days', 'to_hours', 'to_minutes', 'to_seconds', 'to_timestamp', 'now', 'timezone'].map(
    (name) => [name, null] as const,
  ),
  ['greatest', withoutNulls],
  ['least', withoutNulls],
  // Others count whole months, DuckDB their boundaries.
  ['date_diff', firstIsOneOf('day', 'millisecond')],
  // Sunday is 0 or 7.
  ['date_part', firstIsOneOf('year', 'quarter', 'month', 'week', 'day')],
  ['date_trunc', firstIsOneOf('year', 'quarter', 'month', 'week', 'day')],
  // Others have no third argument.
  ['regexp_matches', { holds: (args) => args.length === 2, instead: "regexp_matches(s, '(?i)(…)')" }],
  // DuckDB replaces the first match, others all.
  [
    'regexp_replace',
    {
      holds: ([, pattern, , flags]) => /^\^|\$$/.test(String(constant(pattern))) && flags === undefined,
      instead: 'a pattern with ^ or $, or replace()',
    },
  ],
  ['substr', { holds: ([, from]) => constant(from) !== 0, instead: 'substr(s, 1, n)' }],
]);

/** Functions that DuckDB alone has, or that differ, with what to write. */
const INSTEAD: Readonly<Record<string, string>> = {
  arg_max: 'max_by(x, y) FILTER (WHERE x IS NOT NULL)',
  arg_min: 'min_by(x, y) FILTER (WHERE x IS NOT NULL)',
  concat: 'a || b',
  contains: 'strpos(s, part) > 0',
  epoch_ms: "date_diff('millisecond', TIMESTAMPTZ '1970-01-01 00:00:00+00:00', t)",
  epoch_us: "date_diff('millisecond', TIMESTAMPTZ '1970-01-01 00:00:00+00:00', t)",
  make_timestamptz: 'to_timestamp(CAST(ms AS DOUBLE) / 1000)',
  len: 'length(s) of a text, array_length(l) of a list',
  list: 'array_agg(x ORDER BY x)',
  list_apply: 'UNNEST and array_agg',
  list_contains: 'EXISTS with UNNEST',
  list_value: 'ARRAY[…]',
  median: 'avg of the middle rows by row_number()',
  quantile_cont: 'rows by row_number() and count() OVER',
  string_agg: "array_to_string(array_agg(x ORDER BY x), ',')",
  struct_pack: 'columns of their own, or VALUES',
  '//': 'floor(CAST(a AS DOUBLE) / b)',
  '~~*': 'lower(s) LIKE …',
};

/** The broken rule of a function call, if any. */
export function portableFunction(node: SqlNode): { rule: string; instead: string } | undefined {
  const name = String(node.function_name);
  const use = FUNCTIONS.get(name);
  if (use === undefined) {
    const instead =
      lookUp(INSTEAD, name) ??
      `one of ${[...FUNCTIONS.keys()].filter((one) => /^[a-z]/.test(one)).join(', ')}`;
    return { rule: `no ${name}`, instead };
  }
  if (use === null || use.holds(node.children as SqlNode[])) return undefined;
  return {
    rule: name === '/' ? 'a division is of DOUBLE' : `${name} as both engines have it`,
    instead: use.instead,
  };
}
