import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** One site with every strange page: orphans, redirects, statuses, canonicals, robots, hreflang, duplicates. */

export const PROJECT: Project = {
  id: 'p-a',
  name: `Ümlaut & Söhne; "quoted" 'shop'`,
  startUrl: 'https://a.example',
  ranking: dataset(
    ['/', '/alone/zero', '/alone/linked', '/only/searched', '/gone/1', '/robots/none', '/c/to-404'].map(
      (path, n) => ({
        date: '2026-01-12',
        url: `https://a.example${path}`,
        query: `q;"'${n}`,
        device: 'DESKTOP',
        clicks: n,
        impressions: path === '/robots/none' ? 0 : 10 * n,
        position: n + 0.5,
      }),
    ),
  ),
};

const page = pagesOf('https://a.example');
const url = (path: string): string => `https://a.example${path}`;

const START = page('/', {
  depth: 0,
  nb_inlinks: 0,
  title: ' Home\t page ',
  h1: 'Home',
  sources: ['crawler'],
});

const ORPHANS = [
  page('/alone/sitemap', { depth: null, nb_inlinks: 0, sources: ['sitemaps'], inrank_decimal: 0 }),
  page('/alone/logs', { depth: null, nb_inlinks: 0, sources: ['logs cross analysis'] }),
  page('/alone/linked', { depth: null, nb_inlinks: 3, sources: ['sitemaps'] }),
  page('/alone/crawler', { depth: null, nb_inlinks: 0, sources: ['sitemaps', 'crawler'] }),
  page('/alone/nothing', { depth: null, nb_inlinks: null, sources: null }),
  page('/alone/zero', { depth: 2, nb_inlinks: 0, sources: ['sitemaps'] }),
  page('/alone/404', { depth: null, nb_inlinks: 0, status_code: 404, sources: ['ingest data'] }),
  page('/alone/sitemap-linked', { depth: null, nb_inlinks: 2, sources: ['XML Sitemaps'] }),
  page('/alone/sitemap-unknown', { depth: null, nb_inlinks: null, sources: ['XML Sitemaps'] }),
  page('/alone/two', { depth: null, nb_inlinks: 0, sources: ['sitemaps', 'logs cross analysis'] }),
  page('/alone/CRAWLER', { depth: null, nb_inlinks: 0, sources: ['The Crawler'] }),
  page('/alone/unknown-depth', { nb_inlinks: 0, sources: [] }),
  page('/alone/empty list', { depth: null, nb_inlinks: 1, sources: [] }),
  page('/alone/start', { depth: 0, nb_inlinks: 0, sources: ['sitemaps'] }),
];

const redirect = (path: string, to: string | null, values: Row = {}): Row =>
  page(path, {
    status_code: 301,
    depth: 1,
    nb_inlinks: 2,
    redirect_location: to === null ? null : url(to),
    redirect_count: 1,
    final_redirect_status: 200,
    ...values,
  });
