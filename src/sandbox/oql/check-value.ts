import type { FieldRecord } from '../../api/fields.ts';
import type { FilterType } from '../../api/oql.ts';

const NUMERIC = new Set(['natural', 'integer', 'float', 'percentage', 'ratio']);
const TEXT = new Set(['string', 'enum', 'hash']);
const ORDERED: readonly FilterType[] = ['gt', 'gte', 'lt', 'lte', 'between'];
const STRING_ONLY: readonly FilterType[] = ['contains', 'startswith', 'endswith'];

const DATE = /^\d{4}[-/]\d{2}[-/]\d{2}$/;
const DATETIME = /^\d{4}[-/]\d{2}[-/]\d{2}( \d{2}:\d{2}:\d{2}( UTC)?)?$/;

export type ValueKind = 'number' | 'bool' | 'text' | 'date' | 'datetime' | 'opaque';

export function valueKind(field: FieldRecord): ValueKind {
  if (NUMERIC.has(field.type)) return 'number';
  if (TEXT.has(field.type)) return 'text';
  if (field.type === 'bool' || field.type === 'date' || field.type === 'datetime') return field.type;
  return 'opaque';
}

/** What is wrong with a filter's value, or nothing. */
export function checkValue(
  field: FieldRecord,
  filter: FilterType,
  value: unknown,
  regex: boolean,
): string | undefined {
  if (filter === 'has_no_value') return value === '' ? undefined : 'takes an empty string';
  if (filter === 'has_value') return typeof value === 'object' ? 'takes an empty string' : undefined;
  const kind = valueKind(field);
  if (kind === 'opaque') return `does not fit the type ${field.type}`;
  if (STRING_ONLY.includes(filter) && kind !== 'text')
    return `is for strings, not for the type ${field.type}`;
  if (ORDERED.includes(filter) && (kind === 'text' || kind === 'bool')) {
    return `is for numbers and dates, not for the type ${field.type}`;
  }
  if (regex) {
    if (kind !== 'text') return `takes no regular expression for the type ${field.type}`;
    if (typeof value === 'string' && value.length > 1000)
      return 'takes a regular expression of at most 1,000 characters';
  }
  if (filter !== 'between') return fits(kind, value) ? undefined : `takes ${WANTED[kind]}`;
  if (!Array.isArray(value) || value.length !== 2) return 'takes an array of two values';
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
      return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
    case 'bool':
      return typeof value === 'boolean' || value === 'true' || value === 'false';
    case 'text':
      return typeof value === 'string';
    case 'date':
      return typeof value === 'string' && DATE.test(value);
    case 'datetime':
      return typeof value === 'string' && DATETIME.test(value);
  }
}
