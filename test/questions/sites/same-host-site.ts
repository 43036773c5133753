import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** A second project with the host and some URLs of the site with every strange page, where all is otherwise. */

const page = pagesOf('https://a.example');
const url = (path: string): string => `https://a.example${path}`;
const link = (origin: string, target: string, values: Row = {}): Row => ({
  origin: url(origin),
  target: url(target),
  anchor: `again ${target}`,
  follow: true,
  ...values,
});

export const PROJECT: Project = {
  id: 'p-o',
  name: 'the same host',
  startUrl: 'https://a.example/start',
  ranking: dataset([
    ...['/', '/shop/ok', '/gone/1', '/t/1'].map((path, n) => ({
      date: '2026-01-20',
      url: url(path),
      query: `q;"'${n}`,
      device: 'MOBILE',
      clicks: 20 - n,
      impressions: 100 + n,
      position: 2 * n + 1,
    })),
    // Positions at the edges of what is expected of them.
    ...[1.4, 1.5, 8.6, 9.4, 9.5, 10.4, 10.5, 11, 15, 19, 20, 20.4, 20.5, 21, 60].map((position, n) => ({
      date: '2026-01-20',
      url: url(`/searched/${n}`),
      query: `p${n}`,
      device: 'MOBILE',
      clicks: 30 - 2 * n,
      impressions: 40 + 3 * n,
      position,
    })),
  ]),
  // Counts of a day, without a status or with those of some lines.
  logPagesDays: dataset(
    [200, 299, 300, 304, 399, 400].flatMap((status, n) => [
      {
        day: '2026-01-21',
        url: url(`/s/${status}`),
        hits: 9,
        seo_bot_hits: n + 1,
        vertical_bot_hits: 1,
        hits_2xx: n,
        hits_3xx: 1,
        hits_4xx: 2,
        hits_5xx: 3,
      },
      {
        day: '2026-01-22',
        url: url(`/s/${status}`),
        hits: 9,
        seo_bot_hits: n + 2,
        vertical_bot_hits: 0,
        ...(n % 2 === 0
          ? { hits_2xx: null, hits_3xx: null, hits_4xx: null, hits_5xx: null }
          : { hits_2xx: 4, hits_3xx: 3, hits_4xx: 2, hits_5xx: 1 }),
      },
    ]),
  ),
  logEvents: dataset(
    ['/', '/shop/ok', '/gone/1', '/nobody'].map((path, n) => ({
      day: `2026-01-2${n}`,
      url: url(path),
      user_agent: 'bingbot/2.0',
      status_code: 200 + n,
    })),
  ),
};

const crawl = (id: string, endedAt: string, values: Partial<Crawl>): Crawl => ({
  id,
  projectId: 'p-o',
  status: 'done',
  endReason: 'ok',
  config: { id: 'conf-o', name: 'other' },
  endedAt: at(endedAt),
  ...values,
});