const HOPS = Array.from({ length: 18 }, (_, n) => n + 1);
const REDIRECTS = [
  redirect('/r/1', '/r/2', { redirect_count: 2, final_redirect_location: url('/shop/ok') }),
  redirect('/r/2', '/shop/ok', { final_redirect_location: url('/shop/ok') }),
  redirect('/r/loop-a', '/r/loop-b', { is_redirect_loop: true, final_redirect_status: null }),
  redirect('/r/loop-b', '/r/loop-a', { is_redirect_loop: true, final_redirect_status: null }),
  redirect('/r/self', '/r/self', {
    is_redirect_loop: true,
    redirect_count: null,
    final_redirect_status: null,
  }),
  redirect('/r/into-loop', '/r/loop-a', { redirect_count: 3, final_redirect_status: null }),
  redirect('/r/to-404', '/gone/1', {
    status_code: 302,
    final_redirect_status: 404,
    final_redirect_location: url('/gone/1'),
  }),
  redirect('/r/two-to-404', '/r/to-404', { redirect_count: 2, final_redirect_status: 404 }),
  redirect('/r/to-503', '/gone/503', { final_redirect_status: 503, status_code_range: 'redirect' }),
  redirect('/r/contradicts', '/shop/ok', { final_redirect_status: 404 }),
  redirect('/r/nowhere', null, { redirect_count: null, final_redirect_status: null }),
  page('/r/away', {
    status_code: 307,
    redirect_location: 'https://other.example/x',
    redirect_count: 1,
    final_redirect_status: null,
    depth: 1,
    nb_inlinks: 1,
  }),
  page('/r/away-ok', {
    status_code: 308,
    redirect_location: 'https://other.example/ok',
    redirect_count: 1,
    final_redirect_status: 200,
    depth: 1,
    nb_inlinks: 0,
    sources: ['crawler'],
  }),
  page('/r/two-unknown', {
    status_code: 301,
    redirect_location: url('/r/away'),
    redirect_count: 2,
    depth: 1,
    nb_inlinks: 1,
  }),
  redirect('/r/to-unfetched', '/quiet/unfetched', { final_redirect_status: null }),
  // The range alone says that it redirects.
  page('/r/range', {
    status_code: null,
    status_code_range: 'redirect',
    final_redirect_status: 404,
    depth: 1,
  }),
  page('/r/304', { status_code: 304, depth: 1, nb_inlinks: 1 }),
  ...HOPS.map((n) =>
    redirect(`/h/${n}`, n === 18 ? '/shop/ok' : `/h/${n + 1}`, {
      redirect_count: Math.min(16, 19 - n),
      is_too_many_redirects: n < 3,
      nb_inlinks: n === 1 ? 1 : 0,
      sources: ['crawler'],
      final_redirect_status: n < 3 ? null : 200,
    }),
  ),
];

const STATUSES = [
  page('/gone/1', { status_code: 404, depth: 2, nb_inlinks: 2, sitemaps_file_origin: ['s.xml', 't.xml'] }),
  page('/gone/503', { status_code: 503, depth: 2, nb_inlinks: 2 }),
  page('/gone/both', { status_code: 503, depth: 2, nb_inlinks: 4 }),
  page('/gone/unlinked', { status_code: 410, depth: 2, nb_inlinks: 0, sources: ['crawler'] }),
  page('/odd/999', { status_code: 999, depth: 2, nb_inlinks: 1 }),
  page('/odd/204', { status_code: 204, depth: 2, nb_inlinks: 1 }),
  page('/odd/600', { status_code: 600, depth: 2, nb_inlinks: 1 }),
  page('/odd/100', { status_code: 100, depth: 2, nb_inlinks: 1 }),
  page('/odd/399', { status_code: 399, depth: 2, nb_inlinks: 1 }),
  page('/odd/400', { status_code: 400, depth: 2, nb_inlinks: 1 }),
  page('/odd/599', { status_code: 599, depth: 2, nb_inlinks: 1 }),
  page('/quiet/unfetched', { status_code: null, fetched: false, depth: 2, nb_inlinks: 1 }),
  page('/quiet/timeout', {
    status_code: null,
    fetched: false,
    fetch_status: 'unfetched_exception',
    depth: 1,
    nb_inlinks: 5,
    inrank_decimal: 4.25,
    sitemaps_file_origin: ['s.xml'],
  }),
  page('/quiet/answered', { status_code: 200, fetch_status: 'unfetched_exception', depth: 1, nb_inlinks: 1 }),
  page('/quiet/silent', { status_code: null, fetched: null, depth: 1, nb_inlinks: 1 }),
  page('/quiet/said', { status_code: null, fetched: null, indexable: 'Yes', depth: 1, nb_inlinks: 1 }),
];

