/** The mark before the decimals of a table's numbers; the other one groups thousands. */
export const DECIMAL_MARKS = ['point', 'comma'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

/** The greatest number of clicks that the tables can store. */
const MOST = 2n ** 63n - 1n;
/** Spaces, apostrophes, the Arabic thousands separator, and direction marks, which are not part of a number. */
const FILLING = /[\s\u00a0\u202f\u2009'’٬\u200e\u200f\u061c]/g;
/** Digits in groups of three, or of two before the last three, as in India. */
const GROUPED = { ',': /^\d{1,3}(,\d{3})+$|^\d{1,2}(,\d{2})*,\d{3}$/, '.': /^\d{1,3}(\.\d{3})+$/ } as const;

/**
 * Parses a number of clicks or impressions in a table with this decimal mark: `1234`, `1 234`, `1,234` with a point, or
 * `12.0` from a spreadsheet.
 *
 * @returns undefined if the text is not such a number, or one beyond 2^63 - 1
 */
export function parseCount(text: string, mark: DecimalMark): bigint | undefined {
  const [whole, decimals = ''] = partsOf(text, mark) ?? [];
  if (whole === undefined || whole.length > 19 || !/^0*$/.test(decimals)) return undefined;
  const value = BigInt(whole);
  return value > MOST ? undefined : value;
}

/**
 * Parses a number with the given decimal separator: `8.25` with a point, `1.234,5` with a comma.
 *
 * @returns undefined if the text is not such a number
 */
export function parseDecimal(text: string, mark: DecimalMark): number | undefined {
  const [whole, decimals = ''] = partsOf(text, mark) ?? [];
  if (whole === undefined) return undefined;
  const value = Number(`${whole}.${decimals}`);
  return Number.isFinite(value) ? value : undefined;
}

const PERCENT = /[%٪﹪％]/g;

/**
 * Parses a rate: `3.5%`, `3,5 %`, `%3,5`, or a number from 0 to 1 without the percent sign.
 *
 * @returns from 0; undefined if the text is not a rate
 */
export function parseRate(text: string, mark: DecimalMark): number | undefined {
  const plain = text.replace(PERCENT, '');
  const value = parseDecimal(plain, mark);
  if (value === undefined) return undefined;
  if (plain !== text) return value / 100;
  return value <= 1 ? value : undefined;
}

/** Returns whether a string is a figure in any notation, also as a percentage. */
export function isFigure(text: string): boolean {
  return DECIMAL_MARKS.some((mark) => parseDecimal(text.replace(PERCENT, ''), mark) !== undefined);
}

/** Returns the digits before the decimals, and the decimals; undefined if the text is not a number. */
function partsOf(text: string, mark: DecimalMark): readonly [string, string?] | undefined {
  if (/^\d+$/.test(text)) return [text];
  const [decimal, group] = mark === 'point' ? (['.', ','] as const) : ([',', '.'] as const);
  const plain = latinDigits(text).replace(FILLING, '').replaceAll('٫', decimal);
  const [whole = '', decimals, ...more] = plain.split(decimal);
  if (more.length > 0 || !/^\d*$/.test(decimals ?? '')) return undefined;
  if (!/^\d+$/.test(whole) && !GROUPED[group].test(whole)) return undefined;
  const digits = whole.replaceAll(group, '');
  return decimals === undefined ? [digits] : [digits, decimals];
}

/** Arabic, Persian and Devanagari digits as 0 to 9. */
function latinDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = code >= 0x966 ? 0x966 : code >= 0x6f0 ? 0x6f0 : 0x660;
    return String(code - zero);
  });
}
