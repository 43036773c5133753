import type { PageValues } from '../../../client/fields/page-fields.ts';
import type { Protocols } from '../fetch/protocol-client.ts';
import type { PageImage } from '../parse/images.ts';
import type { Resource } from '../render/rendered.ts';
import {
  column,
  fieldColumns,
  flag,
  flagOrNull,
  optional,
  type RowOf,
  text,
  textOrNull,
  texts,
  textsOrNull,
  typesOf,
  whole,
  wholeOrNull,
} from './columns.ts';
import { REQUEST_TYPES } from './request-record.ts';

/**
 * The records that the crawler's parts pass to each other: the fetched resource, the records that the parser makes of
 * it, and the columns of the tables that DuckDB reads these records into.
 */

import type { Extracted } from '../custom-fields/extractor.ts';
import type { SelectorPage } from '../custom-fields/selector.ts';

/** One fetched resource, as the parser gets it. */
export interface Fetched extends Protocols {
  /** Absolute and normalized. */
  readonly url: string;
  /** Null if there is no response; `error` then gives the reason. */
  readonly statusCode: number | null;
  /** Such as `timeout`, `dns`, `connection`, `tls`, `too_many_retries`. */
  readonly error: string | null;
  /** Why a response is not HTTP, or was stopped by the proxy. */
  readonly refusal: string | null;
  /** Whether its host would use HTTP/2; null over http, and if it is not a page. */
  readonly offersHttp2: boolean | null;
  /** Lowercase names, in the order in which they were sent, duplicates kept. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** After content-encoding, at most the limit of bytes; null if there is no response, or with a `problem`. */
  readonly body: Uint8Array | null;
  /** The body is incomplete: cut at the limit, or ended early. */
  readonly isTruncated: boolean;
  /** Why there is no body: it does not match the content encoding of its headers, or its parser ended. */
  readonly problem: 'unreadable_content' | 'not_parsed' | null;
  /** Size of the body after content-encoding, as far as received; null with a `problem`. */
  readonly bytes: number | null;
  readonly loadTimeMs: number;
  readonly ttfbMs: number;
  readonly fetchedAt: Date;
}

/** The facts about the crawl that the parser needs. */
export interface ParseRules {
  /** Whether a URL belongs to the crawled site. */
  readonly isInternal: (url: URL) => boolean;
  /** The URL as the crawl identifies it: without a fragment, its query string filtered as configured. */
  readonly normalize: (url: URL) => string;
  /** The crawler's product token, in lowercase: `<meta name=TOKEN>` and `X-Robots-Tag: TOKEN: …` address it. */
  readonly robotName: string;
  /** Reads the scraped fields of the configuration; null if there are none. */
  readonly extract: ((page: SelectorPage) => Extracted) | null;
}

export interface ParsedPage {
  readonly page: PageRecord;
  readonly links: LinkRecord[];
  readonly items: StructuredDataRecord[];
}

const LINK_COLUMNS = {
  origin: text,
  /** Absolute and normalized. */
  target: text,
  /** Text of the link; of an image link its `alt`; else its accessible name; null if there is none. */
  anchor: textOrNull,
  /** False if `rel` has nofollow, ugc or sponsored, or the page has nofollow for all its links. */
  follow: flag,
  /** Whether the target belongs to the crawled site. */
  intern: flag,
  /** `nofollow`, `ugc`, `sponsored`, as set on the link itself; null if none is set. */
  rel: textsOrNull,
  /** Whether the link is an image without text. */
  is_image: flag,
  link_position: column<LinkPosition>('VARCHAR'),
};
/** One link of a page: an `a` or `area` with an address of http or https. */
export type LinkRecord = RowOf<typeof LINK_COLUMNS>;

export type LinkPosition = 'Navigation' | 'Header' | 'Footer' | 'Aside' | 'Content';

export type StructuredDataFormat = 'json-ld' | 'microdata' | 'rdfa';

const ITEM_COLUMNS = {
  url: text,
  format: column<StructuredDataFormat>('VARCHAR'),
  type: textOrNull,
  /** Position among the page's items, from 0. */
  position: whole,
  valid: flag,
  missing_properties: textsOrNull,
  /** The item as JSON in the form of JSON-LD: `@type`, `@id`, and its properties by name. */
  item: column<unknown>('JSON'),
};
export type StructuredDataRecord = RowOf<typeof ITEM_COLUMNS>;