const BEFORE = [
  page('/', { depth: 1, nb_inlinks: 30, inrank_decimal: 9.75, title: 'Home page', page_group_kind: 'tea' }),
  page('/gone/1', { depth: 1, nb_inlinks: 20, inrank_decimal: 8, title: 'here', page_group_kind: null }),
  page('/shop/ok', { depth: 1, nb_inlinks: 9, inrank_decimal: 4.25, title: 'Shop', page_group_kind: 'pots' }),
  page('/t/1', { depth: 1, nb_inlinks: 8, inrank_decimal: 4.25, title: 'Text', page_group_kind: 'pots' }),
  page('/t/2', { depth: 1, nb_inlinks: 9, inrank_decimal: 4.25, title: 'Text', page_group_kind: 'pots' }),
  page('/t/3', { depth: 1, nb_inlinks: null, inrank_decimal: 4.25, title: 'Text', page_group_kind: 'pots' }),
  page('/r/1', { depth: 1, nb_inlinks: 1, inrank_decimal: null, title: 'moves', page_group_kind: 'tea' }),
  page('/c/target', { depth: null, nb_inlinks: 1, inrank_decimal: null, page_group_kind: 'tea' }),
  page('/l/before', { status_code: 404, hreflang_cluster_id: 'h8', language: 'en' }),
  page('/gone/before', { status_code: 404, nb_inlinks: 1, sitemaps_file_origin: ['other.xml'] }),
  page('/r/before', {
    status_code: 301,
    nb_inlinks: 1,
    redirect_location: url('/gone/before'),
    redirect_count: 2,
    final_redirect_status: 404,
  }),
];
const NOW = [
  page('/', {
    depth: 3,
    nb_inlinks: 25,
    inrank_decimal: 9.5,
    title: 'Home page',
    sources: ['sitemaps'],
    page_group_kind: 'tea',
    rel_canonical: '/gone/1',
    hreflang_cluster_id: 'h1',
    language: 'en',
  }),
  page('/gone/1', {
    status_code: 404,
    depth: 2,
    nb_inlinks: 9,
    sitemaps_file_origin: ['other.xml'],
    inrank_decimal: 7,
    page_group_kind: 'pots',
    hreflang_cluster_id: 'h1',
    language: 'en',
  }),
  ...[200, 299, 300, 304, 399, 400].map((status) =>
    page(`/s/${status}`, { status_code: status, depth: 1, nb_inlinks: 1 }),
  ),
  page('/l/lonely', { depth: 1, nb_inlinks: 1, hreflang_cluster_id: 'h9', hreflang_hrefs: [url('/l/de')] }),
  ...['a\rb', 'a b', 'a \r b'].map((title, n) =>
    page(`/text/${n}`, { title, h1: 'k1', clusters: ['', 'k1'], depth: 1, nb_inlinks: 1 }),
  ),
  page('/gone/outer', { status_code: 404, depth: 2, nb_inlinks: 0 }),
  page('/gone/503', { status_code: 404, depth: 2, nb_inlinks: 2 }),
  page('/shop/ok', { depth: 1, nb_inlinks: 5, inrank_decimal: 3, title: 'Shop', clusters: ['k1'] }),
  page('/t/1', { depth: 4, nb_inlinks: 7, inrank_decimal: 4.25, title: 'Text', clusters: ['k1'] }),
  page('/t/2', { depth: 2, nb_inlinks: 6, inrank_decimal: 4.25, title: 'Text', clusters: ['k1'] }),
  page('/t/3', { depth: 2, nb_inlinks: 6, inrank_decimal: 4.25, title: 'Text', robots_txt_denied: true }),
  page('/r/1', {
    status_code: 302,
    depth: 1,
    nb_inlinks: 4,
    redirect_location: url('/t/1'),
    redirect_count: 2,
    final_redirect_status: 200,
    final_redirect_location: url('/t/1'),
    page_group_kind: 'tea',
  }),
  page('/r/2', {
    status_code: 302,
    depth: 1,
    nb_inlinks: 4,
    redirect_location: url('/r/to-404'),
    redirect_count: 2,
    final_redirect_status: 404,
  }),
  page('/r/to-404', {
    status_code: 301,
    depth: 1,
    nb_inlinks: 3,
    redirect_location: url('/gone/1'),
    redirect_count: 1,
    final_redirect_status: 404,
  }),
  page('/r/endless', { status_code: 301, depth: 1, nb_inlinks: 4, is_too_many_redirects: true }),
  page('/c/target', { depth: null, nb_inlinks: 0, word_count: 10, load_time: 5000 }),
];

export const CRAWLS: readonly Crawl[] = [
  crawl('o1', '2026-01-13T10:00:00Z', {
    pages: dataset(BEFORE),
    links: dataset(['/shop/ok', '/gone/before', '/r/before'].map((target) => link('/', target))),
  }),
  crawl('o2', '2026-01-20T10:00:00Z', {
    pages: dataset(NOW),
    links: dataset([
      ...['/', '/', '/t/1', '/shop/ok', '/shop/ok', '/shop/ok'].map((origin) => link(origin, '/gone/1')),
      ...['/t/2', '/t/1', '/t/1', '/'].map((origin) => link(origin, '/gone/503')),
      link('/', '/gone/outer', { intern: false, target_status: 404 }),
      link('/t/1', '/r/to-404', { anchor: 'broken' }),
      link('/t/2', '/r/2', { anchor: 'broken', follow: false }),
      ...Array.from({ length: 12 }, (_, n) => link(`/from/${n}`, '/r/1')),
      ...Array.from({ length: 12 }, (_, n) => link(`/from/${n}`, '/r/endless')),
      link('/', '/t/1'),
      link('/t/1', '/'),
      link('/elsewhere', '/t/1'),
      link('/shop/ok', '/t/1', { intern: false }),
    ]),
    clusters: dataset([{ cluster_id: 'k1', size: 3, average_similarity: 0.75 }]),
    structuredData: dataset([
      { url: url('/t/1'), type: 'Product', valid: false },
      { url: url('/t/2'), type: 'Offer', valid: true },
    ]),
  }),
];
