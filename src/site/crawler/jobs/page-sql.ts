import { type NamesFrom, PAGE_FIELD_ENTRIES } from '../../../client/fields/page-fields.ts';
import { FULL_WIDTH } from '../../../core/text/display-width.ts';
import type { CustomField } from '../custom-fields/custom-field.ts';
import type { CrawlField } from './crawl-fields.ts';
import { UNHANDLED } from './duplicates.ts';
import { linkRange, statusRange } from './job-tables.ts';

/** A full-width character, with at least three bytes, counts twice, as in mart.pages. */
const DESCRIPTION_WIDTH = `(page.description_length + CASE WHEN strlen(page.meta_description) < length(page.meta_description) + 2 THEN 0
  ELSE length(regexp_replace(page.meta_description, '[^${FULL_WIDTH}]+', '', 'g')) END)`;

/**
 * Returns SQL for a value of pages whose HTML was read successfully: such a page without the element has 0, other pages
 * have NULL.
 */
function onHtml(sql: string): string {
  return `CASE WHEN page.parsed_html AND page.status_code BETWEEN 200 AND 299 THEN ${sql} END`;
}

function count(sql: string): string {
  return onHtml(`coalesce(${sql}, 0)`);
}

/** Returns SQL for whether the duplicates of a text are unhandled. */
function isUnhandled(table: string): string {
  return `CASE WHEN ${table}.id IS NOT NULL THEN coalesce(${table}.status IN ${UNHANDLED}, false) END`;
}

/**
 * The SQL of the page fields that are not in the records, over `page`, a row of `fetched_pages`, and the tables of the
 * jobs. Fields that need rendering or connectors are NULL without them.
 */
const PAGE_SQL: Readonly<
  Record<NamesFrom<'jobs'>, string> & Partial<Record<NamesFrom<'page' | 'crawl'>, string>>
