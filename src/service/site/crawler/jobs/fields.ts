import { FULL_WIDTH } from '../../../../core/text/display-width.ts';
import type { CustomField } from '../custom-fields/custom-field.ts';
import { UNHANDLED } from './duplicates.ts';
import { linkRange, statusRange } from './job-tables.ts';

/** A field of a final table: its name and type as the service has them, and the SQL that makes it. */
export interface CrawlField {
  readonly name: string;
  readonly type: FieldType;
  readonly arity: 'one' | 'many';
  readonly sql: string;
}

/** A full-width character, of at least three bytes, counts two, as in mart.pages. */
const DESCRIPTION_WIDTH = `(page.description_length + CASE WHEN strlen(page.meta_description) < length(page.meta_description) + 2 THEN 0
  ELSE length(regexp_replace(page.meta_description, '[^${FULL_WIDTH}]+', '', 'g')) END)`;

const SQL_TYPES = {
  natural: 'BIGINT',
  float: 'DOUBLE',
  percentage: 'DOUBLE',
  bool: 'BOOLEAN',
  string: 'VARCHAR',
  enum: 'VARCHAR',
  hash: 'VARCHAR',
  date: 'VARCHAR',
  datetime: 'VARCHAR',
  object: 'JSON',
  nested: 'JSON',
};

type FieldType = keyof typeof SQL_TYPES;

/** The column of a field: many-valued texts are lists, other many-valued fields JSON. */
export function fieldColumn({ name, type, arity, sql }: CrawlField): string {
  const one = SQL_TYPES[type];
  const many = one === 'VARCHAR' ? 'VARCHAR[]' : 'JSON';
  return `CAST(${sql} AS ${arity === 'many' ? many : one}) AS "${name}"`;
}

function fields(
  type: FieldType,
  sqls: Readonly<Record<string, string>>,
  arity: 'one' | 'many' = 'one',
): CrawlField[] {
  return Object.entries(sqls).map(([name, sql]) => ({ name, type, arity, sql }));
}

/** Fields that the parser, or a table of the jobs, gives under their own names. */
function given(type: FieldType, names: string, arity: 'one' | 'many' = 'one', from = 'page'): CrawlField[] {
  return fields(type, Object.fromEntries(names.split(' ').map((name) => [name, `${from}."${name}"`])), arity);
}

/** SQL for a value of pages whose HTML was read with success: what a page without any has 0 of, others have not. */
function onHtml(sql: string): string {
  return `CASE WHEN page.parsed_html AND page.status_code BETWEEN 200 AND 299 THEN ${sql} END`;
}

function count(sql: string): string {
  return onHtml(`coalesce(${sql}, 0)`);
}

function duplicateFields(name: string, evaluation: string, table: string): CrawlField[] {
  return [
    ...fields('enum', {
      [evaluation]: `${table}.evaluation`,
      [`duplicate_${name}_status`]: `${table}.status`,
    }),
    ...fields('bool', {
      [`has_duplicate_${name}_issue`]: `CASE WHEN ${table}.id IS NOT NULL THEN coalesce(${table}.status IN ${UNHANDLED}, false) END`,
    }),
  ];
}

/**
 * The fields of pages (api-spec.md §2.15 and what real catalogues add), over `page`, a row of `fetched_pages`, and the
 * tables of the jobs. Fields that a crawl without rendering and connectors can't have are NULL.
 */
