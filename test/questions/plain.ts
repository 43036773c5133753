import type { Row } from './service-data.ts';

/** A number of a row, or null. */
export const num = (row: Row | undefined, name: string): number | null =>
  typeof row?.[name] === 'number' ? row[name] : null;

export const str = (row: Row | undefined, name: string): string | null =>
  typeof row?.[name] === 'string' ? row[name] : null;

export const bool = (row: Row | undefined, name: string): boolean | null =>
  typeof row?.[name] === 'boolean' ? row[name] : null;

/** The service writes a list of one as its value (wire-facts.md). */
export function list(row: Row | undefined, name: string): string[] | null {
  const value = row?.[name] ?? null;
  if (value === null) return null;
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

export const round = (value: number | null, digits: number): number | null =>
  value === null ? null : Math.round(value * 10 ** digits) / 10 ** digits;

/** Rows by a key of several values, in the order they came. */
export function groups<T>(rows: Iterable<T>, keyOf: (row: T) => readonly unknown[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const group = found.get(key);
    if (group) group.push(row);
    else found.set(key, [row]);
  }
  return found;
}

export const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

export const distinct = (values: readonly unknown[]): number =>
  new Set(values.filter((value) => value !== null).map((value) => JSON.stringify(value))).size;

export function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  if (known.length === 0) return null;
  const middle = (known.length - 1) / 2;
  return ((known[Math.floor(middle)] ?? 0) + (known[Math.ceil(middle)] ?? 0)) / 2;
}

/** A text before another, as bytes, NULL behind. */
export const before = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Whether a search engine may index a page: a 200 that nothing known speaks against. */
export function indexable(page: Row): boolean | null {
  const status = num(page, 'status_code');
  if (status !== null && status !== 200) return false;
  if (bool(page, 'meta_robots_index') === false || bool(page, 'robots_txt_denied') === true) return false;
  if (str(page, 'canonical_evaluation') === 'not_matching') return false;
  return status === 200 ? true : null;
}

export const iso = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('.000Z', 'Z');
