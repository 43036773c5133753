import { exactDouble, nearestDouble, parseNumber, printsAs, type Rational } from './exact-number.ts';
import { instantOf } from './exact-time.ts';

/**
 * What staging may make of a value: its canonical text (null: NULL), or a reject. With `either`, a reject is right too;
 * ANY is whatever text stands for it.
 */
export type Verdict = { readonly load: string | null; readonly either?: boolean } | 'reject';

export const ANY = '\u0000any';

export type Family = 'whole' | 'real' | 'bool' | 'date' | 'datetime' | 'text' | 'json';

/** Field type of the service for each family. */
export const FIELD_TYPES: Readonly<Record<Family, string>> = {
  whole: 'natural',
  real: 'float',
  bool: 'bool',
  date: 'date',
  datetime: 'datetime',
  text: 'string',
  json: 'object',
};

const WIDEST = 10n ** 38n;
const EXACT = 2n ** 53n;
const DAY_MS = 86_400_000;

/**
 * The value of a text in a family, by exact arithmetic and apart from DuckDB.
 *
 * @param inJson the text is that of a JSON value: a point beyond 2^53 then shows a rounded double
 */
export function textVerdict(family: Family, text: string, inJson: boolean): Verdict {
  if (family === 'text') return { load: text };
  if (family === 'bool')
    return /^(true|false|True|False)$/.test(text) ? { load: text.toLowerCase() } : 'reject';
  if (family === 'date') return dayVerdict(text);
  if (family === 'datetime') {
    const instant = instantOf(text);
    return instant === null ? 'reject' : { load: String(instant) };
  }
  if (family === 'json') return cellJson(text);
  const number = parseNumber(text);
  if (number === null) return 'reject';
  const hasPoint = /[.eE]/.test(text);
  const verdict = numberVerdict(family, number.value, inJson && hasPoint, number.digits);
  return verdict !== 'reject' && (number.spaced || number.long) ? { ...verdict, either: true } : verdict;
}

/** The verdict on a number: `wasDouble` when digits beyond 2^53 prove nothing of a whole one. */
export function numberVerdict(
  family: 'whole' | 'real',
  value: Rational,
  wasDouble: boolean,
  digits: string | null,
): Verdict {
  const [top, bottom] = value;
  const size = top < 0n ? -top : top;
  if (family === 'whole') {
    if (top % bottom !== 0n) return 'reject';
    const whole = top / bottom;
    if (wasDouble && size >= EXACT * bottom) return 'reject';
    return size / bottom < WIDEST ? { load: String(whole) } : 'reject';
  }
  const double = nearestDouble(value);
  if (!Number.isFinite(double)) return 'reject';
  if (Math.abs(double) < 2 ** 53) return { load: String(double + 0) };
  if (digits !== null && !printsAs(double, value, digits.length)) return 'reject';
  if (digits === null && !sameRational(exactDouble(double), value)) return 'reject';
  return { load: String(double) };
}

function sameRational(a: Rational, b: Rational): boolean {
  return a[0] * b[1] === b[0] * a[1];
}

function dayVerdict(text: string): Verdict {
  const parts = /^[\t\n\f\r ]*(\d{4})-(\d\d?)-(\d\d?)[\t\n\f\r ]*$/.exec(text);
  if (!parts) return 'reject';
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return 'reject';
  return { load: String(date.getTime() / DAY_MS) };
}

/** A cell of a JSON field: the JSON that it holds, else the text as a JSON string. */
function cellJson(text: string): Verdict {
  const json = canonicalJson(text);
  return { load: json ?? canonicalJson(JSON.stringify(text)) };
}

/** JSON with its values alone: whole digits kept, other numbers as doubles, no white space; null if it is no JSON. */
export function canonicalJson(text: string): string | null {
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number') return value;
    const source = context?.source ?? '';
    return /^-?\d+$/.test(source)
      ? `#${BigInt(source)}`
      : `#${Number.isInteger(value) && Math.abs(value) < 2 ** 53 ? BigInt(value) : value}`;
  };
  try {
    return JSON.stringify(JSON.parse(text, revive as (key: string, value: unknown) => unknown));
  } catch {
    return null;
  }
}

/** A JSON value as it is written, or an array of such for a field of arity many. */
export type JsonToken = string;

/** The verdict on a JSON value in a field of arity one. */
export function jsonVerdict(family: Family, token: JsonToken): Verdict {
  const kind = jsonKind(token);
  if (kind === 'null') return { load: null };
  if (kind === 'none') return 'reject';
  if (family === 'json') return { load: canonicalJson(token) };
  if (kind === 'string') return textVerdict(family, JSON.parse(token) as string, true);
  if (kind === 'nested') return family === 'text' ? { load: token } : 'reject';
  if (family === 'text' && kind === 'number') return { load: printedNumber(token) };
  return textVerdict(family, token, true);
}

/** Begins the text of a number that is compared by its value; no text of the tests has it. */
const PRINTED = '\u0000';

/** A number in a text field is the text that a JSON parser prints for it, compared by its value as a double. */
function printedNumber(token: string): string {
  return /^-?\d+$/.test(token) ? String(BigInt(token)) : `${PRINTED}${Number(token)}`;
}

export function jsonKind(token: JsonToken): 'null' | 'string' | 'number' | 'bool' | 'nested' | 'none' {
  if (canonicalJson(token) === null) return 'none';
  if (token === 'null') return 'null';
  if (token.startsWith('"')) return 'string';
  if (/^[[{]/.test(token)) return 'nested';
  return token === 'true' || token === 'false' ? 'bool' : 'number';
}

/** The verdict on a list: one broken element breaks it. */
export function listVerdict(verdicts: readonly Verdict[]): Verdict {
  const loads: (string | null)[] = [];
  let either = false;
  for (const verdict of verdicts) {
    if (verdict === 'reject') return 'reject';
    either ||= verdict.either ?? false;
    loads.push(verdict.load);
  }
  return { load: JSON.stringify(loads), either };
}

/** Is what was loaded the value of the verdict? Numbers are compared by value. */
export function isLoaded(family: Family, load: string | null, loaded: string | null): boolean {
  if (load === null || loaded === null) return load === loaded;
  if (load === ANY) return true;
  if (family === 'real') return Number(load) === Number(loaded);
  if (family === 'json') return canonicalJson(loaded) === load;
  if (family === 'text' && load.startsWith(PRINTED))
    return Number(load.slice(PRINTED.length)) === Number(loaded);
  return load === loaded;
}
