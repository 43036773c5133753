import {
  column,
  flag,
  flagOrNull,
  optional,
  type RowOf,
  text,
  textOrNull,
  textsOrNull,
  typesOf,
  wholeOrNull,
} from './columns.ts';

const REQUEST_COLUMNS = {
  url: text,
  kind: column<'robots_txt' | 'sitemap' | 'recheck' | 'target'>('VARCHAR'),
  status_code: wholeOrNull,
  fetch_status: textOrNull,
  /** Why there was no response, or why a file could not be read. */
  error: textOrNull,
  redirect_location: textOrNull,
  robots_txt_denied: flag,
  is_indexable: flagOrNull,
  is_noindex: flagOrNull,
  canonical: textOrNull,
  /** The language versions that the response declares. */
  hreflang_hrefs: textsOrNull,
  /** URL that declares or lists it. */
  source_url: textOrNull,
  declared_as: optional<DeclaredAs>('VARCHAR'),
  /** URLs of a sitemap; null if it was not read. */
  num_urls: wholeOrNull,
  /** Content of a robots.txt; null if it was not read. */
  content: textOrNull,
  fetch_date: textOrNull,
};
export const REQUEST_TYPES = typesOf(REQUEST_COLUMNS);

/** A request of the crawl that is not for a page. */
export type RequestRecord = RowOf<typeof REQUEST_COLUMNS>;

export const DECLARED_AS = ['canonical', 'hreflang', 'redirect', 'next', 'prev', 'amp'] as const;
export type DeclaredAs = (typeof DECLARED_AS)[number];

/** A request without a response yet. */
export const UNANSWERED_REQUEST = {
  status_code: null,
  fetch_status: null,
  error: null,
  redirect_location: null,
  robots_txt_denied: false,
  is_indexable: null,
  is_noindex: null,
  canonical: null,
  hreflang_hrefs: null,
  source_url: null,
  declared_as: null,
  num_urls: null,
  content: null,
  fetch_date: null,
} as const;

/** Statuses by which a server refuses to show a page, so that the page stays unknown. */
const REFUSALS: readonly number[] = [401, 403, 429, 503];

export function isRefusal(statusCode: number): boolean {
  return REFUSALS.includes(statusCode);
}

/** Returns SQL for whether a response with this status shows anything about the URL. */
export function isReadSql(status: string): string {
  return `coalesce(${status} NOT IN (${REFUSALS.join(', ')}), false)`;
}

/** Returns a point in time, as the service writes it. */
export function fetchDate(at: Date): string {
  return at.toISOString().replace(/^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d).*$/, '$1/$2/$3 $4 UTC');
}
