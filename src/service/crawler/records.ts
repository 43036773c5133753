/**
 * What the crawler's parts hand to each other: the fetched resource, the records that the parser makes of it, and the
 * columns of the tables that DuckDB reads these records into.
 */

/** One fetched resource, as the parser gets it. */
export interface Fetched {
  /** Absolute and normalised. */
  readonly url: string;
  /** Null: no answer. Then `error` says why. */
  readonly statusCode: number | null;
  /** Such as `timeout`, `dns`, `connection`, `tls`, `too_many_retries`. */
  readonly error: string | null;
  /** Lower-case names, in the order in which they were sent, duplicates kept. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** After content-encoding, at most the limit of bytes; null without an answer. */
  readonly body: Uint8Array | null;
  readonly isTruncated: boolean;
  /** Size of the whole body after content-encoding, as far as it was read. */
  readonly bytes: number;
  readonly loadTimeMs: number;
  readonly ttfbMs: number;
  readonly fetchedAt: Date;
}

/** What the parser must know of the crawl. */
export interface ParseRules {
  /** Whether a URL belongs to the crawled site. */
  readonly isInternal: (url: URL) => boolean;
  /** The URL as the crawl knows it: without a fragment, its query string filtered as configured. */
  readonly normalize: (url: URL) => string;
  /** The crawler's product token, in lower case: `<meta name=TOKEN>` and `X-Robots-Tag: TOKEN: …` speak to it. */
  readonly robotName: string;
}

export interface ParsedPage {
  readonly page: PageRecord;
  readonly links: LinkRecord[];
  readonly items: StructuredDataRecord[];
}

/** One link of a page: an `a` or `area` with an address of http or https. */
export interface LinkRecord {
  readonly origin: string;
  /** Absolute and normalised. */
  readonly target: string;
  /** Text of the link; of an image link its `alt`; null when there is none. */
  readonly anchor: string | null;
  /** False when `rel` says nofollow, ugc or sponsored, or the page says nofollow of all its links. */
  readonly follow: boolean;
  /** Whether the target belongs to the crawled site. */
  readonly intern: boolean;
  /** `nofollow`, `ugc`, `sponsored`, as far as the link itself says so; null when it says none of them. */
  readonly rel: readonly string[] | null;
  /** Whether the link is an image without text. */
  readonly is_image: boolean;
  readonly link_position: LinkPosition;
}

/** The part of the page that a link stands in. */
export type LinkPosition = 'Navigation' | 'Header' | 'Footer' | 'Aside' | 'Content';

export type StructuredDataFormat = 'json-ld' | 'microdata' | 'rdfa';

/** One top-level item of structured data. */
export interface StructuredDataRecord {
  readonly url: string;
  readonly format: StructuredDataFormat;
  readonly type: string | null;
  /** Place among the page's items, from 0. */
  readonly position: number;
  readonly valid: boolean;
  readonly missing_properties: readonly string[] | null;
  /** The item as JSON, in the manner of JSON-LD: `@type`, `@id`, and its properties by name. */
  readonly item: unknown;
}

/** One URL of a sitemap file, as the caller writes it. */
export interface SitemapRecord {
  readonly url: string;
  /** URL of the sitemap file. */
  readonly sitemap: string;
  /** The declared language versions: `xhtml:link rel="alternate" hreflang`. */
  readonly alternate_langs: readonly string[];
  readonly alternate_hrefs: readonly string[];
  readonly num_images: number;
  readonly num_news: number;
  readonly num_videos: number;
}

/** What the caller adds to a page's record. */
export interface CrawlFacts {
  /** Clicks from the start URL; null for a page that no link leads to. */
  readonly depth: number | null;
  /** `crawler`, `sitemaps`, `ingested_data`. */
  readonly sources: readonly string[];
  readonly robots_txt_denied: boolean;
}

/**
 * One page, as the parser gives it. The names are the service's where the value is final. A value that the page does not
 * have is null; all fields are there. `url` to `url_ext` are set on every record, the rest only as far as it is known.
 */
export interface PageRecord {
  readonly url: string;
  readonly url_host: string;
  readonly urlpath: string;
  readonly url_first_path: string;
  readonly url_ext: string | null;
  readonly url_has_params: boolean;
  readonly querystring_key: string | null;
  readonly querystring_keyvalue: string | null;

  readonly fetched: boolean;
  readonly fetch_status: string;
  /** Why it could not be fetched; no field of the service. */
  readonly fetch_error: string | null;
  readonly fetch_date: string | null;
  readonly status_code: number | null;
  readonly content_type: string | null;
  readonly load_time: number | null;
  readonly weight: number | null;
  /** Absolute and normalised; also where the redirect leads out of the site. */
  readonly redirect_location: string | null;
  readonly parsed_html: boolean;
  readonly is_truncated: boolean;

  readonly meta_robots: readonly string[] | null;
  readonly meta_robots_index: boolean | null;
  readonly meta_robots_follow: boolean | null;
  readonly rel_canonical: string | null;
  readonly canonicals: readonly string[] | null;
  readonly rel_next: string | null;
  readonly rel_prev: string | null;
  readonly hreflang_langs: readonly string[] | null;
  readonly hreflang_hrefs: readonly string[] | null;
  /** `html` or `header`, one for each of `hreflang_hrefs`. */
  readonly hreflang_sources: readonly string[] | null;

  readonly title: string | null;
  readonly title_length: number | null;
  readonly meta_description: string | null;
  readonly description_length: number | null;
  readonly h1: string | null;
  readonly h2: readonly string[] | null;
  readonly h3: readonly string[] | null;
  readonly num_h1: number | null;
  readonly num_h2: number | null;
  readonly num_h3: number | null;
  readonly num_h4: number | null;
  readonly num_h5: number | null;
  readonly num_h6: number | null;
  readonly num_img: number | null;
  readonly num_img_alt: number | null;
  readonly num_missing_alt: number | null;

