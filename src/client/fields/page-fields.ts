import {
  computed,
  crawled,
  type FieldEntry,
  type FieldOrigin,
  type FieldValue,
  linked,
  measured,
  parsed,
  required,
} from './field-entry.ts';

export const STATUS_RANGES = ['ok', 'redirect', 'client_error', 'server_error'];
const EVALUATIONS = ['unique', 'duplicated', 'not_set'];
const LINK_RANGES = ['0-50', '50-100', '100-150', '150-200', '>200'];
const DUPLICATE_STATUSES = [
  'canonical_ok',
  'hreflang_ok',
  'canonical_not_matching',
  'hreflang_error',
  'canonical_not_set',
];

/**
 * The page fields of a crawl, by name, in the order of its columns. The record of a page, the columns of a crawl, the
 * records of `/fields`, the dictionary and the head of `sql/crawl_pages/pages.sql` are made from this table.
 */
export const PAGE_FIELDS = {
  url: required(parsed('string', 'Full URL with its protocol.')),
  url_host: required(parsed('string', 'Host of the URL.')),
  urlpath: required(parsed('string', 'Path of the URL, without its query string.')),
  url_first_path: required(parsed('string', 'First directory of the URL, or /.')),
  url_ext: parsed('string', 'File extension of the URL.'),
  querystring_key: parsed('string', 'Keys of the query string of the URL.'),
  querystring_keyvalue: parsed('string', 'Keys and values of the query string of the URL.'),
  url_has_params: required(parsed('bool', 'Whether the URL has a query string.')),
  fetched: required(parsed('bool', 'Whether the crawler fetched the page.')),
  parsed_html: required(parsed('bool', 'Whether the crawler parsed the content as HTML.')),
  robots_txt_denied: required(crawled('bool', 'Whether robots.txt blocks the page.')),
  offers_http2: parsed('bool', 'Whether the host supports HTTP/2.'),
  fetch_status: required(
    parsed(
      'string',
      'Result of the fetch: fetched_2xx to fetched_5xx, unfetched_robots_denied or unfetched_exception.',
    ),
  ),
  http_version: parsed('string', 'HTTP version of the response, such as 1.1.'),
  tls_version: parsed('string', 'TLS version of the connection, such as TLSv1.3.'),
  fetch_date: parsed('datetime', 'When the crawler fetched the page.'),
  status_code: parsed('natural', 'HTTP status of the response; NULL without a response.'),
  load_time: parsed('natural', 'Time to the last byte, in milliseconds.'),
  weight: parsed('natural', 'Size of the page, in KB.'),
  status_code_range: computed(
    'enum',
    'Range of the HTTP status: ok, redirect, client_error or server_error.',
    STATUS_RANGES,
  ),
  sources: required(
    crawled(
      'string[]',
      'How the page became known: the crawler, connectors, ingested data, log files, sitemaps.',
    ),
  ),
  sitemaps_file_origin: computed('string[]', 'Sitemap files that list the page.'),
  processing_warnings: computed(
    'string[]',
    'Why the page was not fetched, rendered or read as a whole, such as timeout or truncated.',
  ),
  sitemaps_num_file_origin: computed('natural', 'Number of sitemap files that list the page.'),
  sitemaps_num_alternate: computed(
    'natural',
    'Number of alternate language versions that the sitemaps list for the page.',
  ),
  sitemaps_num_images: computed('natural', 'Number of images that the sitemaps list for the page.'),
  sitemaps_num_news: computed('natural', 'Number of news entries that the sitemaps list for the page.'),
  sitemaps_num_videos: computed('natural', 'Number of videos that the sitemaps list for the page.'),
  meta_robots: parsed('string[]', 'Directives of the robots meta tag.'),
  noindex_robots: parsed(
    'string[]',
    'Search engine bots for which the page has noindex by name, such as googlebot.',
  ),
  denied_robots: parsed(
    'string[]',
    'Search engine bots that robots.txt blocks from the page, such as googlebot.',
  ),
  canonicals: parsed('string[]', 'Different canonical URLs that the page declares.'),
  meta_robots_index: parsed('bool', 'Whether the robots meta tag allows the page to be indexed.'),
  meta_robots_follow: parsed('bool', 'Whether the robots meta tag allows links to be followed.'),
  rel_canonical: parsed('string', 'Canonical URL that the page declares.'),
  declared_canonical: parsed('string', 'Canonical that the page declares, as it is written.'),
  canonical_outside_head: parsed(
    'string',
    'Canonical URL that is declared outside the head, where search engines ignore it.',
  ),
  rel_next: parsed('string', 'URL that the page declares as the next one of a series.'),
  rel_prev: parsed('string', 'URL that the page declares as the previous one of a series.'),
  pagination_errors: computed(
    'enum[]',
    'Errors of the previous and next page that the page declares in a series: target_missing, target_redirects or target_not_indexable.',
  ),
  amp_status_code: computed(
    'natural',
    'HTTP status of the AMP version that the page declares; NULL if it was not fetched.',
  ),
  canonical_evaluation: computed(
    'enum',
    'Whether the declared canonical is the page itself: matching, not_matching or not_set.',
    ['matching', 'not_matching', 'not_set'],
  ),
  indexable: parsed('bool', 'Whether the service considers the page indexable.'),
  is_canonical: computed('bool', 'Whether the page is its own canonical.'),
  redirect_location: parsed('string', 'URL that the page redirects to.'),
  final_redirect_location: computed('string', 'URL at the end of the redirect chain that begins here.'),
  final_redirect_status: computed('natural', 'HTTP status of the URL at the end of the redirect chain.'),
  redirect_count: computed('natural', 'Number of redirects in the chain that begins here.'),
  is_redirect_loop: computed('bool', 'Whether the redirect chain returns to one of its URLs.'),
  is_too_many_redirects: computed('bool', 'Whether the redirect chain has more than 16 redirects.'),
  redirect_cluster_id: computed('hash', 'Identifier of the group of URLs that redirect to one another.'),
  internal_outlinks: computed('natural', 'Number of links from the page to pages of the site.'),
  internal_follow_outlinks: computed(
    'natural',
    'Number of links from the page to pages of the site that are to be followed.',
  ),
  internal_nofollow_outlinks: computed(
    'natural',
    'Number of links from the page to pages of the site that are not to be followed.',
  ),
  external_outlinks: computed('natural', 'Number of links from the page to other sites.'),
  external_follow_outlinks: computed(
    'natural',
    'Number of links from the page to other sites that are to be followed.',
  ),
  external_nofollow_outlinks: computed(
    'natural',
    'Number of links from the page to other sites that are not to be followed.',
  ),
  nb_links_self_referencing: computed('natural', 'Number of links from the page to itself.'),
  inrank: computed('natural', 'Popularity by internal links, a whole number from 0 to 10.'),
  inrank_decimal: computed('float', 'Popularity by internal links, from 0 to 10, with decimals.'),
  internal_outlinks_range: computed(
    'enum',
    'Range of internal_outlinks: 0-50, 50-100, 100-150, 150-200 or >200.',
    LINK_RANGES,
  ),
  external_outlinks_range: computed(
    'enum',
    'Range of external_outlinks: 0-50, 50-100, 100-150, 150-200 or >200.',
    LINK_RANGES,
  ),
  nb_outlinks_range: computed(
    'enum',
    'Range of the number of links from the page: 0-50, 50-100, 100-150, 150-200 or >200.',
    LINK_RANGES,
  ),
  content_kind: parsed(
    'enum',
    'Kind of content, by Content-Type and first bytes: html, pdf or text (pages), or image, video, audio, archive, office, feed, calendar, json, xml, script, style, font or other; NULL if the crawl does not report it.',
  ),
  title: parsed('string', 'Content of the title tag.'),
  title_length: parsed('natural', 'Number of characters in the title.'),
  num_titles: parsed('natural', 'Number of title tags.'),
  title_evaluation: computed('enum', 'Whether the title is unique, duplicated or not_set.', EVALUATIONS),
  duplicate_title_status: computed(
    'enum',
    'How duplicates of the title are handled: by canonicals, by hreflang, or not.',
    DUPLICATE_STATUSES,
  ),
  has_duplicate_title_issue: computed(
    'bool',
    'Whether neither canonicals nor hreflang handle duplicates of the title.',
  ),
  h1: parsed('string', 'Content of the H1.'),
  h2: parsed('string[]', 'Contents of the H2s that have a text.'),
  h3: parsed('string[]', 'Contents of the H3s that have a text.'),
  num_h1: parsed('natural', 'Number of H1 tags.'),
  num_h2: parsed('natural', 'Number of H2 tags.'),
  num_h3: parsed('natural', 'Number of H3 tags.'),
  num_h4: parsed('natural', 'Number of H4 tags.'),
  num_h5: parsed('natural', 'Number of H5 tags.'),
  num_h6: parsed('natural', 'Number of H6 tags.'),
  h1_evaluation: computed('enum', 'Whether the H1 is unique, duplicated or not_set.', EVALUATIONS),
  duplicate_h1_status: computed(
    'enum',
    'How duplicates of the H1 are handled: by canonicals, by hreflang, or not.',
    DUPLICATE_STATUSES,
  ),
  has_duplicate_h1_issue: computed(
    'bool',
    'Whether neither canonicals nor hreflang handle duplicates of the H1.',
  ),
  meta_description: parsed('string', 'Content of the description meta tag.'),
  description_length: parsed('natural', 'Number of characters in the meta description.'),
  num_descriptions: parsed('natural', 'Number of meta descriptions.'),
  description_length_range: computed(
    'enum',
    'Length of the meta description: perfect 135-159, good 110-134 or 160-169, too short below 110, too long from 170.',
    ['perfect', 'good', 'too short', 'too long'],
  ),
  description_evaluation: computed(
    'enum',
    'Whether the meta description is unique, duplicated or not_set.',
    EVALUATIONS,
  ),
  duplicate_description_status: computed(
    'enum',
    'How duplicates of the meta description are handled: by canonicals, by hreflang, or not.',
    DUPLICATE_STATUSES,
  ),
  has_duplicate_description_issue: computed(
    'bool',
    'Whether neither canonicals nor hreflang handle duplicates of the meta description.',
  ),
  num_img: parsed(
    'natural',
    'Number of img elements on the page, including menus and footers, one for each picture; excludes noscript, svg and CSS backgrounds.',
  ),
  num_img_alt: parsed('natural', 'Number of images with an alternative text.'),
  num_missing_alt: parsed('natural', 'Number of images that need alternative text but have none.'),
  largest_img_weight: parsed('natural', 'Size of the largest image that the rendered page loads, in KB.'),
  images: parsed(
    'nested[]',
    'The first 200 images, each with URL, alt, width, height, loading and size in bytes.',
  ),
  num_img_range: computed('enum', 'Range of num_img: no image, one image, more than one.', [
    'no image',
    'one image',
    'more than one',
  ]),
  meta_refresh_location: parsed('string', 'URL that a meta refresh of the page leads to.'),
  amp_url: parsed('string', 'URL of the AMP version that the page declares.'),
  header_canonical: parsed('string', 'Canonical URL that a Link header declares.'),
  meta_refresh_delay: parsed('natural', 'Seconds until a meta refresh leads there.'),
  header_cache_control: parsed('string', 'Value of the Cache-Control header.'),
  header_content_encoding: parsed('string', 'Value of the Content-Encoding header.'),
  header_content_language: parsed('string', 'Value of the Content-Language header.'),
  header_content_security_policy: parsed('string', 'Value of the Content-Security-Policy header.'),
  header_etag: parsed('string', 'Value of the ETag header.'),
  header_last_modified: parsed('string', 'Value of the Last-Modified header.'),
  header_strict_transport_security: parsed('string', 'Value of the Strict-Transport-Security header.'),
  header_x_content_type_options: parsed('string', 'Value of the X-Content-Type-Options header.'),
  missing_security_headers: parsed('string[]', 'Security headers that the HTML was sent without.'),
  compressed: parsed('bool', 'Whether the HTML was sent with a content-encoding.'),
  num_mixed_content: parsed('natural', 'Number of resources of an HTTPS page that are loaded over HTTP.'),
  num_insecure_forms: parsed('natural', 'Number of forms on an HTTPS page that submit to HTTP.'),
  num_img_without_size: parsed('natural', 'Number of images without width and height.'),
  num_links_without_text: parsed('natural', 'Number of internal links without text.'),
  num_links_generic_text: parsed(
    'natural',
    'Number of internal links with generic text, such as click here.',
  ),
  language: parsed('string', 'Language of the page, as a two-letter ISO 639 code.'),
  word_count: parsed(
    'natural',
    'Number of words in the body, including menus, header, footer and text that CSS hides, but not scripts, noscript, svg, select, textarea and image texts.',
  ),
  simhash: parsed('natural', 'Hash of the content; similar pages have similar hashes.'),
  text_to_code: parsed('percentage', 'Characters of visible text per character of HTML, from 0 to 1.'),
  ngrams: computed('nested[]', 'Most frequent sequences of words on the page.'),
  clusters: computed('hash[]', 'Identifiers of the clusters of similar pages that the page is in.'),
  nearduplicate_content: computed('bool', 'Whether another page has nearly the same content.'),
  has_nearduplicate_issue: computed(
    'bool',
    'Whether neither canonicals nor hreflang handle near duplicates of the content.',
  ),
  nearduplicate_content_similarity: computed(
    'percentage',
    'Similarity to its near duplicates, a share from 0 to 1.',
  ),
  nearduplicate_status: computed(
    'enum',
    'How near duplicates are handled: by canonicals, by hreflang, or not.',
    DUPLICATE_STATUSES,
  ),
  like_missing_page: computed(
    'bool',
    'Whether title and content match the response for a page that does not exist.',
  ),
  is_app_shell: computed('bool', 'Whether the HTML is the shell of an application, the same for every path.'),
  hreflang_cluster_id: computed(
    'hash',
    'Identifier of the cluster of language versions that the page is in.',
  ),
  hreflang_langs: parsed('string[]', 'Languages and regions that the hreflang declarations name.'),
  hreflang_hrefs: parsed('string[]', 'URLs that the hreflang declarations name.'),
  hreflang_sources: parsed('string[]', 'Pages that name this one in their hreflang declarations.'),
  hreflang_errors: computed('enum[]', 'Errors that the service found in the hreflang declarations.'),
  hreflang_error_details: computed('object', 'Details of hreflang_errors.'),
  semantic_types: parsed('string[]', 'Types of the structured data items on the page.'),
  semantic_item_count: parsed('natural', 'Number of structured data items on the page.'),
  ogp_title: parsed('string', 'Open Graph title of the page.'),
  ogp_type: parsed('string', 'Open Graph type of the page.'),
  ogp_card: parsed('object', 'Open Graph properties of the page by name.'),
  twc_card: parsed('object', 'Twitter card properties of the page by name.'),
  rendered: parsed(
    'bool',
    'Whether the content is that of the page after scripts ran; NULL if the crawl does not render pages.',
  ),
  unrendered_meta_robots_index: parsed(
    'bool',
    'Whether the robots meta tag allows indexing before scripts ran.',
  ),
  script_redirect: parsed('string', 'URL to which scripts or a meta refresh send a browser.'),
  unrendered_title: parsed('string', 'Content of the title tag before scripts ran.'),
  unrendered_meta_description: parsed('string', 'Content of the description meta tag before scripts ran.'),
  unrendered_h1: parsed('string', 'Content of the H1 before scripts ran.'),
  unrendered_rel_canonical: parsed('string', 'Canonical URL that the page declares before scripts ran.'),
  unrendered_meta_robots: parsed('string[]', 'Directives of the robots meta tag before scripts ran.'),
  unrendered_semantic_types: parsed('string[]', 'Types of the structured data items before scripts ran.'),
  unrendered_word_count: parsed('natural', 'Number of words before scripts ran.'),
  unrendered_semantic_item_count: parsed('natural', 'Number of structured data items before scripts ran.'),
  unrendered_outlinks: parsed('natural', 'Number of links before scripts ran.'),
  outlinks_only_rendered: parsed(
    'natural',
    'Number of links to targets that the page links to only after scripts ran.',
  ),
  outlinks_only_unrendered: parsed(
    'natural',
    'Number of links whose targets are linked to only before scripts ran.',
  ),
  num_resources: parsed('natural', 'Number of resources that the page requests while it is rendered.'),
  num_resources_denied: parsed('natural', 'Number of requested resources that robots.txt blocks.'),
  num_resources_failed: parsed('natural', 'Number of requested resources that fail or are missing.'),
  resources_weight: parsed('natural', 'Size of the resources that the page requests, in KB.'),
  resources: parsed(
    'nested[]',
    'Watched resources with their type, status, size, and whether robots.txt allows them.',
  ),
  watched_resources: computed(
    'string[]',
    'Requested resources that match the watched patterns of the configuration.',
  ),
  custom_qsdd: computed('string', "Value that the project's own data scraping extracted from the page."),
  depth: linked(crawled('natural', 'Number of clicks from the start URL; NULL if no link leads there.')),
  nb_inlinks: linked(computed('natural', 'Number of links to the page from pages of the site.')),
  follow_inlinks: linked(computed('natural', 'Number of links to the page that are to be followed.')),
  nofollow_inlinks: linked(computed('natural', 'Number of links to the page that are not to be followed.')),
  nb_inlinks_range: linked(
    computed('enum', 'Range of nb_inlinks: 0-50, 50-100, 100-150, 150-200 or >200.', LINK_RANGES),
  ),
  cwv_bytes_saving: measured('natural', 'Core web vitals: bytes that the page could save.'),
  cwv_fcp: measured('natural', 'Core web vitals: first contentful paint, in milliseconds.'),
  cwv_lcp: measured('natural', 'Core web vitals: largest contentful paint, in milliseconds.'),
  cwv_si: measured('natural', 'Core web vitals: speed index, in milliseconds.'),
  cwv_tbt: measured('natural', 'Core web vitals: total blocking time, in milliseconds.'),
  cwv_tti: measured('natural', 'Core web vitals: time to interactive, in milliseconds.'),
  cwv_time_saving: measured('natural', 'Core web vitals: time that the page could save, in milliseconds.'),
  cwv_cls: measured('float', 'Core web vitals: cumulative layout shift.'),
  cwv_performance_score: measured('float', 'Core web vitals: performance score.'),
  cwv_measurement: measured(
    'string',
    'What the core web vitals of the page were measured with, and under which conditions.',
  ),
} as const satisfies Readonly<Record<string, FieldEntry>>;

type Fields = typeof PAGE_FIELDS;
export type PageFieldName = keyof Fields;

/** Names of the fields with this origin. */
export type NamesFrom<O extends FieldOrigin> = {
  [N in PageFieldName]: Fields[N]['from'] extends O ? N : never;
}[PageFieldName];

/** A page's values of the fields with this origin. */
export type PageValues<O extends FieldOrigin> = {
  readonly [N in NamesFrom<O>]: FieldValue<Fields[N]>;
};

export const PAGE_FIELD_ENTRIES = Object.entries(PAGE_FIELDS) as [PageFieldName, FieldEntry][];