const PAGE_FIELDS: readonly CrawlField[] = [
  ...given('string', 'url url_host urlpath url_first_path url_ext querystring_key querystring_keyvalue'),
  ...given('bool', 'url_has_params fetched parsed_html robots_txt_denied offers_http2'),
  ...given('string', 'fetch_status http_version tls_version'),
  ...given('datetime', 'fetch_date'),
  ...given('natural', 'status_code load_time weight'),
  ...fields('enum', { status_code_range: statusRange('page.status_code') }),
  ...fields(
    'string',
    {
      sources: `CASE WHEN sitemap.id IS NOT NULL AND NOT list_contains(coalesce(page.sources, []), 'sitemaps')
        THEN list_append(coalesce(page.sources, []), 'sitemaps') ELSE page.sources END`,
      sitemaps_file_origin: 'sitemap.files',
      processing_warnings: `nullif(list_filter(list_concat([page.fetch_error, page.content_problem, CASE WHEN page.is_truncated THEN 'truncated' END], coalesce(page.render_warnings, []), coalesce(vital.warnings, []), coalesce(page.custom_problems, [])),
        lambda one: one IS NOT NULL), [])`,
    },
    'many',
  ),
  ...fields('natural', {
    sitemaps_num_file_origin: 'len(sitemap.files)',
    sitemaps_num_alternate: 'sitemap.alternates',
    sitemaps_num_images: 'sitemap.images',
    sitemaps_num_news: 'sitemap.news',
    sitemaps_num_videos: 'sitemap.videos',
  }),

  ...given('string', 'meta_robots noindex_robots denied_robots canonicals', 'many'),
  ...given('bool', 'meta_robots_index meta_robots_follow'),
  ...given('string', 'rel_canonical declared_canonical canonical_outside_head rel_next rel_prev'),
  ...fields('enum', { pagination_errors: 'declared.errors' }, 'many'),
  ...fields('natural', { amp_status_code: 'declared.amp_status' }),
  ...fields('enum', {
    canonical_evaluation: `CASE WHEN facts.is_html THEN CASE WHEN page.rel_canonical IS NULL THEN 'not_set' WHEN facts.is_canonicalised THEN 'not_matching' ELSE 'matching' END END`,
  }),
  ...fields('bool', {
    indexable: 'facts.is_indexable',
    is_canonical: 'CASE WHEN facts.is_html THEN NOT facts.is_canonicalised END',
  }),

  ...given('string', 'redirect_location'),
  ...fields('string', { final_redirect_location: 'redirect.final_url' }),
  ...fields('natural', {
    final_redirect_status: 'redirect.final_status',
    redirect_count: 'CASE WHEN page.fetched THEN coalesce(redirect.redirects, 0) END',
  }),
  ...fields('bool', {
    is_redirect_loop: 'CASE WHEN page.fetched THEN coalesce(redirect.is_loop, false) END',
    is_too_many_redirects: 'CASE WHEN page.fetched THEN coalesce(redirect.is_too_many, false) END',
  }),
  ...fields('hash', { redirect_cluster_id: 'redirect.cluster' }),

  ...fields('natural', {
    internal_outlinks: count('outlink.internal'),
    internal_follow_outlinks: count('outlink.internal_followed'),
    internal_nofollow_outlinks: count('outlink.internal - outlink.internal_followed'),
    external_outlinks: count('outlink."external"'),
    external_follow_outlinks: count('outlink.external_followed'),
    external_nofollow_outlinks: count('outlink."external" - outlink.external_followed'),
    nb_links_self_referencing: count('outlink.to_itself'),
    inrank: 'floor(score.inrank)',
  }),
  ...fields('float', { inrank_decimal: 'score.inrank' }),
  ...fields('enum', {
    internal_outlinks_range: onHtml(linkRange('coalesce(outlink.internal, 0)')),
    external_outlinks_range: onHtml(linkRange('coalesce(outlink."external", 0)')),
    nb_outlinks_range: onHtml(linkRange('coalesce(outlink.internal + outlink."external", 0)')),
  }),

  ...given('enum', 'content_kind'),
  ...given('string', 'title'),
  ...given('natural', 'title_length num_titles'),
  ...duplicateFields('title', 'title_evaluation', 'same_title'),
  ...given('string', 'h1'),
  ...given('string', 'h2 h3', 'many'),
  ...given('natural', 'num_h1 num_h2 num_h3 num_h4 num_h5 num_h6'),
  ...duplicateFields('h1', 'h1_evaluation', 'same_h1'),
  ...given('string', 'meta_description'),
  ...given('natural', 'description_length num_descriptions'),
  ...fields('enum', {
    description_length_range: `CASE WHEN ${DESCRIPTION_WIDTH} < 110 THEN 'too short' WHEN ${DESCRIPTION_WIDTH} >= 170 THEN 'too long' WHEN ${DESCRIPTION_WIDTH} BETWEEN 135 AND 159 THEN 'perfect' WHEN page.description_length IS NOT NULL THEN 'good' END`,
  }),
  ...duplicateFields('description', 'description_evaluation', 'same_description'),
  ...given('natural', 'num_img num_img_alt num_missing_alt largest_img_weight'),
  ...given('nested', 'images', 'many'),
  ...fields('enum', {
    num_img_range: `CASE WHEN page.num_img = 0 THEN 'no image' WHEN page.num_img = 1 THEN 'one image' WHEN page.num_img > 1 THEN 'more than one' END`,
  }),

  ...given('string', 'meta_refresh_location amp_url header_canonical'),
  ...given('natural', 'meta_refresh_delay'),
  ...given(
    'string',
    'header_cache_control header_content_encoding header_content_language header_content_security_policy header_etag header_last_modified header_strict_transport_security header_x_content_type_options',
  ),
  ...given('string', 'missing_security_headers', 'many'),
  ...given('bool', 'compressed'),
  ...given('natural', 'num_mixed_content num_insecure_forms num_img_without_size'),
  ...given('natural', 'num_links_without_text num_links_generic_text'),

  ...given('string', 'language'),
  ...given('natural', 'word_count simhash'),
  ...given('percentage', 'text_to_code'),
  ...fields('nested', { ngrams: 'to_json(ngram.grams)' }, 'many'),
  ...fields('hash', { clusters: 'CASE WHEN near.id IS NOT NULL THEN [near.cluster] END' }, 'many'),
  ...fields('bool', {
    nearduplicate_content: 'CASE WHEN facts.is_html THEN near.id IS NOT NULL END',
    has_nearduplicate_issue: `CASE WHEN facts.is_html THEN coalesce(near.status IN ${UNHANDLED}, false) END`,
  }),
  ...fields('percentage', { nearduplicate_content_similarity: 'round(near.similarity, 4)' }),
  ...fields('enum', { nearduplicate_status: 'near.status' }),
  ...fields('bool', { like_missing_page: 'missing.is_alike', is_app_shell: 'missing.is_shell' }),

  ...fields('hash', { hreflang_cluster_id: 'version.cluster' }),
  ...fields(
    'string',
    {
      hreflang_langs: 'version.langs',
      hreflang_hrefs: 'version.hrefs',
      hreflang_sources: 'version.sources',
    },
    'many',
  ),
  ...fields('enum', { hreflang_errors: 'version.errors' }, 'many'),
  ...fields('object', { hreflang_error_details: 'version.details' }),

  ...given('string', 'semantic_types', 'many'),
  ...given('natural', 'semantic_item_count'),
  ...given('string', 'ogp_title ogp_type'),
  ...given('object', 'ogp_card twc_card'),

  ...given('bool', 'rendered unrendered_meta_robots_index'),
  ...given(
    'string',
    'script_redirect unrendered_title unrendered_meta_description unrendered_h1 unrendered_rel_canonical',
  ),
  ...given('string', 'unrendered_meta_robots unrendered_semantic_types', 'many'),
  ...given('natural', 'unrendered_word_count unrendered_semantic_item_count unrendered_outlinks'),
  ...given('natural', 'outlinks_only_rendered outlinks_only_unrendered'),
  ...given('natural', 'num_resources num_resources_denied num_resources_failed resources_weight'),
  ...given('nested', 'resources', 'many'),
  ...fields('string', { watched_resources: "json_extract_string(page.resources, '$[*].url')" }, 'many'),

  ...fields('string', { custom_qsdd: 'NULL' }),
];

