import type { FilterType, OqlValue } from '../../api/oql/oql.ts';
import type { FieldRecord } from '../../api/resources/fields.ts';

const NUMERIC = new Set(['natural', 'integer', 'float', 'percentage', 'ratio']);
const TEXT = new Set(['string', 'enum', 'hash']);
const ORDERED: readonly FilterType[] = ['gt', 'gte', 'lt', 'lte', 'between'];
const STRING_ONLY: readonly FilterType[] = ['contains', 'startswith', 'endswith'];

/** The longest regular expression, in characters; RE2 bounds its compiled size. */
const MAX_PATTERN = 1000;

const DATE = /^(\d{4})[-/](\d{2})[-/](\d{2})$/;
const DATETIME = /^(\d{4}[-/]\d{2}[-/]\d{2})(?: ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?: UTC)?)?$/;

export type ValueKind = 'number' | 'bool' | 'text' | 'date' | 'datetime' | 'opaque';

export function valueKind(field: FieldRecord): ValueKind {
  if (NUMERIC.has(field.type)) return 'number';
  if (TEXT.has(field.type)) return 'text';
  if (field.type === 'bool' || field.type === 'date' || field.type === 'datetime') return field.type;
  return 'opaque';
}

/** Why a filter's value, of the right shape already, does not fit the field's type; nothing where it does. */
export function checkValue(
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
  if (ORDERED.includes(filter) && (kind === 'text' || kind === 'bool')) {
    return `is for numbers and dates, not for the type ${field.type}`;
  }
  if (regex) {
    if (kind !== 'text') return `takes no regular expression for the type ${field.type}`;
    if (typeof value === 'string' && value.length > MAX_PATTERN)
      return `takes a regular expression of at most ${MAX_PATTERN} characters`;
  }
  if (!Array.isArray(value)) return fits(kind, value) ? undefined : `takes ${WANTED[kind]}`;
  return value.every((bound) => fits(kind, bound))
    ? undefined
    : `takes an array of two values, each ${WANTED[kind]}`;
}

const WANTED: Readonly<Record<Exclude<ValueKind, 'opaque'>, string>> = {
  number: 'a number',
  bool: 'true or false',
  text: 'a string',
  date: 'a date yyyy-MM-dd',
  datetime: 'a date yyyy/MM/dd HH:mm:ss UTC',
};

function fits(kind: Exclude<ValueKind, 'opaque'>, value: unknown): boolean {
  switch (kind) {
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number';
    case 'bool':
      return typeof value === 'boolean' || value === 'true' || value === 'false';
    case 'text':
      return typeof value === 'string';
    case 'date':
      return typeof value === 'string' && isDate(value);
    case 'datetime':
      return typeof value === 'string' && isDate(DATETIME.exec(value)?.[1] ?? '');
  }
}

/** A day of the calendar: 2025-02-30 is none. */
function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const iso = `${year}-${month}-${day}`;
  const time = Date.parse(`${iso}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso);
}