> = {
  status_code_range: statusRange('page.status_code'),
  sources: `CASE WHEN sitemap.id IS NOT NULL AND NOT list_contains(coalesce(page.sources, []), 'sitemaps')
    THEN list_append(coalesce(page.sources, []), 'sitemaps') ELSE page.sources END`,
  sitemaps_file_origin: 'sitemap.files',
  processing_warnings: `nullif(list_filter(list_concat([page.fetch_error, page.content_problem, CASE WHEN page.is_truncated THEN 'truncated' END], coalesce(page.render_warnings, []), coalesce(vital.warnings, []), coalesce(page.custom_problems, [])),
    lambda one: one IS NOT NULL), [])`,
  sitemaps_num_file_origin: 'len(sitemap.files)',
  sitemaps_num_alternate: 'sitemap.alternates',
  sitemaps_num_images: 'sitemap.images',
  sitemaps_num_news: 'sitemap.news',
  sitemaps_num_videos: 'sitemap.videos',

  pagination_errors: 'declared.errors',
  amp_status_code: 'declared.amp_status',
  canonical_evaluation: `CASE WHEN facts.is_html THEN CASE WHEN page.rel_canonical IS NULL THEN 'not_set' WHEN facts.is_canonicalised THEN 'not_matching' ELSE 'matching' END END`,
  is_canonical: 'CASE WHEN facts.is_html THEN NOT facts.is_canonicalised END',

  final_redirect_location: 'redirect.final_url',
  final_redirect_status: 'redirect.final_status',
  redirect_count: 'CASE WHEN page.fetched THEN coalesce(redirect.redirects, 0) END',
  is_redirect_loop: 'CASE WHEN page.fetched THEN coalesce(redirect.is_loop, false) END',
  is_too_many_redirects: 'CASE WHEN page.fetched THEN coalesce(redirect.is_too_many, false) END',
  redirect_cluster_id: 'redirect.cluster',

  internal_outlinks: count('outlink.internal'),
  internal_follow_outlinks: count('outlink.internal_followed'),
  internal_nofollow_outlinks: count('outlink.internal - outlink.internal_followed'),
  external_outlinks: count('outlink."external"'),
  external_follow_outlinks: count('outlink.external_followed'),
  external_nofollow_outlinks: count('outlink."external" - outlink.external_followed'),
  nb_links_self_referencing: count('outlink.to_itself'),
  inrank: 'floor(score.inrank)',
  inrank_decimal: 'score.inrank',
  internal_outlinks_range: onHtml(linkRange('coalesce(outlink.internal, 0)')),
  external_outlinks_range: onHtml(linkRange('coalesce(outlink."external", 0)')),
  nb_outlinks_range: onHtml(linkRange('coalesce(outlink.internal + outlink."external", 0)')),

  title_evaluation: 'same_title.evaluation',
  duplicate_title_status: 'same_title.status',
  has_duplicate_title_issue: isUnhandled('same_title'),
  h1_evaluation: 'same_h1.evaluation',
  duplicate_h1_status: 'same_h1.status',
  has_duplicate_h1_issue: isUnhandled('same_h1'),
  description_length_range: `CASE WHEN ${DESCRIPTION_WIDTH} < 110 THEN 'too short' WHEN ${DESCRIPTION_WIDTH} >= 170 THEN 'too long' WHEN ${DESCRIPTION_WIDTH} BETWEEN 135 AND 159 THEN 'perfect' WHEN page.description_length IS NOT NULL THEN 'good' END`,
  description_evaluation: 'same_description.evaluation',
  duplicate_description_status: 'same_description.status',
  has_duplicate_description_issue: isUnhandled('same_description'),
  num_img_range: `CASE WHEN page.num_img = 0 THEN 'no image' WHEN page.num_img = 1 THEN 'one image' WHEN page.num_img > 1 THEN 'more than one' END`,

  ngrams: 'to_json(ngram.grams)',
  clusters: 'CASE WHEN near.id IS NOT NULL THEN [near.cluster] END',
  nearduplicate_content: 'CASE WHEN facts.is_html THEN near.id IS NOT NULL END',
  has_nearduplicate_issue: `CASE WHEN facts.is_html THEN coalesce(near.status IN ${UNHANDLED}, false) END`,
  nearduplicate_content_similarity: 'round(near.similarity, 4)',
  nearduplicate_status: 'near.status',
  like_missing_page: 'missing.is_alike',
  is_app_shell: 'missing.is_shell',

  hreflang_cluster_id: 'version.cluster',
  hreflang_langs: 'version.langs',
  hreflang_hrefs: 'version.hrefs',
  hreflang_sources: 'version.sources',
  hreflang_errors: 'version.errors',
  hreflang_error_details: 'version.details',

  watched_resources: "json_extract_string(page.resources, '$[*].url')",
  custom_qsdd: 'NULL',

  nb_inlinks: 'coalesce(inlink.links, 0)',
  follow_inlinks: 'coalesce(inlink.followed, 0)',
  nofollow_inlinks: 'coalesce(inlink.links - inlink.followed, 0)',
  nb_inlinks_range: linkRange('coalesce(inlink.links, 0)'),
};

const SQL_OF: ReadonlyMap<string, string> = new Map(Object.entries(PAGE_SQL));

/** The fields of pages (api-spec.md §2.15 and additions of real catalogs). */
const PAGE_COLUMNS = PAGE_FIELD_ENTRIES.map(([name, { type, arity, from, isOfLinks }]) => {
  const sql = SQL_OF.get(name) ?? `${from === 'vitals' ? 'vital' : 'page'}."${name}"`;
  return { field: { name, type, arity, sql }, from, isOfLinks };
});

/** Settings that the fields of a crawl's pages depend on. */
export interface CrawlFieldRules {
  readonly customFields: readonly CustomField[];
  /** Without web vitals a crawl lacks their fields: the results of their issues are then unknown, not zero pages. */
  readonly hasVitals: boolean;
  /** Whether only the URLs of a list were crawled, without their links. */
  readonly isList: boolean;
}

export const PLAIN_FIELDS: CrawlFieldRules = { customFields: [], hasVitals: false, isList: false };

/** Returns the fields of pages, including scraped ones, which replace built-in fields of the same name. */
export function pageFields({ customFields, hasVitals, isList }: CrawlFieldRules): CrawlField[] {
  const scraped = customFields.map(scrapedField);
  const names = new Set<string>(scraped.map(({ name }) => name));
  const own = PAGE_COLUMNS.filter(
    ({ field, from, isOfLinks }) =>
      !names.has(field.name) && (hasVitals || from !== 'vitals') && !(isList && isOfLinks),
  );
  return [...own.map(({ field }) => field), ...scraped];
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