/** Fields that a crawl of a list does not have: links to its pages stand on pages that it did not fetch. */
const LINKED_FIELDS: readonly CrawlField[] = [
  ...given('natural', 'depth'),
  ...fields('natural', {
    nb_inlinks: 'coalesce(inlink.links, 0)',
    follow_inlinks: 'coalesce(inlink.followed, 0)',
    nofollow_inlinks: 'coalesce(inlink.links - inlink.followed, 0)',
  }),
  ...fields('enum', { nb_inlinks_range: linkRange('coalesce(inlink.links, 0)') }),
];

/** Fields that a crawl without web vitals does not have: issues of them are then not known, and not on no page. */
const VITALS_FIELDS: readonly CrawlField[] = [
  ...given(
    'natural',
    'cwv_bytes_saving cwv_fcp cwv_lcp cwv_si cwv_tbt cwv_tti cwv_time_saving',
    'one',
    'vital',
  ),
  ...given('float', 'cwv_cls cwv_performance_score', 'one', 'vital'),
  ...given('string', 'cwv_measurement', 'one', 'vital'),
];

/** What the fields of a crawl's pages depend on. */
export interface CrawlFieldRules {
  readonly customFields: readonly CustomField[];
  readonly hasVitals: boolean;
  /** Whether the URLs of a list alone were crawled, without their links. */
  readonly isList: boolean;
}

export const PLAIN_FIELDS: CrawlFieldRules = { customFields: [], hasVitals: false, isList: false };

