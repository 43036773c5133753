import { TookTooLong, withinTime } from '../../../core/time/within-time.ts';
import { collapsed } from '../parse/text/text.ts';
import type { CustomField } from './custom-field.ts';
import { compileSelector, type Match, type SelectorPage } from './selector.ts';

/** Characters of one value, and values of one field. */
const LONGEST_VALUE = 10_000;
const MOST_VALUES = 1_000;

type Value = string | number | boolean;

export interface Extracted {
  /** Values by field name, without fields that the page lacks. */
  readonly values: Readonly<Record<string, Value | readonly Value[]>>;
  /** Why a field of the page has no value, such as `custom_price: timeout`. */
  readonly problems: readonly string[];
}

/**
 * Reads the custom fields of pages with checked rules. If a rule takes too long, its field stays empty and the page
 * gets a warning.
 */
export function extractor(fields: readonly CustomField[]): (page: SelectorPage) => Extracted {
  const rules = fields.map((field) => ({
    ...field,
    select: compileSelector(field.language, field.selector),
  }));
  return (page) => {
    const values: Record<string, Value | readonly Value[]> = {};
    const problems: string[] = [];
    for (const rule of rules) {
      try {
        const value = withinTime(() => taken(rule, rule.select(page)));
        if (value !== null) values[rule.field] = value;
      } catch (error) {
        problems.push(`${rule.field}: ${error instanceof TookTooLong ? 'timeout' : 'error'}`);
      }
    }
    return { values, problems };
  };
}

function taken(rule: CustomField, matches: Iterable<Match>): Value | readonly Value[] | null {
  const { take, attribute, isMany } = rule;
  if (take === 'count') return Iterator.from(matches).reduce((count) => count + 1, 0);
  if (take === 'exists') return Iterator.from(matches).some(() => true);
  const values: Value[] = [];
  for (const match of matches) {
    const text =
      take === 'html' ? match.html() : take === 'attribute' ? match.attribute(attribute ?? '') : match.text();
    const said = take === 'html' ? text : collapsed(text ?? '');
    const value = said === null ? null : typedValue(said.slice(0, LONGEST_VALUE), rule);
    if (value !== null) values.push(value);
    // The first match counts, even if its value does not have the type.
    if (!isMany || values.length >= MOST_VALUES) break;
  }
  if (isMany) return values.length === 0 ? null : values;
  return values[0] ?? null;
}

/** Returns a text as a value of the type; null if it does not have the type. */
function typedValue(text: string, { type, decimal }: Pick<CustomField, 'type' | 'decimal'>): Value | null {
  switch (type) {
    case 'string':
      return text;
    case 'number':
      return numberOf(text, decimal);
    case 'date':
      return dateOf(text);
    case 'boolean':
      return TRUTHS.get(text.toLowerCase()) ?? null;
  }
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
]);

/** The first run of digits with possible separators, and its sign. */
const NUMBER =
  /(?<![\p{L}\d])([-+\u2212])?(\d(?:[\d.,'\u2019\u00a0\u202f ]*\d)?)(?:[eE]([-+]?\d{1,3})(?![\p{L}\d]))?/u;
/** Groups of three digits, or as in India groups of two and a last group of three. */
const GROUPED = /^(?:\d{1,3}(?:[.,]\d{3})+|\d{1,2}(?:[.,]\d{2})*[.,]\d{3})$/;
/** Spaces and apostrophes group thousands everywhere. */
const GROUPING = /['\u2019\u00a0\u202f ]/g;

/**
 * Returns the first number of a text. The rule specifies the decimal sign; the other one of point and comma groups
 * thousands. A text that breaks these rules is not a number. For example, 12,5 could be a price or a misprint, so the
 * value is not guessed.
 */
function numberOf(text: string, decimal: '.' | ','): number | null {
  const [, sign, digits = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const [whole = '', fraction, more] = digits
    .replaceAll(GROUPING, decimal === '.' ? ',' : '.')
    .split(decimal);
  const isPlain = /^\d+$/.test(whole) || GROUPED.test(whole);
  if (!isPlain || more !== undefined || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  const number = Number(`${whole.replaceAll(/\D/g, '')}.${fraction ?? 0}e${exponent}`);
  return sign === undefined || sign === '+' ? number : 0 - number;
}

/** ISO 8601, such as `2026-11-05` and `2026-11-05T08:00:00+01:00`. The day counts as written. */
const DAY = /^(\d{4}-\d{2}-\d{2})(?:$|[T ]\d{2}:\d{2})/;

function dateOf(text: string): string | null {
  const day = DAY.exec(text)?.[1];
  if (day === undefined) return null;
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : null;
}
