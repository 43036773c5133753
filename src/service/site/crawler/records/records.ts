import type { Protocols } from '../fetch/protocol-client.ts';
import type { PageImage } from '../parse/images.ts';
import type { Resource } from '../render/rendered.ts';
import {
  column,
  flag,
  flagOrNull,
  optional,
  type RecordColumn,
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
  /** Absolute and normalised. */
  readonly url: string;
  /** Null: no answer. Then `error` says why. */
  readonly statusCode: number | null;
  /** Such as `timeout`, `dns`, `connection`, `tls`, `too_many_retries`. */
  readonly error: string | null;
  /** Of an answer that is no HTTP, or that the proxy did not let through: why. */
  readonly refusal: string | null;
  /** Whether its host would speak HTTP/2; null over http, and for what is no page. */
  readonly offersHttp2: boolean | null;
  /** Lower-case names, in the order in which they were sent, duplicates kept. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** After content-encoding, at most the limit of bytes; null without an answer, or with a `problem`. */
  readonly body: Uint8Array | null;
  /** The body is not whole: it was cut at the limit, or ended before its end. */
  readonly isTruncated: boolean;
  /** Why there is no body: it is not in the content encoding that its headers name, or its parser ended. */
  readonly problem: 'unreadable_content' | 'not_parsed' | null;
  /** Size of the body after content-encoding, as far as it came; null with a `problem`. */
  readonly bytes: number | null;
  readonly loadTimeMs: number;
  readonly ttfbMs: number;
  readonly fetchedAt: Date;
}

/** The facts about the crawl that the parser needs. */
export interface ParseRules {
  /** Whether a URL belongs to the crawled site. */
  readonly isInternal: (url: URL) => boolean;
  /** The URL as the crawl knows it: without a fragment, its query string filtered as configured. */
  readonly normalize: (url: URL) => string;
  /** The crawler's product token, in lower case: `<meta name=TOKEN>` and `X-Robots-Tag: TOKEN: …` speak to it. */
  readonly robotName: string;
  /** Reads what the configuration scrapes; null where it scrapes nothing. */
  readonly extract: ((page: SelectorPage) => Extracted) | null;
}

export interface ParsedPage {
  readonly page: PageRecord;
  readonly links: LinkRecord[];
  readonly items: StructuredDataRecord[];
}

