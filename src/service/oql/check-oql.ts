import type { FilterType, Oql, OqlLeaf, OqlValue } from '../../client/oql/oql.ts';
import { OqlError, parseOql } from '../../client/oql/parse-oql.ts';
import type { FieldRecord } from '../../client/resources/fields.ts';
import { type Column, type ValueKind, valueKind } from '../fields/column.ts';
import { invalidParameter } from '../resources/refusal.ts';

const ORDERED: readonly FilterType[] = ['gt', 'gte', 'lt', 'lte', 'between'];
const STRING_ONLY: readonly FilterType[] = ['contains', 'startswith', 'endswith'];
/** The longest regular expression, in characters; RE2 bounds its compiled size. */
const MAX_PATTERN = 1000;
const DATE = /^(\d{4})[-/](\d{2})[-/](\d{2})$/;
const DATETIME = /^(\d{4}[-/]\d{2}[-/]\d{2})(?: ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?: UTC)?)?$/;

type Columns = ReadonlyMap<string, Column>;

/**
 * The maximum number of regular expressions in a tree. Each one takes linear time, but runs on every row.
 */
const MAX_PATTERNS = 20;
/** The maximum number of fields that the message about an unknown field names. */
const FEW = 12;

/**
 * Checks a tree against the specification and the fields that it names (`can_filter`, `actions`, type).
 *
 * @throws Refusal that names the field and the path in the tree, which begins with `root`
 */
export function checkOql(tree: unknown, columns: Columns, root = 'oql'): Oql {
  let patterns = 0;
  try {
    return parseOql(tree, {
      root,
      onLeaf: (leaf, path) => {
        checkLeaf(leaf, path, columns);
        if (leaf[3]?.regex) patterns += 1;
        if (patterns > MAX_PATTERNS)
          throw new OqlError(path, 'too_large', `more than ${MAX_PATTERNS} regular expressions`, leaf[0]);
      },
    });
  } catch (error) {
    if (error instanceof OqlError) throw invalidParameter(error.path, error.problem, error.detail);
    throw error;
  }
}

function checkLeaf([name, filter, value, options]: OqlLeaf, path: string, columns: Columns): void {
  const field = columns.get(name)?.field;
  if (field === undefined) {
    const known = columns.size <= FEW ? `: those here are ${[...columns.keys()].join(', ') || 'none'}` : '';
    const detail = `there is no field ${JSON.stringify(name)}${known}`;
    throw new OqlError(`${path}[0]`, 'unknown_field', detail, name);
  }
  if (field.can_filter === false)
    throw new OqlError(`${path}[0]`, 'not_filterable', `${name} can't be filtered by`, name);
  if (field.actions && !field.actions.includes(filter)) {
    const detail = `${name} allows ${field.actions.join(', ') || 'no filter'}, not ${filter}`;
    throw new OqlError(`${path}[1]`, 'filter_not_allowed', detail, name);
  }
  const problem = checkValue(field, filter, value, options?.regex === true);
  if (problem !== undefined)
    throw new OqlError(`${path}[2]`, 'value', `${filter} on ${name} ${problem}`, name);
}

/** Returns why a filter's value, of the right shape already, does not fit the field's type; undefined if it does. */
function checkValue(
  field: FieldRecord,
  filter: FilterType,
  value: OqlValue,
  regex: boolean,
): string | undefined {
  if (filter === 'has_no_value' || filter === 'has_value') return undefined;
  const kind = valueKind(field);
  if (kind === 'opaque') return `does not fit the type ${field.type}`;
  if (STRING_ONLY.includes(filter) && kind !== 'text')
    return `is for strings, not for the type ${field.type}`;
  if (ORDERED.includes(filter) && (kind === 'text' || kind === 'bool'))
    return `is for numbers and dates, not for the type ${field.type}`;
  if (regex) {
    if (kind !== 'text') return `takes no regular expression for the type ${field.type}`;
    if (typeof value === 'string' && value.length > MAX_PATTERN)
      return `takes a regular expression of at most ${MAX_PATTERN} characters`;
  }
  const [wanted, fits] = VALUES[kind];
  if (!Array.isArray(value)) return fits(value) ? undefined : `takes ${wanted}`;
  return value.every(fits) ? undefined : `takes an array of two values, each ${wanted}`;
}

type Fit = readonly [wanted: string, fits: (value: unknown) => boolean];

/** The values that fit those of a field: as a phrase and as a test. */
const VALUES: Readonly<Record<Exclude<ValueKind, 'opaque'>, Fit>> = {
  number: ['a number', (value) => typeof value === 'bigint' || typeof value === 'number'],
  bool: ['true or false', (value) => typeof value === 'boolean' || value === 'true' || value === 'false'],
  text: ['a string', (value) => typeof value === 'string'],
  date: ['a date yyyy-MM-dd', (value) => typeof value === 'string' && isDate(value)],
  datetime: [
    'a date yyyy/MM/dd HH:mm:ss UTC',
    (value) => typeof value === 'string' && isDate(DATETIME.exec(value)?.[1] ?? ''),
  ],
};

/** Returns whether a value is a calendar day; 2025-02-30 is not. */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const iso = `${year}-${month}-${day}`;
  const time = Date.parse(`${iso}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso);
}
