import type { Row } from '../sites/sites.ts';

/** Reads values of rows, and does sums, in plain code. */

export function num(row: Row | undefined, name: string): number | null {
  const value = row?.[name] ?? null;
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
}

export const str = (row: Row | undefined, name: string): string | null =>
  typeof row?.[name] === 'string' ? row[name] : null;

export const bool = (row: Row | undefined, name: string): boolean | null =>
  typeof row?.[name] === 'boolean' ? row[name] : null;

/** The service writes a list of one as its value. */
export function list(row: Row | undefined, name: string): string[] | null {
  const value = row?.[name] ?? null;
  if (value === null) return null;
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** Keeps what was made for each object. */
export function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

/** Texts by their bytes. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Different texts, in order. */
export const ordered = (values: Iterable<string>): string[] => [...new Set(values)].toSorted(byBytes);

/** Rows by a key of several values, in the order they came. */
export function groups<T>(rows: Iterable<T>, keyOf: (row: T) => readonly unknown[]): T[][] {
  return [...Map.groupBy(rows, (row) => JSON.stringify(keyOf(row))).values()];
}

export const isKnown = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** The sum; null where one of the values is not known. */
export const sumOfAll = (values: readonly (number | null)[]): number | null =>
  values.every(isKnown) ? values.reduce((total, value) => total + value, 0) : null;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Rounded, a half away from zero, from the value at nine decimals. */
export function rounded(value: number, digits: number, by = 1): number {
  const billionths = BigInt((Math.abs(value) / by).toFixed(9).replace('.', ''));
  const unit = 10n ** BigInt(9 - digits);
  const whole = Number((2n * billionths + unit) / (2n * unit));
  return (Math.sign(value) * whole) / 10 ** digits || 0;
}

/** A percentage of one decimal; null of nothing. */
export const percent = (part: number, all: number, digits = 1): number | null =>
  all === 0 ? null : rounded(100 * part, digits, all);

export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter(isKnown).toSorted((a, b) => a - b);
  if (known.length === 0) return null;
  const middle = (known.length - 1) / 2;
  return ((known[Math.floor(middle)] ?? 0) + (known[Math.ceil(middle)] ?? 0)) / 2;
}

export const distinct = (values: readonly unknown[]): number => new Set(values.filter(isKnown)).size;

const DAY = 86_400_000;
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY);
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY;
export const iso = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString();

/** How many are true; null where none is known. */
export function trueOf(values: readonly (boolean | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.filter((value) => value).length;
}
