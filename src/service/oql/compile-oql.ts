import type { Oql, OqlLeaf, OqlOptions, OqlValue } from '../../client/oql/oql.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { type Column, isMany, valueKind } from '../fields/column.ts';

/** SQL with `$1`, `$2`, … and the values bound to them. */
export interface Compiled {
  readonly sql: string;
  readonly values: readonly string[];
  /** Regular expressions in it, with the path of their leaf. */
  readonly patterns: readonly { readonly path: string; readonly pattern: string }[];
}

/**
 * Compiles a checked tree to a condition. Values are always bound, never written into the SQL. `root` is the beginning
 * of the paths of its leaves; `before` are the values already bound in the same statement.
 */
export function compileOql(
  oql: Oql | undefined,
  columns: ReadonlyMap<string, Column>,
  root = 'oql',
  before: readonly string[] = [],
): Compiled {
  const values = [...before];
  const patterns: { path: string; pattern: string }[] = [];
  const bind = (value: string): string => `$${values.push(value)}`;

  const compile = (node: Oql, path: string): string => {
    if ('field' in node) return leaf(node.field, `${path}.field`);
    const [key, children] = 'and' in node ? (['and', node.and] as const) : (['or', node.or] as const);
    const parts = children.map((child, index) => compile(child, `${path}.${key}[${index}]`));
    if (parts.length === 0) return key === 'and' ? 'true' : 'false';
    return `(${parts.join(key === 'and' ? ' AND ' : ' OR ')})`;
  };
  const leaf = (node: OqlLeaf, path: string): string => {
    const column = columns.get(node[0]);
    if (column === undefined) throw new Error(`no column for ${node[0]}`);
    if (node[3]?.regex) patterns.push({ path: `${path}[2]`, pattern: String(node[2]) });
    return compileLeaf(node, column, bind);
  };

  return { sql: oql === undefined ? 'true' : compile(oql, root), values, patterns };
}

/** Binds a value and returns its `$n`. */
export type Bind = (value: string) => string;

/** The condition of a leaf on a value. */
interface Condition {
  readonly filter: OqlLeaf[1];
  readonly value: OqlValue;
  readonly options: OqlOptions;
}

/** An element of a column's value in SQL: stored form and text. */
interface Element {
  readonly column: Column;
  readonly stored: string;
  readonly text: string;
}

/**
 * Returns a leaf as SQL that is never NULL. A many-valued field matches if one element matches. `not_equals` is the
 * exact reverse of `equals`, so it is true for a missing value. An empty string is a value, but a list that contains
 * only nulls is not.
 */
export function compileLeaf([, filter, value, options = {}]: OqlLeaf, column: Column, bind: Bind): string {
  if (filter === 'has_value') return hasValue(column);
  if (filter === 'has_no_value') return `NOT ${hasValue(column)}`;
  if (filter === 'not_equals')
    return `NOT ${matches(column, (it) => test(it, { filter: 'equals', value, options: {} }, bind))}`;
  return matches(column, (it) => test(it, { filter, value, options }, bind));
}

function hasValue(column: Column): string {
  if (!isMany(column)) return `(${column.id} IS NOT NULL)`;
  return `(coalesce(len(list_filter(${elementsOf(column)}, lambda element: element IS NOT NULL)), 0) > 0)`;
}

function matches(column: Column, condition: (element: Element) => string): string {
  const c = column.id;
  if (!isMany(column)) return `coalesce(${condition({ column, stored: c, text: textOf(column) })}, false)`;
  const found = condition({ column, stored: 'element', text: 'element' });
  return `(coalesce(len(list_filter(${elementsOf(column)}, lambda element: coalesce(${found}, false))), 0) > 0)`;
}

/** Returns SQL for the elements of a many-valued column as a list of strings; a lone value is a list of one. */
export function elementsOf(column: Column): string {
  const c = column.id;
  if (column.kind === 'texts') return c;
  if (column.kind !== 'json') return `[CAST(${c} AS VARCHAR)]`;
  return `CASE WHEN json_type(${c}) = 'ARRAY' THEN json_extract_string(${c}, '$[*]') ELSE [json_extract_string(${c}, '$')] END`;
}

