import type { FilterType, Oql, OqlLeaf, OqlOptions, OqlValue } from '../../../../client/oql/oql.ts';
import { OqlError } from '../../../../client/oql/parse-oql.ts';
import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import { isNumber } from '../../../../core/duckdb/type-families.ts';
import { PatternError, portablePattern } from '../../../../core/text/portable-pattern.ts';
import { calendarDay } from '../../../../core/time/calendar-day.ts';

/** Columns by name, with DuckDB's names of their types. */
export type ColumnTypes = ReadonlyMap<string, string>;

type Kind = 'number' | 'bool' | 'text' | 'date' | 'datetime' | 'opaque';

/** The SQL value that a leaf tests: a column, or an element of a list. */
interface Value {
  readonly sql: string;
  readonly kind: Kind;
}

interface Test {
  readonly filter: FilterType;
  readonly value: OqlValue;
  readonly options: OqlOptions;
}

/** Separates the texts of a list. It occurs in no text. */
const SEPARATOR = 'chr(31)';

/**
 * Returns a tree as a condition on `mart.pages` in portable SQL. It holds for the rows that the service would return
 * (docs/client.md#filters), and is false or NULL for all others.
 *
 * @throws OqlError for a field that is not a column, or a value that does not fit its type
 */
export function oqlCondition(tree: Oql, columns: ColumnTypes): string {
  const write = (node: Oql, path: string): string => {
    if ('field' in node) return writeLeaf(node.field, columns, `${path}.field`);
    const [key, children] = 'and' in node ? (['and', node.and] as const) : (['or', node.or] as const);
    const parts = children.map((child, index) => write(child, `${path}.${key}[${index}]`));
    if (parts.length === 0) return key === 'and' ? 'true' : 'false';
    return `(${parts.join(key === 'and' ? ' AND ' : ' OR ')})`;
  };
  return write(tree, 'oql');
}

function writeLeaf([name, filter, value, options = {}]: OqlLeaf, columns: ColumnTypes, path: string): string {
  const type = columns.get(name);
  if (type === undefined)
    throw new OqlError(`${path}[0]`, 'unknown_field', `mart.pages has no column ${name}`, name);
  const isList = type.endsWith('[]');
  const column = ident(name);
  if (filter === 'has_value') return hasValue(column, isList);
  if (filter === 'has_no_value') return `NOT coalesce(${hasValue(column, isList)}, false)`;
  const kind = kindOf(isList ? type.slice(0, -2) : type);
  const problem = misfit(kind, { filter, value, options });
  if (problem !== undefined)
    throw new OqlError(`${path}[2]`, 'value', `${filter} on ${name}, which is ${type}, ${problem}`, name);
  // The exact reverse, so it holds for a missing value.
  if (filter === 'not_equals')
    return `NOT coalesce(${matches({ sql: column, kind }, isList, { filter: 'equals', value, options })}, false)`;
  return matches({ sql: column, kind }, isList, { filter, value, options });
}

function kindOf(type: string): Kind {
  if (isNumber(type)) return 'number';
  if (type === 'BOOLEAN') return 'bool';
  if (type === 'VARCHAR') return 'text';
  if (type === 'DATE') return 'date';
  return type === 'TIMESTAMP WITH TIME ZONE' ? 'datetime' : 'opaque';
}

/** Returns SQL that is true if there is a value. A list of nulls counts as empty. */
function hasValue(column: string, isList: boolean): string {
  if (!isList) return `${column} IS NOT NULL`;
  return `(array_length(${column}) > 0 AND array_to_string(${column}, ',') IS NOT NULL)`;
}

/** Returns SQL that is true if a value matches. A list matches if one of its values does. */
function matches(value: Value, isList: boolean, test: Test): string {
  if (!isList) return fits(value, test);
  if (value.kind === 'text' && !test.options.regex) return hasText(value.sql, test);
  const condition = fits({ ...value, sql: 'items.item' }, test);
  // Engines differ in correlated subqueries, so this one covers all values.
  return `page_key IN (SELECT pages.page_key FROM mart.pages AS pages CROSS JOIN UNNEST(pages.${value.sql}) AS items(item) WHERE ${condition})`;
}

/** Searches the joined texts of a list, because a subquery for each row takes several times as long. */
function hasText(list: string, { filter, value, options: { ci } }: Test): string {
  const joined = `${SEPARATOR} || array_to_string(${list}, ${SEPARATOR}) || ${SEPARATOR}`;
  const written = text(String(value));
  const [before, after] = {
    equals: [`${SEPARATOR} || `, ` || ${SEPARATOR}`],
    startswith: [`${SEPARATOR} || `, ''],
    endswith: ['', ` || ${SEPARATOR}`],
  }[String(filter)] ?? ['', ''];
  const part = `${before}${written}${after}`;
  const found = ci ? `strpos(lower(${joined}), lower(${part}))` : `strpos(${joined}, ${part})`;
  return `(array_length(${list}) > 0 AND ${found} > 0)`;
}

