import { text } from '../../../core/duckdb/duckdb.ts';
import { clusterId, similarity } from './cluster-values.ts';
import {
  ADJECTIVES,
  type GeneratedSite,
  hashOf,
  hubs,
  isPassing,
  NOUNS,
  numberBelow,
  pick,
  versionOf,
} from './site.ts';

const PITCH =
  'what it is made of, which sizes and colours there are, how to care for it, when it is delivered, and what people who use it every day say about it.';

/** Returns SQL for the fields that depend on each other, by name, over the columns of `pageFacts`. */
export function pageValues(site: GeneratedSite, counts?: PageCounts): Readonly<Record<string, string>> {
  const h = (label: string, bound: number): string => numberBelow(site, label, 'page', bound);
  const ofCrawl = (label: string, bound: number): string =>
    numberBelow(site, label, `page * 1009 + ${site.crawl}`, bound);
  const ok = (sql: string): string => `CASE WHEN status = 200 THEN ${sql} END`;
  const evaluation = (sql: string, shared: string): string =>
    ok(`CASE WHEN ${sql} IS NULL THEN 'not_set' WHEN ${shared} THEN 'duplicated' ELSE 'unique' END`);
  const issue = (shared: string): string =>
    ok(`coalesce(${shared}, false) AND canonical IS DISTINCT FROM url`);
  const duplicate = (shared: string): string =>
    ok(
      `CASE WHEN ${shared} THEN CASE WHEN canonical IS NULL THEN 'canonical_not_set' WHEN canonical = url THEN 'canonical_not_matching' ELSE 'canonical_ok' END END`,
    );
  const shared = PAGE_TEXTS.flatMap((name): [string, string][] => {
    const isShared = isRepeated(counts, name);
    const [evaluated, status, hasIssue] = fieldsOfRepeated(name);
    return [
      [evaluated, evaluation(name, isShared)],
      [status, duplicate(isShared)],
      [hasIssue, issue(isShared)],
    ];
  });

  return {
    url: 'url',
    status_code: 'status',
    fetched: 'status IS NOT NULL',
    title: 'title',
    depth: 'depth',
    inrank: 'CAST(floor(inrank) AS BIGINT)',
    inrank_decimal: 'inrank',
    status_code_range: `CASE WHEN status < 300 THEN 'ok' WHEN status < 400 THEN 'redirect' WHEN status < 500 THEN 'client_error' WHEN status >= 500 THEN 'server_error' END`,
    fetch_status: `CASE WHEN kind = 'd' THEN 'unfetched_robots_denied' WHEN status IS NULL THEN 'unfetched_exception' ELSE concat('fetched_', status // 100, 'xx') END`,
    fetch_date: `strftime(make_timestamp((${site.startedAt} + ${ofCrawl('fetched at', site.endedAt - site.startedAt)}) * 1000000), '%Y/%m/%d %H:%M:%S UTC')`,
    sources: `CASE WHEN kind = 'o' THEN CASE WHEN ${h('analytics', 3)} = 0 THEN ['analytics_a', 'sitemaps'] ELSE ['sitemaps'] END
      WHEN in_sitemap THEN CASE WHEN ${h('logs', 5)} = 0 THEN ['crawler', 'logs_cross_analysis', 'sitemaps'] ELSE ['crawler', 'sitemaps'] END
      WHEN kind = 'u' THEN NULL ELSE ['crawler'] END`,
    meta_robots: ok('robots'),
    meta_robots_index: ok(`NOT coalesce(list_contains(robots, 'noindex'), false)`),
    meta_robots_follow: ok(`NOT coalesce(list_contains(robots, 'nofollow'), false)`),
    robots_txt_denied: `kind = 'd'`,
    parsed_html: 'coalesce(status = 200, false)',
    indexable: ok(`NOT coalesce(list_contains(robots, 'noindex'), false) AND coalesce(canonical, url) = url`),
    is_canonical: ok('coalesce(canonical, url) = url'),
    rel_canonical: 'canonical',
    canonicals: ok('CASE WHEN canonical IS NULL THEN NULL ELSE [canonical] END'),
    canonical_evaluation: ok(
      `CASE WHEN canonical IS NULL THEN 'not_set' WHEN canonical = url THEN 'matching' ELSE 'not_matching' END`,
    ),
    redirect_location: 'redirect_url',
    final_redirect_location: 'final_url',
    final_redirect_status: 'final_status',
    redirect_count: `CASE WHEN status IS NULL THEN NULL WHEN kind IN ('c', 'l') THEN 2 WHEN kind IN ('r', 'x') THEN 1 ELSE 0 END`,
    is_redirect_loop: `kind = 'l' AND redirect_slot <> 0`,
    is_too_many_redirects: 'false',
    redirect_cluster_id: `CASE WHEN final_url IS NOT NULL THEN lower(hex(hash(final_url))) END`,
    h1: 'h1',
    num_h1: ok('CASE WHEN h1 IS NULL THEN 0 ELSE 1 END'),
    ...linkFields(site, counts, ok),
    word_count: ok(`40 + ${h('words', 60)} * ${h('more words', 40)}`),
    text_to_code: ok(`CAST(5 + ${h('text', 60)} AS DOUBLE) / 100`),
    weight: ok(`8 + ${h('weight', 300)}`),
    load_time: `CASE WHEN status IS NOT NULL THEN 60 + ${h('slow', 600)} + ${ofCrawl('load', 80)} END`,
    language: ok(`CASE WHEN ${h('language', 9)} = 0 THEN 'fr' ELSE 'en' END`),
    urlpath: "split_part(path, '?', 1)",
    url_host: text(site.host),
    url_first_path: `CASE WHEN path = '/' THEN '/' ELSE concat('/', section, '/') END`,
    url_ext: `CASE WHEN ends_with(path, '.html') THEN 'html' WHEN ends_with(path, '.pdf') THEN 'pdf' END`,
    url_has_params: `contains(path, '?')`,
    querystring_key: `CASE WHEN contains(path, '&') THEN 'sort&page' WHEN contains(path, '?') THEN split_part(split_part(path, '?', 2), '=', 1) END`,
    querystring_keyvalue: `CASE WHEN contains(path, '?') THEN split_part(path, '?', 2) END`,
    title_length: 'length(title)',
    ...Object.fromEntries(shared),
    meta_description: 'description',
    description_length: 'length(description)',
    description_length_range: `CASE WHEN length(description) < 110 THEN 'too short' WHEN length(description) >= 170 THEN 'too long' WHEN length(description) BETWEEN 135 AND 159 THEN 'perfect' WHEN description IS NOT NULL THEN 'good' END`,
    ...clusterFields(site, counts, { ok, duplicate, issue }),
    hreflang_cluster_id: ok(
      `CASE WHEN ${h('hreflang', 10)} = 0 THEN lower(hex(${hashOf(site, 'hreflang', 'page // 2')})) END`,
    ),
    sitemaps_file_origin: `CASE WHEN NOT in_sitemap AND kind <> 'o' THEN NULL WHEN ${h('twice', 6)} = 0
      THEN ['https://${site.host}/sitemap.xml', concat('https://${site.host}/sitemap-', section, '.xml')]
      ELSE [concat('https://${site.host}/sitemap-', section, '.xml')] END`,
    ...itemFields(counts, ok),
    rel_next: ok(`CASE WHEN contains(path, 'page=2') THEN concat(url, '&next') END`),
    rel_prev: ok(`CASE WHEN contains(path, 'page=') THEN split_part(url, '?', 1) END`),
    num_img: ok('images'),
    num_img_alt: ok('images * 3 // 4'),
    num_missing_alt: ok('images - images * 3 // 4'),
    num_img_range: ok(`CASE images WHEN 0 THEN 'no image' WHEN 1 THEN 'one image' ELSE 'more than one' END`),
    ...smallNumbers(h, ok),
    page_group_section: 'section',
    'page_group_page type': `CASE WHEN slot = 0 THEN 'home' WHEN slot <= ${hubs(site)} THEN 'section' ELSE 'detail' END`,
    ogp_title: 'title',
    crawled_by_googlebot: `status IS NOT NULL AND ${h('googlebot', 4)} > 0`,
  };
}

