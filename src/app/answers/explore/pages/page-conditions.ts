import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import {
  nodesOf,
  type SerializedSql,
  type SqlNode,
  serializedSql,
} from '../../../../core/duckdb/serialize-sql.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { lookUp } from '../../../../core/text/look-up.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import { calendarDay } from '../../../../core/time/calendar-day.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import { columnName } from '../../presentation/value-text.ts';
import { type Condition, OPERATORS, type Operator } from './page-filter.ts';

/** Columns by name, with their types as DuckDB writes them. */
export type PageColumnTypes = ReadonlyMap<string, string>;

interface BoundCondition {
  readonly sql: string;
  readonly values: ReadonlyMap<string, string>;
}

type Family = 'number' | 'text' | 'boolean' | 'time' | 'list' | 'other';

const ORDERED = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'is'] as const;
const OPERATORS_OF: Readonly<Record<Family, readonly Operator[]>> = {
  number: ORDERED,
  time: ORDERED,
  text: ['eq', 'ne', 'contains', 'not_contains', 'starts', 'ends', 'in', 'is'],
  boolean: ['eq', 'is'],
  list: ['has', 'is'],
  other: ['is'],
};

export function familyOf(type: string): Family {
  if (type.endsWith('[]')) return 'list';
  if (/^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(.*\)|FLOAT|DOUBLE)$/.test(type)) return 'number';
  if (/^(DATE|TIMESTAMP.*)$/.test(type)) return 'time';
  if (type === 'BOOLEAN') return 'boolean';
  return type === 'VARCHAR' ? 'text' : 'other';
}

/**
 * Returns a condition on a column of `pages`. The names of its parameters start with `name`.
 *
 * @throws CrawlhouseError `usage` for an unknown column or operator, or an invalid value
 */
export function boundCondition(condition: Condition, types: PageColumnTypes, name: string): BoundCondition {
  const { column, operator, value } = condition;
  const type = types.get(column);
  if (type === undefined) throw unknownColumn(column, [...types.keys()]);
  const family = familyOf(type);
  if (!OPERATORS_OF[family].includes(operator))
    throw new CrawlhouseError('usage', `${column}: the operator ${operator} does not work with ${type}`, {
      hint: `operators of ${column}: ${OPERATORS_OF[family].join(', ')}`,
    });
  const place = `pages.${ident(column)}`;
  if (operator === 'is') return { sql: isCondition(condition, family, place), values: new Map() };
  const parts = operator === 'in' ? value.split(',') : [value];
  // Lists are compared by the texts of their values, but 7 and 7.0 are the same number.
  const item = family === 'list' && familyOf(type.slice(0, -2)) === 'number' ? type.slice(0, -2) : null;
  const values = new Map(
    parts.map((part, index) => [
      index === 0 ? name : `${name}_${index + 1}`,
      checkedValue(part, condition, item === null ? family : 'number', item ?? type),
    ]),
  );
  const bound = [...values].map(([key, part]) => {
    const cast = `CAST($${key} AS ${boundType(part, item ?? type)})`;
    return item === null ? cast : `CAST(${cast} AS VARCHAR)`;
  });
  const [first = ''] = bound;
  const compared = { place, first, all: bound.join(', '), length: [...value].length };
  return { sql: COMPARISONS[operator](compared), values };
}

/** Returns the type to which a value is converted. An integer type would round `4.5` to 5. */
function boundType(value: string, type: string): string {
  if (type.endsWith('[]')) return 'VARCHAR';
  return /INT(EGER)?$/.test(type) && !/^[+-]?\d+$/.test(value) ? 'DOUBLE' : type;
}

const FIRST = 'inrank_decimal desc';

/** Returns the order of the pages; by default, the highest link score first. */
export function sortOf(sort: string | undefined, types: PageColumnTypes): { column: string; sql: string } {
  const [, column = '', direction = 'asc'] = /^\s*(\S+?)(?:\s+(asc|desc))?\s*$/i.exec(sort ?? FIRST) ?? [];
  if (types.has(column)) return { column, sql: `${ident(column)} ${direction.toUpperCase()} NULLS LAST` };
  throw new CrawlhouseError('usage', `--sort: mart.pages has no column ${column || sort}`, {
    hint: `${didYouMean(column, [...types.keys()])}docs/reference/dictionary.md lists the columns; 'COLUMN desc' sorts the largest first`,
  });
}

export function unknownColumn(column: string, columns: readonly string[]): CrawlhouseError {
  return new CrawlhouseError('usage', `pages have no column ${column}`, {
    hint: `${didYouMean(column, columns)}docs/reference/dictionary.md lists the columns of mart.pages`,
  });
}

interface Compared {
  readonly place: string;
  readonly first: string;
  readonly all: string;
  /** Characters of the value. */
  readonly length: number;
}

const COMPARISONS: Readonly<Record<Exclude<Operator, 'is'>, (compared: Compared) => string>> = {
  eq: ({ place, first }) => `${place} = ${first}`,
  // A page whose value is unknown is not equal.
  ne: ({ place, first }) => `${place} IS DISTINCT FROM ${first}`,
  gt: ({ place, first }) => `${place} > ${first}`,
  gte: ({ place, first }) => `${place} >= ${first}`,
  lt: ({ place, first }) => `${place} < ${first}`,
  lte: ({ place, first }) => `${place} <= ${first}`,
  in: ({ place, all }) => `${place} IN (${all})`,
  contains: ({ place, first }) => `strpos(lower(${place}), lower(${first})) > 0`,
  not_contains: ({ place, first }) => `coalesce(strpos(lower(${place}), lower(${first})), 0) = 0`,
  starts: ({ place, first }) => `starts_with(${place}, ${first})`,
  ends: ({ place, first, length }) =>
    `length(${place}) >= ${length} AND substr(${place}, length(${place}) - ${length - 1}) = ${first}`,
  has: ({ place, first }) =>
    `strpos(chr(31) || array_to_string(${place}, chr(31)) || chr(31), chr(31) || ${first} || chr(31)) > 0`,
};

