import type { CustomField } from './custom-field.ts';

type Value = string | number | boolean;

/** A text as a value of the type; null for a text that is none. */
export function typedValue(
  text: string,
  { type, decimal }: Pick<CustomField, 'type' | 'decimal'>,
): Value | null {
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

/** The first run of digits with what may stand between them, and its sign. */
const NUMBER = /(?<![\p{L}\d])([-+\u2212])?(\d(?:[\d.,'\u2019\u00a0\u202f ]*\d)?)/u;
/** Spaces and apostrophes group thousands everywhere. */
const GROUPING = /['\u2019\u00a0\u202f ]/g;

/**
 * The first number of a text. The decimal sign is the rule's; the other one of point and comma groups thousands. A text
 * that breaks these rules is no number: it is not guessed whether 12,5 is a price or a misprint.
 */
function numberOf(text: string, decimal: '.' | ','): number | null {
  const [, sign, digits = ''] = NUMBER.exec(text) ?? [];
  const [whole = '', fraction, more] = digits
    .replaceAll(GROUPING, decimal === '.' ? ',' : '.')
    .split(decimal);
  const isPlain = /^\d+$/.test(whole) || /^\d{1,3}(?:[.,]\d{3})+$/.test(whole);
  if (!isPlain || more !== undefined || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  const number = Number(`${whole.replaceAll(/\D/g, '')}.${fraction ?? 0}`);
  return sign === undefined || sign === '+' ? number : 0 - number;
}

/** ISO 8601, such as `2026-11-05` and `2026-11-05T08:00:00+01:00`, of which the day counts as it is written. */
const DAY = /^(\d{4}-\d{2}-\d{2})(?:$|[T ]\d{2}:\d{2})/;

function dateOf(text: string): string | null {
  const day = DAY.exec(text)?.[1];
  if (day === undefined) return null;
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : null;
}