type Sql = (sql: string) => string;

function linkRange(sql: string): string {
  return `CASE WHEN ${sql} < 50 THEN '0-50' WHEN ${sql} < 100 THEN '50-100' WHEN ${sql} < 150 THEN '100-150' WHEN ${sql} < 200 THEN '150-200' WHEN ${sql} >= 200 THEN '>200' END`;
}

/** Link counts from the crawl's links; without links, their averages. */
function linkFields(site: GeneratedSite, counts: PageCounts | undefined, ok: Sql): Record<string, string> {
  const mean = Math.max(1, Math.round(site.links / site.slots));
  const outlinks = { internal: `${mean} * 92 // 100`, external: `${mean} - ${mean} * 92 // 100` };
  const madeUp = {
    ...outlinks,
    followed: 'inlinks * 92 // 100',
    internalFollowed: `${mean} * 85 // 100`,
    externalFollowed: outlinks.external,
  };
  const counted = {
    followed: 'inlinks_followed',
    internal: 'internal_all',
    internalFollowed: 'internal_followed',
    external: 'external_all',
    externalFollowed: 'external_followed',
  };
  const { followed, internal, internalFollowed, external, externalFollowed } = counts?.has.links
    ? counted
    : madeUp;
  return {
    nb_inlinks: 'inlinks',
    follow_inlinks: followed,
    nofollow_inlinks: `inlinks - ${followed}`,
    nb_inlinks_range: linkRange('inlinks'),
    internal_outlinks: ok(internal),
    internal_follow_outlinks: ok(internalFollowed),
    internal_nofollow_outlinks: ok(`${internal} - ${internalFollowed}`),
    internal_outlinks_range: ok(linkRange(`(${internal})`)),
    external_outlinks: ok(external),
    external_follow_outlinks: ok(externalFollowed),
    external_nofollow_outlinks: ok(`${external} - (${externalFollowed})`),
    external_outlinks_range: ok(linkRange(`(${external})`)),
    nb_outlinks_range: ok(linkRange(`(${internal} + ${external})`)),
  };
}