/** Returns SQL for a value as text, a JSON string without its quotes. */
export function textOf(column: Column): string {
  if (column.kind === 'text') return column.id;
  if (column.kind === 'json') return `json_extract_string(${column.id}, '$')`;
  return `CAST(${column.id} AS VARCHAR)`;
}

const OPERATORS: Readonly<Record<string, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };
const TEXT_TESTS: Readonly<Record<string, string>> = {
  contains: 'contains',
  startswith: 'starts_with',
  endswith: 'ends_with',
};

function test(it: Element, condition: Condition, bind: Bind): string {
  const { filter, value } = condition;
  const compare = (operator: string, bound: OqlValue): string => comparison(it, operator, bound, bind);
  if (filter === 'between') {
    const [from, to] = value as readonly [string | number | bigint, string | number | bigint];
    return `(${compare('>=', from)} AND ${compare('<', to)})`;
  }
  const operator = lookUp(OPERATORS, filter);
  if (operator !== undefined) return compare(operator, value);
  if (valueKind(it.column.field) !== 'text') return compare('=', value);
  return textTest(it.text, condition, bind);
}

function comparison(it: Element, operator: string, value: OqlValue, bind: Bind): string {
  const kind = valueKind(it.column.field);
  if (kind === 'number') return numberTest(it, operator, value, bind);
  if (kind === 'bool') {
    const bound = bind(String(value));
    return it.column.kind === 'bool'
      ? `${it.stored} = CAST(${bound} AS BOOLEAN)`
      : `lower(${it.text}) = ${bound}`;
  }
  // Dates of one format and one zone compare as text; a bound without a time is midnight.
  const [bad, good] = kind === 'date' ? ['/', '-'] : ['-', '/'];
  const bound = String(value).replaceAll(bad, good);
  if (it.column.kind === 'date') return `${it.stored} ${operator} TRY_CAST(${bind(bound)} AS DATE)`;
  return `${it.text} ${operator} ${bind(kind === 'datetime' ? fullDatetime(bound) : bound)}`;
}

function fullDatetime(text: string): string {
  if (text.endsWith(' UTC')) return text;
  return text.length > 10 ? `${text} UTC` : `${text} 00:00:00 UTC`;
}

function numberTest(it: Element, operator: string, value: OqlValue, bind: Bind): string {
  const { column } = it;
  // `1e21` is a whole number too.
  const number = typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : String(value);
  const type = !/^-?\d{1,38}$/.test(number) ? 'DOUBLE' : /^-?\d{1,18}$/.test(number) ? 'BIGINT' : 'HUGEINT';
  const bound = `CAST(${bind(number)} AS ${type})`;
  if (column.kind === 'int' || column.kind === 'float') return `${it.stored} ${operator} ${bound}`;
  // Whole numbers of any size compare exactly; a DOUBLE would treat adjacent numbers beyond 2^53 as equal.
  const exact = `TRY_CAST(${it.text} AS HUGEINT) ${operator} ${bound}`;
  const near = `TRY_CAST(${it.text} AS DOUBLE) ${operator} ${bound}`;
  return `CASE WHEN regexp_full_match(${it.text}, '-?[0-9]{1,38}') THEN ${exact} ELSE ${near} END`;
}

function textTest(text: string, { filter, value, options }: Condition, bind: Bind): string {
  if (options.regex) {
    // A group that captures: DuckDB turns plain anchored patterns into string tests, and `^` and `$` into wrong ones.
    const pattern = `(${value})`;
    const anchored =
      { startswith: `^${pattern}`, endswith: `${pattern}$`, equals: `^${pattern}$` }[String(filter)] ??
      pattern;
    return `regexp_matches(${text}, ${bind(anchored)}, '${options.ci ? 'i' : 'c'}')`;
  }
  const [left, right] = options.ci
    ? [`lower(${text})`, `lower(${bind(String(value))})`]
    : [text, bind(String(value))];
  const tested = lookUp(TEXT_TESTS, filter);
  return tested === undefined ? `${left} = ${right}` : `${tested}(${left}, ${right})`;
}
