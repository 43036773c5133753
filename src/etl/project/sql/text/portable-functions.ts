import type { SqlNode } from '../../../../core/duckdb/serialize-sql.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import {
  PatternError,
  type PortablePattern,
  portablePattern,
} from '../../../../core/text/portable-pattern.ts';

/** Returns what to write instead of a call that engines answer differently; undefined if they agree. */
type Use = (args: readonly SqlNode[], parent: SqlNode) => string | undefined;

/** Returns the value of a constant: a text, a number or a boolean; null for NULL, undefined for anything else. */
const constant = (node: SqlNode | undefined): unknown => {
  const value = node?.type === 'VALUE_CONSTANT' ? (node.value as SqlNode) : undefined;
  return value?.is_null === true ? null : value?.value;
};

const firstIsOneOf =
  (...allowed: readonly string[]): Use =>
  ([part]) =>
    allowed.includes(String(constant(part)).toLowerCase()) ? undefined : `one of ${allowed.join(', ')}`;

const isNeverNull = (node: SqlNode): boolean =>
  (constant(node) ?? null) !== null || node.type === 'OPERATOR_COALESCE';
const withoutNulls: Use = (args) => (args.every(isNeverNull) ? undefined : 'coalesce(…, …) for each value');

/** DuckDB divides whole numbers as DOUBLE, other engines as whole numbers. */
const isDouble = (node: SqlNode | undefined): boolean => {
  if (node?.type === 'OPERATOR_CAST') return (node.cast_type as SqlNode).id === 'DOUBLE';
  const args = (node?.children ?? []) as SqlNode[];
  if (['+', '-', '*', '/'].includes(String(node?.function_name))) return args.some(isDouble);
  return node?.type === 'VALUE_CONSTANT' && ((node.value as SqlNode).type as SqlNode).id === 'DOUBLE';
};

const isText = (node: SqlNode | undefined): boolean => {
  const value = constant(node);
  if (typeof value === 'string') return value !== '';
  return (
    node?.function_name === 'chr' ||
    (node?.function_name === '||' && (node.children as SqlNode[]).every(isText))
  );
};
const secondIsText =
  (instead: string): Use =>
  ([, text]) =>
    isText(text) ? undefined : instead;

/** A position in a list or a text. Engines count from 1 and differ below it. */
const isPlace = (node: SqlNode | undefined): boolean => {
  const value = constant(node);
  if (value !== undefined) return Number(value) >= 1;
  return node?.function_name !== '-' || (node.children as SqlNode[]).length > 1;
};

function patternOf(node: SqlNode | undefined): PortablePattern | string {
  const pattern = constant(node);
  if (typeof pattern !== 'string') return 'a pattern that is a text';
  try {
    return portablePattern(pattern);
  } catch (error) {
    if (error instanceof PatternError) return `another pattern: ${error.message}`;
    throw error;
  }
}

const regexpReplace: Use = ([, written, by, flags]) => {
  const pattern = patternOf(written);
  if (typeof pattern === 'string') return pattern;
  if (pattern.isLazy) return 'a pattern without *?, +? and ??';
  const replacement = constant(by);
  if (typeof replacement !== 'string' || /[\\$]/.test(replacement)) return 'a replacement without \\ and $';
  // DuckDB replaces the first match, other engines all.
  if (flags === undefined ? pattern.anchor === null : constant(flags) !== 'g')
    return "a pattern with ^ or $, the option 'g', or replace()";
  return pattern.matchesEmpty && pattern.anchor !== 'start' && replacement !== ''
    ? 'a pattern that matches at least one character'
    : undefined;
};

/**
 * Functions with the same meaning in both engines, by their names in DuckDB, some under a condition. `translateSql`
 * translates functions that other engines name or bound differently. Tests run each function with values on both
 * engines (docs/models.md, Portable SQL).
 */