const ROBOTS = [
  page('/robots/denied', {
    robots_txt_denied: true,
    status_code: null,
    fetched: false,
    depth: 1,
    nb_inlinks: 3,
    inrank_decimal: 2.5,
  }),
  page('/robots/fetch', { fetch_status: 'unfetched_robots_denied', status_code: null, fetched: false }),
  page('/robots/denied-404', { robots_txt_denied: true, status_code: 404, depth: 1, nb_inlinks: 1 }),
  page('/robots/allowed', { robots_txt_denied: false, fetch_status: 'fetched_2xx', depth: 1, nb_inlinks: 9 }),
  page('/robots/allowed-unsaid', { robots_txt_denied: false, depth: 1, nb_inlinks: 9 }),
  page('/robots/noindex', { meta_robots: ['NoIndex , follow'], depth: 1, nb_inlinks: 2 }),
  page('/robots/none', { meta_robots: ['NONE'], depth: 1, nb_inlinks: 2, sitemaps_file_origin: 's.xml' }),
  page('/robots/second', { meta_robots: ['max-snippet:-1', 'index,noindex'], depth: 1, nb_inlinks: 2 }),
  page('/robots/like', { meta_robots: ['noindexed', 'nonetheless'], depth: 1, nb_inlinks: 2 }),
  page('/robots/nothing', { meta_robots: [], depth: 1, nb_inlinks: 2 }),
  page('/robots/index-says-no', {
    meta_robots: ['index'],
    meta_robots_index: false,
    depth: 1,
    nb_inlinks: 2,
  }),
  page('/robots/index-says-yes', {
    meta_robots: 'noindex',
    meta_robots_index: true,
    depth: 1,
    nb_inlinks: 2,
  }),
  page('/robots/service-no', { indexable: 'False', depth: 1, nb_inlinks: 2, inrank_decimal: 1.125 }),
  page('/robots/service-no-0', { indexable: '0', depth: 1, nb_inlinks: 2 }),
  page('/robots/service-not', { indexable: 'NOT_INDEXABLE', depth: 1, nb_inlinks: 2 }),
  page('/robots/service-non', { indexable: 'non_indexable', depth: 1, nb_inlinks: 2 }),
  page('/robots/service-maybe', { indexable: 'maybe', depth: 1, nb_inlinks: 2 }),
  page('/robots/service-yes-404', { indexable: 'true', status_code: 404, depth: 1, nb_inlinks: 2 }),
  page('/robots/service-yes-noindex', { indexable: 'INDEXABLE', meta_robots_index: false, depth: 1 }),
  page('/robots/both', { robots_txt_denied: true, meta_robots_index: false, status_code: 503, depth: 1 }),
];

const canonical = (path: string, rel_canonical: string | null, values: Row = {}): Row =>
  page(path, { rel_canonical, depth: 2, nb_inlinks: 2, inrank_decimal: 1.5, ...values });
const CANONICALS = [
  canonical('/shop/ok', url('/shop/ok')),
  canonical('/c/relative', 'target'),
  canonical('/c/target', '/c/target'),
  canonical('/c/slash', '/c/slash/'),
  canonical('/c/noslash/', '/c/noslash'),
  canonical('/c/case', '/c/CASE'),
  canonical('/c/case-slash', '/c/CASE-slash/'),
  canonical('/c/scheme', 'http://a.example/c/scheme'),
  canonical('/c/scheme-case', 'http://a.example/c/SCHEME-case'),
  canonical('/c/host', 'https://www.a.example/c/host'),
  canonical('/c/host-case', 'https://www.a.example/C/host-case/'),
  canonical('/c/host-path', 'https://www.a.example/elsewhere'),
  canonical('/c/host-upper', 'HTTPS://A.EXAMPLE/c/host-upper'),
  canonical('/c/fragment', '/c/fragment#top'),
  canonical('/c/only-fragment', '#top'),
  canonical('/c/empty', ''),
  canonical('/c/blank', '   '),
  canonical('/c/spaces', '  /c/spaces '),
  canonical('/c/query?a=1&b=2', '/c/query'),
  canonical('/c/query-only', '?a=1'),
  canonical('/c/query-order?b=2&a=1', '?a=1&b=2'),
  canonical('/c/protocol', '//a.example/c/protocol'),
  canonical('/c/dots', '/c/./dots'),
  canonical('/c/query-url', 'go?to=https://other.example/x'),
  canonical('/c/host-query', 'https://a.example?x=1'),
  canonical('', 'relative'),
  canonical('?x=1', '/?x=1'),
  canonical('#x', '/'),
  canonical('/c/ünï', '/c/%C3%BCn%C3%AF'),
  canonical('/c/home', 'https://a.example'),
  canonical('/c/says-matching', '/c/target', { canonical_evaluation: 'matching' }),
  canonical('/c/says-not', null, { canonical_evaluation: 'not_matching' }),
  canonical('/c/says-not-self', '/c/says-not-self', { canonical_evaluation: 'not_matching' }),
  canonical('/c/says-not-set', '/c/target', { canonical_evaluation: 'not_set' }),
  canonical('/c/says-not-target', '/c/target', { canonical_evaluation: 'not_matching' }),
  canonical('/c/null', null),
  canonical('/c/to-missing', '/c/nowhere'),
  canonical('/c/to-denied', '/robots/denied'),
  canonical('/c/to-unfetched', '/quiet/unfetched'),
  canonical('/c/to-timeout', '/quiet/timeout'),
  canonical('/c/to-canonicalised', '/c/relative'),
  canonical('/c/to-404', '/gone/1'),
  canonical('/c/to-redirect', '/r/1'),
  canonical('/c/to-noindex', '/robots/none'),
  canonical('/c/to-999', '/odd/999'),
  canonical('/c/to-service', '/robots/service-no'),
  canonical('/c/to-other-host', 'https://other.example/x'),
  canonical('/c/to-subdomain', 'https://m.a.example/x'),
  canonical('/c/silent-to-404', '/gone/1', { status_code: null, fetched: false }),
  canonical('/c/redirect-to-404', '/gone/1', { status_code: 301, redirect_location: url('/shop/ok') }),
  canonical('/c/noindex-to-404', '/gone/1', { meta_robots_index: false }),
];

