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

/** The reasons why a search engine may not index a page, in the order in which docs/definitions.md lists them. */
export function reasonsAgainst(page: Row): string[] {
  const status = num(page, 'status_code');
  const fetched = str(page, 'fetch_status');
  const ranges: Readonly<Record<number, string>> = { 3: 'redirect', 4: 'client_error', 5: 'server_error' };
  const reasons: string[] = [];
  if (bool(page, 'robots_txt_denied') || fetched === 'unfetched_robots_denied') reasons.push('robots_denied');
  if (status === null && fetched === 'unfetched_exception') reasons.push('no_answer');
  if (status !== null && status !== 200) reasons.push(ranges[Math.floor(status / 100)] ?? 'other_status');
  if (isNoindex(page)) reasons.push('noindex');
  if (isCanonicalised(page)) reasons.push('canonicalised');
  if (['false', 'no', 'not_indexable', 'non_indexable', '0'].includes(serviceSays(page)))
    reasons.push('service');
  // The service's word counts only where none of the others says why.
  return reasons.length > 1 ? reasons.filter((reason) => reason !== 'service') : reasons;
}

export const reasonAgainst = (page: Row): string | null => reasonsAgainst(page)[0] ?? null;

/** Whether a search engine may index a page: a 200 that nothing known speaks against. */
export function indexable(page: Row): boolean | null {
  if (reasonAgainst(page) !== null) return false;
  const isSaid = ['true', 'yes', 'indexable', '1'].includes(serviceSays(page));
  return num(page, 'status_code') === 200 || isSaid ? true : null;
}

const serviceSays = (page: Row): string => String(page.indexable ?? '').toLowerCase();

export function isNoindex(page: Row): boolean {
  const evaluated = bool(page, 'meta_robots_index');
  if (evaluated !== null) return !evaluated;
  const directives = (list(page, 'meta_robots') ?? []).join(',').toLowerCase().split(',');
  return directives.some((directive) => ['noindex', 'none'].includes(directive.trim()));
}

export function isCanonicalised(page: Row): boolean {
  const evaluated = str(page, 'canonical_evaluation');
  if (evaluated !== null) return evaluated === 'not_matching';
  const canonical = canonicalUrl(page);
  return canonical !== null && canonical !== bare(new URL(String(page.url)));
}

/** The canonical that a page declares, as an absolute URL; one that is none stays as it is. */
export function canonicalUrl(page: Row): string | null {
  const declared = str(page, 'rel_canonical')?.trim().replace(/#.*$/, '') ?? '';
  if (declared === '') return null;
  const url = URL.parse(declared, String(page.url));
  return url === null ? declared : bare(url);
}

/** How a canonical differs from its page, for pages that declare another one. */
export function canonicalKind(page: Row): string {
  const [own, other] = [new URL(String(page.url)), URL.parse(canonicalUrl(page) ?? '')];
  const path = (url: URL): string => (url.pathname + url.search).replace(/\/$/, '');
  if (other === null || path(own).toLowerCase() !== path(other).toLowerCase()) return 'path';
  if (own.host !== other.host) return 'host';
  if (path(own) !== path(other)) return 'case';
  return own.protocol === other.protocol ? 'slash' : 'scheme';
}

const bare = (url: URL): string => url.href.replace(/#.*$/, '');

/** The service's range of a status, or the one that the status is in. */
export function statusRange(page: Row | undefined): string | null {
  const ranges: Readonly<Record<number, string>> = {
    ...{ 2: 'ok', 3: 'redirect', 4: 'client_error', 5: 'server_error' },
  };
  return str(page, 'status_code_range') ?? ranges[Math.floor((num(page, 'status_code') ?? 0) / 100)] ?? null;
}

export const iso = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('.000Z', 'Z');