/** Near duplicates: the members of the crawl's clusters, or, if it has none, the pages that share a title. */
function clusterFields(
  site: GeneratedSite,
  counts: PageCounts | undefined,
  { ok, duplicate, issue }: Readonly<Record<'ok' | 'duplicate' | 'issue', Sql>>,
): Record<string, string> {
  const [near, clusters]: readonly [string, string] = counts?.has.clusters
    ? ['(cluster_numbers IS NOT NULL)', `list_transform(cluster_numbers, lambda k: ${clusterId(site, 'k')})`]
    : ['shares_title', `[${clusterId(site, 'topic')}]`];
  return {
    clusters: ok(`CASE WHEN ${near} THEN ${clusters} END`),
    nearduplicate_content: ok(near),
    nearduplicate_content_similarity: ok(
      `CASE WHEN ${near} THEN CAST(${similarity(site, 'page')} AS DOUBLE) / 100 END`,
    ),
    nearduplicate_status: duplicate(near),
    has_nearduplicate_issue: issue(near),
  };
}

/** Items of structured data from the crawl's items; without these, what a section's pages may have. */
function itemFields(counts: PageCounts | undefined, ok: Sql): Record<string, string> {
  if (counts?.has.items) return { semantic_types: ok('items_types'), semantic_item_count: ok('items_all') };
  return {
    semantic_types: ok(
      `CASE section WHEN 'products' THEN ['Offer', 'Product'] WHEN 'blog' THEN ['Article'] WHEN 'news' THEN ['NewsArticle', 'Organization', 'Person'] END`,
    ),
    semantic_item_count: ok(
      `CASE section WHEN 'products' THEN 2 WHEN 'blog' THEN 1 WHEN 'news' THEN 3 ELSE 0 END`,
    ),
  };
}

function smallNumbers(
  h: (label: string, bound: number) => string,
  ok: (sql: string) => string,
): Record<string, string> {
  const share = (label: string, bound: number): string => `CAST(${h(label, bound)} AS DOUBLE) / 100`;
  return {
    num_h2: ok(h('h2', 9)),
    num_h3: ok(h('h3', 14)),
    num_h4: ok(h('h4', 6)),
    num_h5: ok(h('h5', 2)),
    num_h6: ok('0'),
    sitemaps_num_alternate: `CASE WHEN in_sitemap THEN ${h('alternates', 4)} END`,
    sitemaps_num_images: `CASE WHEN in_sitemap THEN ${h('sitemap images', 5)} END`,
    sitemaps_num_news: `CASE WHEN in_sitemap THEN 0 END`,
    sitemaps_num_videos: `CASE WHEN in_sitemap THEN ${h('videos', 2)} END`,
    cwv_bytes_saving: ok(h('bytes', 90_000)),
    cwv_cls: ok(share('cls', 30)),
    cwv_fcp: ok(`600 + ${h('fcp', 1800)}`),
    cwv_lcp: ok(`1200 + ${h('fcp', 1800)} + ${h('lcp', 1500)}`),
    cwv_performance_score: ok(`(40 + ${h('score', 61)}) / 100.0`),
    cwv_si: ok(`900 + ${h('si', 4000)}`),
    cwv_tbt: ok(h('tbt', 600)),
    cwv_tti: ok(`1500 + ${h('tti', 5000)}`),
    cwv_time_saving: ok(h('saving', 2000)),
  };
}