const IS: Readonly<Record<string, (place: string, family: Family) => string | null>> = {
  null: (place) => `${place} IS NULL`,
  not_null: (place) => `${place} IS NOT NULL`,
  true: (place, family) => (family === 'boolean' ? place : null),
  false: (place, family) => (family === 'boolean' ? `NOT ${place}` : null),
};

function isCondition({ column, value }: Condition, family: Family, place: string): string {
  const sql = Object.hasOwn(IS, value) ? lookUp(IS, value)?.(place, family) : null;
  if (sql) return sql;
  throw new CrawlhouseError('usage', `${column}: the operator is does not accept ${value}`, {
    hint: `is:null, is:not_null${family === 'boolean' ? ', is:true, is:false' : ''}`,
  });
}

const FORMS: Readonly<Partial<Record<Family, { readonly fits: RegExp; readonly example: string }>>> = {
  number: { fits: /^[+-]?(\d{1,38}(\.\d{0,20})?|\.\d{1,20})(e[+-]?\d{1,2})?$/i, example: '4 or 0.5' },
  time: {
    fits: /^\d{4}-\d\d-\d\d([ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/,
    example: '2026-11-22',
  },
  boolean: { fits: /^(true|false)$/i, example: 'true or false' },
};

/** Bits of integer types; types that begin with U are unsigned. */
const BITS = { TINYINT: 8n, SMALLINT: 16n, INTEGER: 32n, BIGINT: 64n, HUGEINT: 128n } as const;

/** Returns why a type cannot hold the value; null if it can. */
function beyond(value: string, family: Family, type: string): string | null {
  if (family === 'time') {
    return calendarDay(value.slice(0, 10)) === null ? 'not a calendar day' : null;
  }
  const bits = BITS[type.replace(/^U(?=.*INT)/, '') as keyof typeof BITS];
  if (bits === undefined || !/^[+-]?\d+$/.test(value)) return null;
  const isSigned = !type.startsWith('U');
  const most = 2n ** (isSigned ? bits - 1n : bits) - 1n;
  const least = isSigned ? -most - 1n : 0n;
  const number = BigInt(value.replace(/^\+/, ''));
  return number >= least && number <= most ? null : `beyond ${type}, ${least} to ${most}`;
}

function checkedValue(value: string, { column, operator }: Condition, family: Family, type: string): string {
  const form = FORMS[family];
  if (form === undefined) return value;
  const hint = `as in ${column}=${operator === 'has' ? 'has' : 'eq'}:${form.example}`;
  if (form.fits.test(value)) {
    const why = beyond(value, family, type);
    if (why === null) return value;
    throw new CrawlhouseError('usage', `${column}: ${value} is ${why}`, { hint });
  }
  throw new CrawlhouseError('usage', `${column}: ${text(value)} is not a ${family}`, { hint });
}

/** Returns a condition for people: `depth at least 4`. */
export function conditionWords({ column, operator, value }: Condition): string {
  return `${columnName(column)} ${OPERATORS[operator]} ${value.replaceAll('_', ' ')}`;
}

const PARSE = 'SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree';

/**
 * Returns the columns that an SQL condition refers to.
 *
 * @param flag the flag that contains the condition
 * @throws CrawlhouseError `usage` if DuckDB's parser finds anything but one condition
 */
export async function columnsOfCondition(
  warehouse: CatalogReader,
  condition: string,
  signal: AbortSignal,
  flag = 'where',
): Promise<readonly string[]> {
  const parse = async (sql: string): Promise<SerializedSql> => {
    const [row] = await warehouse.rows(PARSE, signal, new Map([['sql', sql]]));
    return serializedSql(String((row as { tree: unknown }).tree));
  };
  // Two parses: one rejects brackets that close ours, the other rejects keywords that continue after the condition.
  const bracketed = await parse(`SELECT 1 WHERE (${condition}\n)`);
  const between = await parse(`SELECT CASE WHEN ${condition}\nTHEN 1 END`);
  const [statement, second] = bracketed.statements ?? [];
  if (bracketed.error || between.error || second !== undefined || !isBare(statement?.node)) {
    const why = bracketed.error_message ?? between.error_message;
    throw new CrawlhouseError('usage', `--${flag}: ${condition} is not a single condition`, {
      hint: `${why === undefined ? '' : `${why}; `}as in --${flag} 'status_code = 404'`,
    });
  }
  return [...nodesOf(statement?.node.where_clause)].flatMap((node) =>
    node.class === 'COLUMN_REF' ? [String((node.column_names as string[]).at(-1))] : [],
  );
}

/** Returns a SELECT of one value, with only a condition. */
const isBare = (node: SqlNode | undefined): boolean =>
  node?.type === 'SELECT_NODE' &&
  (node.from_table as SqlNode | null)?.type === 'EMPTY' &&
  (node.modifiers as unknown[]).length === 0 &&
  (node.group_expressions as unknown[]).length === 0 &&
  [node.having, node.qualify].every((part) => part === null);

/** Returns the name of the column if it can be a parameter's name; with a number if it is taken. */
export function parameterName(column: string, index: number, taken: ReadonlyMap<string, unknown>): string {
  const name = /^[a-z_]\w*$/i.test(column) ? column : 'value';
  return taken.has(name) ? `${name}_${index + 1}x` : name;
}