/** The fields of pages with those that a configuration scrapes, in the place of ours of the same name. */
export function pageFields({ customFields, hasVitals, isList }: CrawlFieldRules): CrawlField[] {
  const scraped = customFields.map(scrapedField);
  const names = new Set(scraped.map(({ name }) => name));
  const measured = hasVitals ? VITALS_FIELDS : [];
  const linked = isList ? [] : LINKED_FIELDS;
  return [...[...PAGE_FIELDS, ...linked].filter(({ name }) => !names.has(name)), ...measured, ...scraped];
}

const SCRAPED_TYPES = { string: 'string', number: 'float', date: 'date', boolean: 'bool' } as const;

function scrapedField({ field, take, type, isMany }: CustomField): CrawlField {
  const counted = take === 'count' ? 'natural' : take === 'exists' ? 'bool' : SCRAPED_TYPES[type];
  const read = isMany ? 'json_extract' : 'json_extract_string';
  return {
    name: field,
    type: counted,
    arity: isMany ? 'many' : 'one',
    sql: `${read}(page.custom, '$.${field}')`,
  };
}

const URL_PARTS = ['ext', 'first_path', 'host', 'path', 'querystring_key', 'querystring_keyvalue'];

function endFields(end: 'origin' | 'target'): CrawlField[] {
  return [
    ...fields('string', Object.fromEntries(URL_PARTS.map((part) => [`${end}_${part}`, `${end}.${part}`]))),
    ...fields('bool', { [`${end}_has_params`]: `${end}.has_params` }),
  ];
}

/** The fields of links (wire-facts.md), over `link`, a row of `crawl_links`, and the URLs at both ends. */
export const LINK_FIELDS: readonly CrawlField[] = [
  ...fields('string', { origin: 'origin.url', target: 'target.url', anchor: 'link.anchor' }),
  ...fields('bool', { follow: 'link.follow', intern: 'link.intern' }),
  ...fields('natural', { target_status: 'target.status_code' }),
  ...fields('enum', { target_status_range: 'target.status_code_range' }),
  ...fields('bool', { target_fetched: 'coalesce(target.fetched, false)' }),
  ...fields('float', {
    juice:
      'CASE WHEN link.follow AND link.intern AND link.is_page AND link.origin <> link.target THEN coalesce(1 / share.links, 0) ELSE 0 END',
  }),
  ...fields('enum', { link_position: 'link.link_position' }),
  ...fields('bool', { is_image: 'link.is_image' }),
  ...fields('string', { rel: 'link.rel' }, 'many'),
  ...endFields('origin'),
  ...endFields('target'),
];

/** The fields of structured data, over `item`, a row of `fetched_items`. */
export const ITEM_FIELDS: readonly CrawlField[] = [
  ...fields('string', { url: 'item.url' }),
  ...fields('enum', { format: 'item.format' }),
  ...fields('string', { type: 'item.type' }),
  ...fields('natural', { position: 'item.position' }),
  ...fields('bool', { valid: 'item.valid' }),
  ...fields('string', { missing_properties: 'item.missing_properties' }, 'many'),
  ...fields('object', { item: 'item.item' }),
];

/** The fields of requests besides those of pages, over `request`, a row of `other_requests`, and the redirects behind it. */
export const REQUEST_FIELDS: readonly CrawlField[] = [
  ...given('string', 'url', 'one', 'request'),
  ...given('enum', 'kind', 'one', 'request'),
  ...given('natural', 'status_code', 'one', 'request'),
  ...given('string', 'fetch_status error redirect_location', 'one', 'request'),
  ...fields('string', { final_redirect_location: 'redirect.final_url' }),
  ...fields('natural', { final_redirect_status: 'redirect.final_status' }),
  ...given('bool', 'robots_txt_denied is_indexable is_noindex', 'one', 'request'),
  ...given('string', 'canonical source_url', 'one', 'request'),
  ...given('enum', 'declared_as', 'one', 'request'),
  ...given('natural', 'num_urls', 'one', 'request'),
  ...given('string', 'content', 'one', 'request'),
  ...given('datetime', 'fetch_date', 'one', 'request'),
];

/** The fields of clusters of near duplicates, over the rows that the job `cluster_similarities` gives. */
export const CLUSTER_FIELDS: readonly CrawlField[] = [
  ...fields('hash', { cluster_id: 'cluster_id' }),
  ...fields('natural', { size: 'size' }),
  ...fields('percentage', { average_similarity: 'average_similarity' }),
  ...fields('enum', { canonical_status: 'canonical_status' }),
  ...fields('string', { sample_urls: 'sample_urls' }, 'many'),
];