const version = (path: string, values: Row): Row => page(path, { depth: 1, nb_inlinks: 2, ...values });
const LANGUAGES = [
  version('/l/en', {
    hreflang_cluster_id: 'h1',
    language: 'en',
    hreflang_hrefs: [url('/l/en'), url('/l/de'), url('/l/fr')],
  }),
  version('/l/de', {
    hreflang_cluster_id: 'h1',
    language: 'de',
    meta_robots_index: false,
    hreflang_hrefs: [url('/l/en'), url('/l/fr'), url('/l/it')],
    hreflang_errors: ['no_return'],
  }),
  version('/l/en-2', { hreflang_cluster_id: 'h2', language: 'en', hreflang_hrefs: url('/l/en-2') }),
  version('/l/es-2', { hreflang_cluster_id: 'h2', language: 'es', hreflang_hrefs: null }),
  version('/l/en-3', {
    hreflang_cluster_id: 'h3',
    language: null,
    hreflang_errors: ['no_return', 'bad_lang', 'no_return'],
  }),
  version('/l/de-3', { hreflang_cluster_id: 'h3', language: 'de', hreflang_errors: 'bad_lang' }),
  version('/l/en-4', { hreflang_cluster_id: 'h4', language: 'en', status_code: 404, hreflang_hrefs: [] }),
  version('/l/unknown-4', { hreflang_cluster_id: 'h4', language: 'en', status_code: null, fetched: null }),
  version('/l/nowhere', { hreflang_cluster_id: null, hreflang_hrefs: [url('/l/nobody')] }),
];

const text = (path: string, values: Row): Row => page(path, { depth: 3, nb_inlinks: 4, ...values });
const TEXTS = [
  text('/t/1', { title: 'Home page', h1: '', meta_description: 'One  text', clusters: ['k1', 'k2', 'k1'] }),
  text('/t/2', {
    title: '\n Home\u00a0\u00a0page\t',
    h1: '',
    meta_description: 'One text',
    clusters: ['k1'],
  }),
  text('/t/3', { title: 'home page', h1: ' \t', meta_description: 'One text ', clusters: 'k2' }),
  text('/t/4', { title: '', h1: 'A', clusters: ['k3', 'k3'], has_duplicate_title_issue: true }),
  text('/t/5', { title: '   ', h1: 'A ', has_duplicate_h1_issue: true, title_evaluation: 'not_set' }),
  text('/t/6', { title: '', h1: 'A', status_code: 404, h1_evaluation: 'not_set' }),
  text('/t/7', { title: 'Copy', rel_canonical: '/t/8', has_duplicate_title_issue: true }),
  text('/t/8', { title: 'Copy', description_evaluation: 'not_set', has_duplicate_h1_issue: false }),
  text('/t/9', { title: 'Copy', canonical_evaluation: 'matching', has_duplicate_title_issue: true }),
  text('/t/10', { title: `It's; "quoted" ¿ünï?`, has_nearduplicate_issue: true, clusters: ['k4'] }),
  text('/t/11', { title: `It's; "quoted" ¿ünï?`, has_nearduplicate_issue: false, clusters: ['k4'] }),
  text('/t/12', { meta_description: 'same', has_duplicate_description_issue: true, word_count: 299 }),
  text('/t/13', { meta_description: 'same', word_count: 300, load_time: 1001 }),
  text('/t/14', { word_count: 0, load_time: 1000, depth: 4 }),
];