  readonly language: string | null;
  readonly word_count: number | null;
  readonly text_to_code: number | null;
  /** The n-grams of the main text that may be among the page's top ones. */
  readonly ngrams: readonly NgramCount[] | null;
  /** 60 bits over the main text, as decimal digits: more than a JavaScript number holds. */
  readonly simhash: string | null;

  readonly semantic_types: readonly string[] | null;
  readonly semantic_item_count: number | null;
  readonly ogp_title: string | null;
  readonly ogp_type: string | null;
  /** OpenGraph properties by name. */
  readonly ogp_card: Readonly<Record<string, string>> | null;
  /** Twitter card properties by name. */
  readonly twc_card: Readonly<Record<string, string>> | null;
}

export interface NgramCount {
  readonly ngram: string;
  /** Number of its words. */
  readonly n: number;
  /** How often the page's main text has it. */
  readonly count: number;
}

/** Names of columns, in order, with their DuckDB types: what `read_json(columns = …)` takes. */
export type TableColumns = Readonly<Record<string, string>>;

type ColumnsOf<T> = Readonly<Record<keyof T, string>>;

const PAGE_COLUMNS: ColumnsOf<PageRecord> = {
  url: 'VARCHAR',
  url_host: 'VARCHAR',
  urlpath: 'VARCHAR',
  url_first_path: 'VARCHAR',
  url_ext: 'VARCHAR',
  url_has_params: 'BOOLEAN',
  querystring_key: 'VARCHAR',
  querystring_keyvalue: 'VARCHAR',
  fetched: 'BOOLEAN',
  fetch_status: 'VARCHAR',
  fetch_error: 'VARCHAR',
  fetch_date: 'VARCHAR',
  status_code: 'BIGINT',
  content_type: 'VARCHAR',
  load_time: 'BIGINT',
  weight: 'BIGINT',
  redirect_location: 'VARCHAR',
  parsed_html: 'BOOLEAN',
  is_truncated: 'BOOLEAN',
  meta_robots: 'VARCHAR[]',
  meta_robots_index: 'BOOLEAN',
  meta_robots_follow: 'BOOLEAN',
  rel_canonical: 'VARCHAR',
  canonicals: 'VARCHAR[]',
  rel_next: 'VARCHAR',
  rel_prev: 'VARCHAR',
  hreflang_langs: 'VARCHAR[]',
  hreflang_hrefs: 'VARCHAR[]',
  hreflang_sources: 'VARCHAR[]',
  title: 'VARCHAR',
  title_length: 'BIGINT',
  meta_description: 'VARCHAR',
  description_length: 'BIGINT',
  h1: 'VARCHAR',
  h2: 'VARCHAR[]',
  h3: 'VARCHAR[]',
  num_h1: 'BIGINT',
  num_h2: 'BIGINT',
  num_h3: 'BIGINT',
  num_h4: 'BIGINT',
  num_h5: 'BIGINT',
  num_h6: 'BIGINT',
  num_img: 'BIGINT',
  num_img_alt: 'BIGINT',
  num_missing_alt: 'BIGINT',
  language: 'VARCHAR',
  word_count: 'BIGINT',
  text_to_code: 'DOUBLE',
  ngrams: 'STRUCT(ngram VARCHAR, n BIGINT, count BIGINT)[]',
  simhash: 'BIGINT',
  semantic_types: 'VARCHAR[]',
  semantic_item_count: 'BIGINT',
  ogp_title: 'VARCHAR',
  ogp_type: 'VARCHAR',
  ogp_card: 'JSON',
  twc_card: 'JSON',
};

const FACT_COLUMNS: ColumnsOf<CrawlFacts> = {
  depth: 'BIGINT',
  sources: 'VARCHAR[]',
  robots_txt_denied: 'BOOLEAN',
};

const LINK_COLUMNS: ColumnsOf<LinkRecord> = {
  origin: 'VARCHAR',
  target: 'VARCHAR',
  anchor: 'VARCHAR',
  follow: 'BOOLEAN',
  intern: 'BOOLEAN',
  rel: 'VARCHAR[]',
  is_image: 'BOOLEAN',
  link_position: 'VARCHAR',
};

const ITEM_COLUMNS: ColumnsOf<StructuredDataRecord> = {
  url: 'VARCHAR',
  format: 'VARCHAR',
  type: 'VARCHAR',
  position: 'BIGINT',
  valid: 'BOOLEAN',
  missing_properties: 'VARCHAR[]',
  item: 'JSON',
};

const SITEMAP_COLUMNS: ColumnsOf<SitemapRecord> = {
  url: 'VARCHAR',
  sitemap: 'VARCHAR',
  alternate_langs: 'VARCHAR[]',
  alternate_hrefs: 'VARCHAR[]',
  num_images: 'BIGINT',
  num_news: 'BIGINT',
  num_videos: 'BIGINT',
};

/**
 * The tables that the jobs read, by name: one row a record. `fetched_pages` has one row a URL. A line of JSON has the
 * record's own keys, `fetched_pages` those of `PageRecord` and `CrawlFacts`.
 */
export const CRAWL_TABLES = {
  fetched_pages: { ...PAGE_COLUMNS, ...FACT_COLUMNS },
  fetched_links: LINK_COLUMNS,
  fetched_items: ITEM_COLUMNS,
  sitemap_urls: SITEMAP_COLUMNS,
} as const satisfies Readonly<Record<string, TableColumns>>;