const SIGNS = { equals: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function fits(it: Value, { filter, value, options }: Test): string {
  if (it.kind === 'text') return fitsText(it.sql, { filter, value, options });
  if (filter === 'between') {
    const [from, to] = value as readonly [OqlValue, OqlValue];
    return `(${it.sql} >= ${literal(it.kind, from)} AND ${it.sql} < ${literal(it.kind, to)})`;
  }
  return `${it.sql} ${SIGNS[filter as keyof typeof SIGNS]} ${literal(it.kind, value)}`;
}

function fitsText(column: string, { filter, value, options: { ci, regex } }: Test): string {
  const given = String(value);
  if (regex) {
    const { source, ignoreCase } = portablePattern(given);
    // A group, because DuckDB turns plain anchored patterns into string tests and treats their anchors as characters.
    const start = filter === 'startswith' || filter === 'equals' ? '^' : '';
    const end = filter === 'endswith' || filter === 'equals' ? '$' : '';
    return `regexp_matches(${column}, ${text(`${ci || ignoreCase ? '(?i)' : ''}${start}(${source})${end}`)})`;
  }
  const [left, right] = ci ? [`lower(${column})`, `lower(${text(given)})`] : [column, text(given)];
  const fitting: Partial<Record<FilterType, string>> = {
    contains: `strpos(${left}, ${right}) > 0`,
    startswith: `starts_with(${left}, ${right})`,
    endswith: `(length(${left}) >= length(${right}) AND substr(${left}, length(${left}) - length(${right}) + 1) = ${right})`,
  };
  return fitting[filter] ?? `${left} = ${right}`;
}

function literal(kind: Kind, value: OqlValue): string {
  if (kind === 'number') return numberLiteral(value as number | bigint);
  if (kind === 'bool') return String(value);
  const plain = String(value).replaceAll('/', '-');
  if (kind === 'date') return `CAST(${text(plain)} AS DATE)`;
  const [day = '', time = '00:00:00'] = plain.replace(' UTC', '').split(' ');
  return `TIMESTAMPTZ ${text(`${day} ${time}+00:00`)}`;
}

/**
 * Writes a number so that whole numbers of any size compare exactly. A DOUBLE would treat neighbors beyond 2^53 as
 * equal.
 */
function numberLiteral(value: number | bigint): string {
  const digits = typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : String(value);
  if (/^-?\d{1,18}$/.test(digits)) return digits;
  return `CAST(${text(digits)} AS ${/^-?\d{1,38}$/.test(digits) ? 'DECIMAL(38, 0)' : 'DOUBLE'})`;
}

const ORDERED: readonly FilterType[] = ['gt', 'gte', 'lt', 'lte', 'between'];
const OF_TEXT: readonly FilterType[] = ['contains', 'startswith', 'endswith'];
/** The longest regular expression, in characters, that the service accepts. */
const LONGEST_PATTERN = 1000;

/** The name of each kind of value, and its test. */
const KINDS: Readonly<
  Record<Exclude<Kind, 'opaque'>, readonly [wanted: string, is: (one: OqlValue) => boolean]>
> = {
  number: ['a number', (one) => typeof one === 'number' || typeof one === 'bigint'],
  bool: ['true or false', (one) => typeof one === 'boolean' || one === 'true' || one === 'false'],
  text: ['a text', (one) => typeof one === 'string'],
  date: ['a day, as in 2026-01-31', (one) => isMoment(one) && /^\S+$/.test(String(one))],
  datetime: ['a time of UTC, as in 2026/01/31 12:00:00 UTC', isMoment],
};

/** Returns what is wrong with a leaf of valid shape for the type of its field. */
function misfit(kind: Kind, { filter, value, options }: Test): string | undefined {
  if (kind === 'opaque') return 'can only have a value or none';
  if (OF_TEXT.includes(filter) && kind !== 'text') return 'is for texts';
  if (ORDERED.includes(filter) && (kind === 'text' || kind === 'bool')) return 'is for numbers and times';
  if (options.regex && kind !== 'text') return 'does not accept a regular expression';
  if (options.regex && String(value).length > LONGEST_PATTERN)
    return `accepts a regular expression of at most ${LONGEST_PATTERN} characters`;
  const fault = options.regex ? patternFault(`${options.ci ? '(?i)' : ''}${value}`) : undefined;
  if (fault !== undefined) return `does not accept this regular expression: ${fault}`;
  const values = Array.isArray(value) ? (value as readonly OqlValue[]) : [value];
  const [wanted, is] = KINDS[kind];
  return values.every(is) ? undefined : `accepts ${wanted}`;
}

/**
 * Checks that a regular expression uses only syntax that all engines match alike. `(?i)` may come first, with or
 * without the option `ci`.
 */
function patternFault(pattern: string): string | undefined {
  try {
    portablePattern(pattern.replace(/^(?:\(\?i\)){2}/, '(?i)'));
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

/** Returns whether the value is a calendar day (2025-02-30 is none), with or without a time. */
function isMoment(value: OqlValue): boolean {
  if (typeof value !== 'string') return false;
  const form = /^(\d{4})[-/](\d{2})[-/](\d{2})(?: ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?: UTC)?)?$/;
  const [, year, month, day] = form.exec(value) ?? [];
  return year !== undefined && calendarDay(`${year}-${month}-${day}`) !== null;
}