/** Pages by segmentations of the project: one a list with several, one a flag, one a number as text. */
const segmented = (row: Row, n: number): Row => ({
  ...row,
  page_group_kind: [['tea', 'pots'], ['tea'], ['tea', 'tea'], [], null, ['', 'pots']][n % 6],
  page_group_size: [null, 'large; "XL"', 'small', ''][n % 4],
});

const LATER = [
  START,
  ...[ORPHANS, REDIRECTS, STATUSES, ROBOTS, CANONICALS, LANGUAGES, TEXTS].flat(),
  // A first directory that is not known.
  page('/x/no-directory', { url_first_path: null, depth: 1, nb_inlinks: 2, title: 'Home page' }),
].map(segmented);

/** In the crawl before most answered, some were deeper, and the export had other fields. */
const EARLIER = [
  { ...START, title: 'Home' },
  page('/quiet/timeout', { depth: 1, nb_inlinks: 9, inrank_decimal: 4.25, title: 'timeout' }),
  page('/quiet/silent', { depth: 1, nb_inlinks: 1, inrank_decimal: 4.25 }),
  page('/robots/denied', { depth: 1, nb_inlinks: 3, robots_txt_denied: false, inrank_decimal: 2 }),
  page('/robots/fetch', { depth: 1, nb_inlinks: 3 }),
  page('/robots/noindex', { depth: 1, nb_inlinks: 2 }),
  page('/robots/index-says-no', { depth: 1, nb_inlinks: 2 }),
  page('/robots/service-no', { depth: 1, nb_inlinks: 2, indexable: 'true' }),
  page('/robots/service-yes-404', { depth: 1, nb_inlinks: 2, indexable: 'true', title: 'was here' }),
  page('/robots/second', { depth: 1, nb_inlinks: 2, indexable: 'no' }),
  page('/c/relative', { depth: 1, nb_inlinks: 2, rel_canonical: '/c/relative' }),
  page('/c/says-not', { depth: 2, nb_inlinks: 3 }),
  page('/gone/1', { depth: 1, nb_inlinks: 5, title: 'gone', inrank_decimal: 9.5 }),
  page('/odd/999', { depth: 2, nb_inlinks: 1 }),
  page('/r/1', { depth: 1, nb_inlinks: 2, title: 'It moved' }),
  page('/r/2', { depth: 1, nb_inlinks: 2, title: null }),
  page('/r/loop-a', { depth: 1, nb_inlinks: 2 }),
  page('/r/to-404', { depth: 1, nb_inlinks: 2 }),
  page('/r/away', { depth: 1, nb_inlinks: 1, title: 'away' }),
  page('/r/away-ok', { depth: 1, nb_inlinks: null, title: 'away' }),
  page('/r/nowhere', { depth: null, nb_inlinks: 2 }),
  page('/h/1', { depth: 1, nb_inlinks: 1 }),
  page('/h/17', { depth: 1, nb_inlinks: 1, title: 'chain' }),
  page('/t/1', { depth: 1, nb_inlinks: 4, title: 'Home page' }),
  page('/t/8', { depth: 3, nb_inlinks: 5, title: 'Original' }),
  page('/vanished/1', { depth: 2, nb_inlinks: 7, title: 'vanished', inrank_decimal: 4.25 }),
  page('/vanished/2', { status_code: 404, depth: 2, nb_inlinks: 7, title: 'vanished' }),
  page('/alone/sitemap', { depth: 1, nb_inlinks: 1, inrank_decimal: 0.1 }),
].map(segmented);