const LINK_COLUMNS = {
  origin: text,
  /** Absolute and normalised. */
  target: text,
  /** Text of the link; of an image link its `alt`; else its accessible name; null when there is none. */
  anchor: textOrNull,
  /** False when `rel` says nofollow, ugc or sponsored, or the page says nofollow of all its links. */
  follow: flag,
  /** Whether the target belongs to the crawled site. */
  intern: flag,
  /** `nofollow`, `ugc`, `sponsored`, as far as the link itself says so; null when it says none of them. */
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
  /** Place among the page's items, from 0. */
  position: whole,
  valid: flag,
  missing_properties: textsOrNull,
  /** The item as JSON, in the manner of JSON-LD: `@type`, `@id`, and its properties by name. */
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
/** The answer of an origin for a page that does not exist. */
export type MissingPageRecord = RowOf<typeof MISSING_COLUMNS>;

const VITALS_COLUMNS = {
  url: text,
  cwv_bytes_saving: wholeOrNull,
  cwv_cls: optional<number>('DOUBLE'),
  cwv_fcp: wholeOrNull,
  cwv_lcp: wholeOrNull,
  cwv_performance_score: optional<number>('DOUBLE'),
  cwv_si: wholeOrNull,
  cwv_tbt: wholeOrNull,
  cwv_tti: wholeOrNull,
  cwv_time_saving: wholeOrNull,
  /** What they were measured with and how, in words. */
  cwv_measurement: textOrNull,
  warnings: texts,
};
/** The web vitals of a page, or why it has none. */
export type VitalsRecord = RowOf<typeof VITALS_COLUMNS>;

const FACT_COLUMNS = {
  /** Clicks from the start URL; null for a page that no link leads to. */
  depth: wholeOrNull,
  /** `crawler`, `sitemaps`, `ingested_data`. */
  sources: texts,
  robots_txt_denied: flag,
};
/** The fields that the caller adds to a page's record. */
export type CrawlFacts = RowOf<typeof FACT_COLUMNS>;

const PAGE_COLUMNS = {
  url: text,
  url_host: text,
  urlpath: text,
  url_first_path: text,
  url_ext: textOrNull,
  url_has_params: flag,
  querystring_key: textOrNull,
  querystring_keyvalue: textOrNull,

  fetched: flag,
  fetch_status: text,
  /** Why it could not be fetched, or was refused; no field of the service. */
  fetch_error: textOrNull,
  fetch_date: textOrNull,
  status_code: wholeOrNull,
  content_type: textOrNull,
  /** What it is: `html`, `pdf`, `image` … (`content-kind.ts`); null for what is not known, or for a redirect. */
  content_kind: textOrNull,
  /** `1.0` or `1.1`. */
  http_version: textOrNull,
  /** Such as `TLSv1.3`; null over http. */
  tls_version: textOrNull,
  /** Whether the host would speak HTTP/2; null over http. */
  offers_http2: flagOrNull,
  load_time: wholeOrNull,
  weight: wholeOrNull,
  /** Absolute and normalised; also where the redirect leads out of the site. */
  redirect_location: textOrNull,
  parsed_html: flag,
  /** As the Encoding Standard names it, such as `windows-1252`. */
  encoding: textOrNull,
  is_truncated: flag,
  /** Why the content is not known: `unreadable_content`, `not_parsed`. */
  content_problem: textOrNull,

  meta_robots: textsOrNull,
  meta_robots_index: flagOrNull,
  meta_robots_follow: flagOrNull,
  /** Robots of search engines, other than the crawler's own, that are told noindex. */
  noindex_robots: textsOrNull,
  /** Robots of search engines, other than the crawler's own, that robots.txt denies the page to. */
  denied_robots: textsOrNull,
  rel_canonical: textOrNull,
  /** The canonical as it is written, such as `/a#b`. */
  declared_canonical: textOrNull,
  canonicals: textsOrNull,
  /** The first canonical that stands outside of the head, and so counts for nothing. */
  canonical_outside_head: textOrNull,
  rel_next: textOrNull,
  rel_prev: textOrNull,
  hreflang_langs: textsOrNull,
  hreflang_hrefs: textsOrNull,
  /** `html` or `header`, one for each of `hreflang_hrefs`. */
  hreflang_sources: textsOrNull,
  relative_hreflangs: textsOrNull,

  title: textOrNull,
  title_length: wholeOrNull,
  num_titles: wholeOrNull,
  meta_description: textOrNull,
  description_length: wholeOrNull,
  num_descriptions: wholeOrNull,
  h1: textOrNull,
  h2: textsOrNull,
  h3: textsOrNull,
  num_h1: wholeOrNull,
  num_h2: wholeOrNull,
  num_h3: wholeOrNull,
  num_h4: wholeOrNull,
  num_h5: wholeOrNull,
  num_h6: wholeOrNull,
  num_img: wholeOrNull,
  num_img_alt: wholeOrNull,
  num_missing_alt: wholeOrNull,
  /** The first ones of the page. */
  images: optional<readonly PageImage[]>('JSON'),
  /** KB of the largest image that the rendered page loads. */
  largest_img_weight: wholeOrNull,

  /** Where a `Refresh` header or a `meta refresh` leads a browser. */
  meta_refresh_location: textOrNull,
  /** Seconds until it does. */
  meta_refresh_delay: wholeOrNull,
  amp_url: textOrNull,
  /** The first canonical of the `Link` headers. */
  header_canonical: textOrNull,
  header_cache_control: textOrNull,
  header_content_encoding: textOrNull,
  header_content_language: textOrNull,
  header_content_security_policy: textOrNull,
  header_etag: textOrNull,
  header_last_modified: textOrNull,
  header_strict_transport_security: textOrNull,
  header_x_content_type_options: textOrNull,
  compressed: flagOrNull,
  missing_security_headers: textsOrNull,
  num_mixed_content: wholeOrNull,
  num_insecure_forms: wholeOrNull,
  num_img_without_size: wholeOrNull,
  num_links_without_text: wholeOrNull,
  num_links_generic_text: wholeOrNull,

  language: textOrNull,
  word_count: wholeOrNull,
  text_to_code: optional<number>('DOUBLE'),
  /** The n-grams of the main text that may be among the page's top ones. */
  ngrams: optional<readonly NgramCount[]>('STRUCT(ngram VARCHAR, n BIGINT, count BIGINT)[]'),
  /** 60 bits over the main text, as decimal digits: more than a JavaScript number holds. */
  simhash: optional<string>('BIGINT'),
  /** Pairs of words of the main text (`text-sample.ts`); no field of the service. */
  text_sample: textOrNull,

  /** Whether the page runs a script; no field of the service. */
  has_script: flagOrNull,

  semantic_types: textsOrNull,
  semantic_item_count: wholeOrNull,
  ogp_title: textOrNull,
  ogp_type: textOrNull,
  /** OpenGraph properties by name. */
  ogp_card: optional<Readonly<Record<string, string>>>('JSON'),
  /** Twitter card properties by name. */
  twc_card: optional<Readonly<Record<string, string>>>('JSON'),

  /** Whether the fields above are those of the rendered page; null where pages are not rendered, or this one needs not. */
  rendered: flagOrNull,
  /** Why it is not rendered, or not wholly. */
  render_warnings: textsOrNull,
  /** Where scripts, or a `meta refresh`, lead a browser. */
  script_redirect: textOrNull,
  /** What the HTML says before scripts run; null where the page was not rendered. */
  unrendered_title: textOrNull,
  unrendered_meta_description: textOrNull,
  unrendered_h1: textOrNull,
  unrendered_rel_canonical: textOrNull,
  unrendered_meta_robots: textsOrNull,
  unrendered_meta_robots_index: flagOrNull,
  unrendered_word_count: wholeOrNull,
  unrendered_semantic_types: textsOrNull,
  unrendered_semantic_item_count: wholeOrNull,
  /** Links, and those whose targets only the rendered page, or only the HTML, leads to. */
  unrendered_outlinks: wholeOrNull,
  outlinks_only_rendered: wholeOrNull,
  outlinks_only_unrendered: wholeOrNull,
  num_resources: wholeOrNull,
  num_resources_denied: wholeOrNull,
  num_resources_failed: wholeOrNull,
  /** KB of the resources after content-encoding. */
  resources_weight: wholeOrNull,
  /** Where `resource_checker` is set: the watched ones. */
  resources: optional<readonly Resource[]>('JSON'),
  /** Scraped fields by name. */
  custom: optional<Extracted['values']>('JSON'),
  custom_problems: textsOrNull,
};
/**
 * One page, as the parser gives it. The names are the service's where the value is final. A value that the page does not
 * have is null; all fields are there. `url` to `url_ext` are set on every record, the rest only as far as it is known.
 */
export type PageRecord = RowOf<typeof PAGE_COLUMNS>;

export interface NgramCount {
  readonly ngram: string;
  /** Number of its words. */
  readonly n: number;
  /** How often the page's main text has it. */
  readonly count: number;
}

type Unknown = { readonly [K in keyof PageRecord as null extends PageRecord[K] ? K : never]: null };

/** A null for every value of a page that may be unknown. */
export const UNKNOWN_PAGE = Object.fromEntries(
  Object.entries<RecordColumn<unknown>>(PAGE_COLUMNS)
    .filter(([, { isOptional }]) => isOptional)
    .map(([name]) => [name, null]),
) as Unknown;

/**
 * The tables that the jobs read, by name: one row a record. `fetched_pages` has one row a URL. A line of JSON has the
 * record's own keys, `fetched_pages` those of `PageRecord` and `CrawlFacts`.
 */
export const CRAWL_TABLES = {
  fetched_pages: typesOf({ ...PAGE_COLUMNS, ...FACT_COLUMNS }),
  fetched_links: typesOf(LINK_COLUMNS),
  fetched_items: typesOf(ITEM_COLUMNS),
  sitemap_urls: typesOf(SITEMAP_COLUMNS),
  missing_pages: typesOf(MISSING_COLUMNS),
  vitals: typesOf(VITALS_COLUMNS),
  other_requests: REQUEST_TYPES,
} as const;