const SITEMAP_COLUMNS = {
  url: text,
  /** URL of the sitemap file. */
  sitemap: text,
  /** The declared language versions: `xhtml:link rel="alternate" hreflang`. */
  alternate_langs: texts,
  alternate_hrefs: texts,
  num_images: whole,
  num_news: whole,
  num_videos: whole,
};
/** One URL of a sitemap file, as the caller writes it. */
export type SitemapRecord = RowOf<typeof SITEMAP_COLUMNS>;

const MISSING_COLUMNS = {
  /** Scheme, host and port. */
  origin: text,
  status_code: whole,
  title: textOrNull,
  h1: textOrNull,
  word_count: wholeOrNull,
  simhash: optional<string>('BIGINT'),
};
/** The response of an origin for a page that does not exist. */
export type MissingPageRecord = RowOf<typeof MISSING_COLUMNS>;

const VITALS_COLUMNS = { url: text, warnings: texts };
/** The web vitals of a page, or why it has none. */
export type VitalsRecord = RowOf<typeof VITALS_COLUMNS> & PageValues<'vitals'>;

/** The fields that the caller adds to a page's record. */
export type CrawlFacts = PageValues<'crawl'>;

/** Columns of a page's record that are not fields of the service, and fields with a specific value type. */
const PAGE_COLUMNS = {
  /** Why it could not be fetched, or was refused. */
  fetch_error: textOrNull,
  content_type: textOrNull,
  /** As the Encoding Standard names it, such as `windows-1252`. */
  encoding: textOrNull,
  is_truncated: flag,
  /** Why the content is unknown: `unreadable_content`, `not_parsed`. */
  content_problem: textOrNull,
  relative_hreflangs: textsOrNull,
  /** The first ones of the page. */
  images: optional<readonly PageImage[]>('JSON'),
  /** The n-grams of the main text that may be among the page's top ones. */
  ngrams: optional<readonly NgramCount[]>('STRUCT(ngram VARCHAR, n BIGINT, count BIGINT)[]'),
  /** 60 bits over the main text, as decimal digits: more than a JavaScript number can represent. */
  simhash: optional<string>('BIGINT'),
  /** Pairs of words of the main text (`text-sample.ts`). */
  text_sample: textOrNull,
  has_script: flagOrNull,
  ogp_card: optional<Readonly<Record<string, string>>>('JSON'),
  twc_card: optional<Readonly<Record<string, string>>>('JSON'),
  /** Why it is not rendered, or only partly. */
  render_warnings: textsOrNull,
  /** The watched resources, if `resource_checker` is set. */
  resources: optional<readonly Resource[]>('JSON'),
  /** Scraped fields by name. */
  custom: optional<Extracted['values']>('JSON'),
  custom_problems: textsOrNull,
};
/**
 * One page, as the parser returns it. A value that the page lacks is null; all fields exist. `url` to `url_ext` are set
 * on every record, the rest only if known.
 */
export type PageRecord = Omit<PageValues<'page'>, keyof typeof PAGE_COLUMNS> & RowOf<typeof PAGE_COLUMNS>;

export interface NgramCount {
  readonly ngram: string;
  /** Number of words. */
  readonly n: number;
  /** Occurrences in the page's main text. */
  readonly count: number;
}

type Unknown = { readonly [K in keyof PageRecord as null extends PageRecord[K] ? K : never]: null };

/** A null for every value of a page that may be unknown. */
export const UNKNOWN_PAGE = Object.fromEntries(
  Object.entries({ ...fieldColumns('page'), ...PAGE_COLUMNS })
    .filter(([, { isOptional }]) => isOptional)
    .map(([name]) => [name, null]),
) as Unknown;

/**
 * The tables that the jobs read, by name: one row per record. `fetched_pages` has one row per URL. A line of JSON has
 * the record's own keys; `fetched_pages` has those of `PageRecord` and `CrawlFacts`.
 */
export const CRAWL_TABLES = {
  fetched_pages: typesOf({ ...fieldColumns('page'), ...fieldColumns('crawl'), ...PAGE_COLUMNS }),
  fetched_links: typesOf(LINK_COLUMNS),
  fetched_items: typesOf(ITEM_COLUMNS),
  sitemap_urls: typesOf(SITEMAP_COLUMNS),
  missing_pages: typesOf(MISSING_COLUMNS),
  vitals: typesOf({ ...VITALS_COLUMNS, ...fieldColumns('vitals') }),
  other_requests: REQUEST_TYPES,
} as const;