const link = (origin: string, target: string, values: Row = {}): Row => ({
  origin: url(origin),
  target: url(target),
  anchor: `to ${target}`,
  follow: true,
  ...values,
});
const LINKS = [
  link('/', '/r/to-404', { intern: true, anchor: 'broken', target_status: 302 }),
  link('/', '/r/to-404', { anchor: 'broken' }),
  link('/shop/ok', '/r/to-404', { anchor: 'broken', follow: false }),
  link('/shop/ok', '/r/to-404', { anchor: '' }),
  link('/t/1', '/r/to-404', { anchor: null }),
  link('/t/1', '/r/to-404', { intern: false, anchor: 'not of the site' }),
  link('/t/2', '/r/two-to-404', { anchor: 'ünï "x"' }),
  link('/t/2', '/r/range', { anchor: 'broken' }),
  link('/t/2', '/r/contradicts', { anchor: 'broken' }),
  ...Array.from({ length: 12 }, (_, n) => link(`/from/${n}`, '/r/to-404', { anchor: 'many' })),
  ...[503, 404, 404, null].map((target_status, n) =>
    link(['/', '/', '/t/1', '/t/2'][n] ?? '/', '/gone/both', { target_status, anchor: `g${n}` }),
  ),
  link('/', '/gone/1', { anchor: 'z' }),
  link('/', '/gone/1', { anchor: 'a' }),
  link('/', '/gone/1', { anchor: 'a' }),
  link('/', '/gone/1', { anchor: null }),
  link('/t/4', '/gone/1', { anchor: null }),
  link('/t/1', '/gone/1', { intern: false, anchor: 'outer', target_status: 404 }),
  link('/t/1', '/gone/unknown', { target_status: 404, anchor: 'u' }),
  { origin: url('/'), target: 'https://other.example/404', anchor: 'o', target_status: 404 },
  { origin: 'https://A.example/upper', target: url('/gone/1'), anchor: 'upper' },
  { origin: 'https://m.a.example/', target: url('/gone/1'), anchor: 'subdomain' },
  { origin: 'https://m.a.example/', target: url('/gone/503'), anchor: 'said', intern: true, follow: null },
  link('/', '/odd/999', { target_status: 999 }),
  link('/', '/shop/ok'),
  link('/', '/shop/ok', { follow: false }),
  link('/t/1', '/shop/ok', { anchor: 'to /shop/ok' }),
  link('/shop/ok', '/'),
  link('/shop/ok', '/shop/ok', { anchor: 'self' }),
  link('/r/1', '/r/1'),
  link('/x/no-directory', '/t/1'),
  link('/t/1', '/x/no-directory'),
  link('/not/crawled', '/h/1'),
  link('/', '/r/1'),
  link('/', '/r/1'),
  link('/', '/r/loop-a', { intern: false }),
];

const EVALUATED = ['meta_robots', 'meta_robots_index', 'h1', 'canonical_evaluation'];
const crawl = (id: string, endedAt: string | null, values: Partial<Crawl>): Crawl => ({
  id,
  projectId: 'p-a',
  status: 'done',
  endReason: 'ok',
  config: { id: 'conf-a', name: 'web' },
  endedAt: endedAt === null ? null : at(endedAt),
  ...values,
});

export const CRAWLS: readonly Crawl[] = [
  crawl('a1', '2026-01-05T10:00:00Z', {
    pages: dataset(EARLIER, { without: EVALUATED, also: ['rel_canonical', 'redirect_count'] }),
    links: dataset([link('/', '/gone/1', { target_status: 200 })]),
  }),
  crawl('a2', '2026-01-12T10:00:00Z', {
    endReason: 'max_depth_reached',
    pages: dataset(LATER),
    links: dataset(LINKS),
    clusters: dataset([
      { cluster_id: 'k1', size: 2, average_similarity: 0.875 },
      { cluster_id: 'k3', size: 1, average_similarity: 0.5 },
      { cluster_id: 'k4', size: 2, average_similarity: null },
    ]),
    structuredData: dataset([
      { url: url('/t/1'), type: 'Product', valid: true },
      { url: url('/t/1'), type: 'Product', valid: false },
      { url: url('/t/2'), type: 'Offer', valid: null },
      { url: url('/gone/1'), type: 'Offer', valid: false },
      { url: url('/not/crawled'), type: 'Offer', valid: false },
    ]),
  }),
  // A person ended it after its first page.
  crawl('a3', '2026-01-13T10:00:00Z', {
    endReason: 'user_requested',
    pages: dataset([START]),
    links: dataset([link('/', '/t/1')]),
  }),
  // Its pages failed to load, its links did not.
  crawl('a4', '2026-01-14T10:00:00Z', { links: dataset([link('/', '/t/1')]) }),
  crawl('a5', '2026-01-15T10:00:00Z', { status: 'cancelled', endReason: 'no_urls' }),
  crawl('a6', null, { status: 'running', endReason: null }),
];
