/** The greatest number of clicks that the tables hold. */
const MOST = 2n ** 63n - 1n;
/** Spaces, apostrophes, the Arabic mark of thousands, and marks of the direction of writing: no part of a number. */
const FILLING = /[\s\u00a0\u202f\u2009'’٬\u200e\u200f\u061c]/g;
/** Digits in groups of three, or of two before the last three, as in India. */
const GROUPED = /^\d{1,3}(,\d{3})+$|^\d{1,3}(\.\d{3})+$|^\d{1,2}(,\d{2})*,\d{3}$/;

/**
 * A number of clicks or impressions, in any locale's way of writing it: `1234`, `1,234`, `1.234`, `1 234`, `12.0`.
 *
 * @returns undefined for a text that is no such number, or one beyond 2^63 - 1
 */
export function parseCount(text: string): bigint | undefined {
  const plain = latinDigits(text).replace(FILLING, '');
  // `12.0` is a number that passed through a spreadsheet.
  const digits = GROUPED.test(plain) ? plain.replace(/[.,]/g, '') : plain.replace(/[.,]0{1,2}$/, '');
  if (!/^\d{1,19}$/.test(digits)) return undefined;
  const value = BigInt(digits);
  return value > MOST ? undefined : value;
}

/**
 * A number with decimals, in any locale's way of writing it: `8.25`, `8,25`, `1.234,5`. The last mark begins the
 * decimals.
 *
 * @returns undefined for a text that is no such number
 */
export function parseDecimal(text: string): number | undefined {
  const plain = latinDigits(text).replace(FILLING, '').replaceAll('٫', '.');
  if (!/^\d[\d.,]*$/.test(plain)) return undefined;
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  if (last === -1) return finite(plain);
  const [whole, decimals] = [plain.slice(0, last), plain.slice(last + 1)];
  if (!/^\d*$/.test(decimals) || !(/^\d+$/.test(whole) || GROUPED.test(whole))) return undefined;
  // The mark of the thousands is another than that of the decimals.
  if (whole.includes(plain[last] ?? '')) return undefined;
  return finite(`${whole.replace(/[.,]/g, '')}.${decimals}`);
}

/** Undefined for digits beyond what a number holds. */
function finite(digits: string): number | undefined {
  const value = Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * A rate: `3.5%`, `3,5 %`, `%3,5`, or a number from 0 to 1 without the sign.
 *
 * @returns from 0; undefined for a text that is no rate
 */
export function parseRate(text: string): number | undefined {
  const plain = text.replace(/[%٪﹪％]/g, '');
  const value = parseDecimal(plain);
  if (value === undefined) return undefined;
  if (plain !== text) return value / 100;
  return value <= 1 ? value : undefined;
}

/** Arabic, Persian and Devanagari digits as 0 to 9. */
function latinDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = code >= 0x966 ? 0x966 : code >= 0x6f0 ? 0x6f0 : 0x660;
    return String(code - zero);
  });
}