export const FUNCTIONS: ReadonlyMap<string, Use | null> = new Map<string, Use | null>([
  ...[
    '+',
    '-',
    '*',
    '||',
    '~~',
    '!~~',
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
    'row_number',
    'rank',
    'dense_rank',
    'percent_rank',
    'lag',
    'lead',
    'first_value',
    'last_value',
    'abs',
    'ceil',
    'floor',
    'ln',
    'round',
    'nullif',
    'hash',
    'row',
    'unnest',
    'chr',
    'concat_ws',
    'length',
    'lower',
    'upper',
    'nfc_normalize',
    'starts_with',
    'strpos',
    'trim',
    'array_length',
    'to_timestamp',
    'now',
  ].map((name) => [name, null] as const),
  ['/', ([dividend]) => (isDouble(dividend) ? undefined : 'CAST(a AS DOUBLE) / b')],
  [
    '%',
    ([, divisor]) =>
      Number(constant(divisor)) > 0 || divisor?.function_name === 'nullif' ? undefined : 'a % nullif(b, 0)',
  ],
  ['greatest', withoutNulls],
  ['least', withoutNulls],
  // DuckDB keeps no order.
  [
    'array_distinct',
    (_, { function_name }) =>
      function_name === 'array_length' ? undefined : 'array_agg(DISTINCT x ORDER BY x)',
  ],
  ['array_to_string', secondIsText("array_to_string(l, ',')")],
  ['list_extract', ([, place]) => (isPlace(place) ? undefined : 'list_extract(l, 1), counted from 1')],
  [
    'json_extract_string',
    ([, path]) =>
      /^\$(?:\.[A-Za-z_]\w*|\[\d+\])+$/.test(String(constant(path)))
        ? undefined
        : "json_extract_string(c, '$.a')",
  ],
  // Other engines count whole months, DuckDB their boundaries.
  ['date_diff', firstIsOneOf('day', 'millisecond')],
  // Sunday is 0 or 7.
  ['date_part', firstIsOneOf('year', 'quarter', 'month', 'week', 'day')],
  ['date_trunc', firstIsOneOf('year', 'quarter', 'month', 'week', 'day')],
  // Other engines have no third argument.
  [
    'regexp_matches',
    ([, written, options]) => {
      const pattern = patternOf(written);
      if (options !== undefined) return "regexp_matches(s, '(?i)(…)')";
      return typeof pattern === 'string' ? pattern : undefined;
    },
  ],
  ['regexp_replace', regexpReplace],
  ['replace', secondIsText("replace(s, 'a', 'b')")],
  ['split', secondIsText("split(s, '/')")],
  [
    'split_part',
    ([, separator, place]) =>
      isText(separator) && Number(constant(place)) >= 1 ? undefined : "split_part(s, '/', 1), counted from 1",
  ],
  [
    'substr',
    ([, from, length]) =>
      isPlace(from) && (length === undefined || Number(constant(length) ?? 0) >= 0)
        ? undefined
        : 'substr(s, 1, n)',
  ],
]);

/** What DuckDB's parser makes of INTERVAL, AT TIME ZONE, EXTRACT and count(*). These are not words of portable SQL. */
export const PARSED: ReadonlySet<string> = new Set([
  'to_days',
  'to_hours',
  'to_minutes',
  'to_seconds',
  'trunc',
  'timezone',
  'date_part',
  'count_star',
]);

/** Functions that only DuckDB has, or that differ, with their replacements. */
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
  date_part: 'extract(… FROM …)',
  '//': 'floor(CAST(a AS DOUBLE) / b)',
  '~~*': 'lower(s) LIKE …',
  '->': "json_extract_string(c, '$.a')",
  '->>': "json_extract_string(c, '$.a')",
  '::': 'CAST(… AS …)',
  '==': 'a = b',
  '**': 'a * a',
  '^': 'a * a',
  ifnull: 'coalesce(a, b)',
  materialized: 'AS (SELECT …)',
  trunc: 'floor(a), or ceil(a) of what is negative',
};

/** Returns what is wrong with a function call; undefined if engines agree. */
export function portableFunction(
  node: SqlNode,
  parent: SqlNode,
): { rule: string; instead: string } | undefined {
  const name = String(node.function_name);
  const use = FUNCTIONS.get(name);
  if (use === undefined)
    return PARSED.has(name) ? undefined : { rule: `no ${name}`, instead: insteadOf(name, true) };
  const instead = use?.(node.children as SqlNode[], parent);
  if (instead === undefined) return undefined;
  return { rule: name === '/' ? 'a division is of DOUBLE' : `${name} as both engines have it`, instead };
}

/** Returns what to write instead of a word or a sign. */
export function insteadOf(name: string, isCall = false): string {
  const names = [...FUNCTIONS.keys()].filter((key) => /^[a-z]/.test(key) && !PARSED.has(key));
  return lookUp(INSTEAD, name) ?? (isCall ? `one of ${names.join(', ')}` : 'SQL without it');
}
