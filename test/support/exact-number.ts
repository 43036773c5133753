/** A rational number: numerator and a denominator above zero. */
export type Rational = readonly [bigint, bigint];

export interface ParsedNumber {
  readonly value: Rational;
  /** Its significant digits, without zeros at either end. */
  readonly digits: string;
  /** White space stood around it. */
  readonly spaced: boolean;
  /** So long that a reader may well give up: more digits or a larger exponent than any number of use has. */
  readonly long: boolean;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** The exact value of a decimal text; null if it is none. */
export function parseNumber(text: string): ParsedNumber | null {
  const bare = text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '');
  const parts = NUMBER.exec(bare);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts ?? [];
  if (!parts || whole + fraction === '') return null;
  const all = whole + fraction;
  const digits = all.replace(/^0+|0+$/g, '');
  const long = all.length > 38 || exponent.replace(/^[+-]?0*/, '').length > 5 || exponent.length > 6;
  const spaced = bare !== text;
  const mantissa = BigInt(all) * (sign === '-' ? -1n : 1n);
  // Beyond this a double is zero or infinite, whatever the digits.
  const power = Math.max(-2000, Math.min(2000, Number(exponent))) - fraction.length;
  const value: Rational =
    power >= 0 ? [mantissa * 10n ** BigInt(power), 1n] : [mantissa, 10n ** BigInt(-power)];
  return { value, digits, spaced, long };
}

/** The double nearest to a rational, by JavaScript's own decimal reader where it is a decimal. */
export function nearestDouble([top, bottom]: Rational): number {
  if (bottom === 1n) return Number(top);
  const power = String(bottom).length - 1;
  if (10n ** BigInt(power) === bottom) return Number(`${top}e-${power}`);
  // A power of two: exact doubles alone come so.
  return Number(top) / Number(bottom);
}

/** The exact value of a finite double. */
export function exactDouble(double: number): Rational {
  const bits = new BigUint64Array(new Float64Array([double]).buffer)[0] ?? 0n;
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const shift = Math.max(exponent, 1) - 1075;
  const signed = bits >> 63n ? -mantissa : mantissa;
  return shift >= 0 ? [signed << BigInt(shift), 1n] : [signed, 1n << BigInt(-shift)];
}

/** Is `value` what a double above 2^53 is, rounded to so many significant digits? */
export function printsAs(double: number, value: Rational, digits: number): boolean {
  const exact = exactDouble(double)[0];
  const size = exact < 0n ? -exact : exact;
  const unit = 10n ** BigInt(Math.max(0, String(size).length - digits));
  const difference = exact * value[1] - value[0];
  const distance = difference < 0n ? -difference : difference;
  // Half a unit of the last digit; without any digit left out the two are equal.
  return unit === 1n ? difference === 0n : 2n * distance <= unit * value[1];
}