/** Returns SQL for the title, H1 and description of a page, which change now and then. */
export function pageTexts(site: GeneratedSite): {
  readonly title: string;
  readonly h1: string;
  readonly description: string;
} {
  const words = (of: string): string =>
    `concat(upper(substr(${pick(ADJECTIVES, hashOf(site, 'topic adjective', of))}, 1, 1)), substr(${pick(ADJECTIVES, hashOf(site, 'topic adjective', of))}, 2), ' ', ${pick(NOUNS, hashOf(site, 'topic noun', of))})`;
  const edition = (label: string): string => {
    const version = versionOf(site, label, 'slot');
    return `CASE WHEN ${version} = 0 THEN '' ELSE concat(' (', ${version} + 1, ')') END`;
  };
  const name = `CASE WHEN slot = 0 THEN 'Welcome' WHEN slot <= ${hubs(site)} THEN concat('All ', section) WHEN shares_title THEN ${words('topic')} ELSE concat(${words('page')}, ' ', page) END`;
  const missing = (label: string, bound: number): string => `${numberBelow(site, label, 'page', bound)} = 0`;
  const when = (label: string, sql: string): string =>
    `CASE WHEN status IS DISTINCT FROM 200 OR (slot > ${hubs(site)} AND ${missing(label, 60)}) THEN NULL ELSE ${sql} END`;
  return {
    title: when('no title', `concat(${name}, ${edition('title')}, ' | ', ${text(site.brand)})`),
    h1: when('no h1', `concat(${name}, ${edition('h1')})`),
    description: when(
      'no description',
      `concat(${name}, ': ', substr(${text(PITCH)}, 1, CAST(70 + ${numberBelow(site, 'length', 'topic', 80)} AS INTEGER)))`,
    ),
  };
}

/** Returns SQL for the slot a page's canonical points at: mostly its own; NULL when it has none. */
export function canonicalSlot(site: GeneratedSite, elsewhere: string, broken: string): string {
  const h = numberBelow(site, 'canonical', 'slot', 100);
  return `CASE WHEN status IS DISTINCT FROM 200 THEN NULL WHEN slot <= ${hubs(site)} THEN slot WHEN ${h} < 3 THEN NULL WHEN ${h} = 3 THEN ${broken}
    WHEN ${h} < 8 OR ${isPassing(site, 'canonical moved', 'slot')} THEN ${elsewhere} ELSE slot END`;
}

export const PAGE_TEXTS = ['title', 'h1', 'description'] as const;
export type PageText = (typeof PAGE_TEXTS)[number];

/** Returns the fields that depend on whether another page has the same text. */
export function fieldsOfRepeated(name: PageText): readonly [string, string, string] {
  return [`${name}_evaluation`, `duplicate_${name}_status`, `has_duplicate_${name}_issue`];
}

/** The counts of a crawl's other tables for its pages, so that the pages agree with them. */
export interface PageCounts {
  /** A table with one row per slot: the links to and from it, its items, its clusters. Absent if the crawl has none. */
  readonly table: string | undefined;
  /** The tables that the crawl has; without one, the pages' fields are generated. */
  readonly has: { readonly links: boolean; readonly items: boolean; readonly clusters: boolean };
  /** Titles, headings and descriptions that more than one page has, if a field depends on them. */
  readonly repeated: Readonly<Record<PageText, readonly string[]>>;
}

/** Returns SQL condition for another page of the crawl with the same text; a crawl without pages has no counts. */
function isRepeated(counts: PageCounts | undefined, field: PageText): string {
  if (counts === undefined) return 'shares_title';
  const texts = counts.repeated[field];
  return texts.length === 0 ? 'false' : `coalesce(${field} IN (${texts.map(text).join(', ')}), false)`;
}
