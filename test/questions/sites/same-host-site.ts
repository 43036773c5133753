import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** A second project with the host and some URLs of the site with every strange page, where all is otherwise. */

const page = pagesOf('https://a.example');
const url = (path: string): string => `https://a.example${path}`;
const link = (origin: string, target: string, values: Row = {}): Row => ({
  ...{ origin: url(origin), target: url(target), anchor: `again ${target}`, follow: true, ...values },
});

export const PROJECT: Project = {
  id: 'p-o',
  name: 'the same host',
  startUrl: 'https://a.example/start',
  ranking: dataset(
    ['/', '/shop/ok', '/gone/1', '/t/1'].map((path, n) => ({
      ...{ date: '2026-01-20', url: url(path), query: `q;"'${n}`, device: 'MOBILE' },
      ...{ clicks: 20 - n, impressions: 100 + n, position: 2 * n + 1 },
    })),
  ),
  logEvents: dataset(
    ['/', '/shop/ok', '/gone/1', '/nobody'].map((path, n) => ({
      ...{ day: `2026-01-2${n}`, url: url(path), user_agent: 'bingbot/2.0', status_code: 200 + n },
    })),
  ),
};

const crawl = (id: string, endedAt: string, values: Partial<Crawl>): Crawl => ({
  ...{ id, projectId: 'p-o', status: 'done', endReason: 'ok', config: { id: 'conf-o', name: 'other' } },
  ...{ endedAt: at(endedAt), ...values },
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
  page('/gone/before', { status_code: 404, nb_inlinks: 1, sitemaps_file_origin: ['other.xml'] }),
  page('/r/before', {
    ...{ status_code: 301, nb_inlinks: 1, redirect_location: url('/gone/before'), redirect_count: 2 },
    ...{ final_redirect_status: 404 },
  }),
];
const NOW = [
  page('/', {
    ...{ depth: 3, nb_inlinks: 25, inrank_decimal: 9.5, title: 'Home page', sources: ['sitemaps'] },
    ...{ page_group_kind: 'tea', rel_canonical: '/gone/1', hreflang_cluster_id: 'h1', language: 'en' },
  }),
  page('/gone/1', {
    ...{ status_code: 404, depth: 2, nb_inlinks: 9, sitemaps_file_origin: ['other.xml'] },
    ...{ inrank_decimal: 7, page_group_kind: 'pots', hreflang_cluster_id: 'h1', language: 'en' },
  }),
  page('/gone/outer', { status_code: 404, depth: 2, nb_inlinks: 0 }),
  page('/gone/503', { status_code: 404, depth: 2, nb_inlinks: 2 }),
  page('/shop/ok', { depth: 1, nb_inlinks: 5, inrank_decimal: 3, title: 'Shop', clusters: ['k1'] }),
  page('/t/1', { depth: 1, nb_inlinks: 7, inrank_decimal: 4.25, title: 'Text', clusters: ['k1'] }),
  page('/t/2', { depth: 2, nb_inlinks: 6, inrank_decimal: 4.25, title: 'Text', clusters: ['k1'] }),
  page('/t/3', { depth: 2, nb_inlinks: 6, inrank_decimal: 4.25, title: 'Text', robots_txt_denied: true }),
  page('/r/1', {
    ...{ status_code: 302, depth: 1, nb_inlinks: 4, redirect_location: url('/t/1'), redirect_count: 2 },
    ...{ final_redirect_status: 200, final_redirect_location: url('/t/1'), page_group_kind: 'tea' },
  }),
  page('/r/2', {
    ...{ status_code: 302, depth: 1, nb_inlinks: 4, redirect_location: url('/r/to-404'), redirect_count: 2 },
    ...{ final_redirect_status: 404 },
  }),
  page('/r/to-404', {
    ...{ status_code: 301, depth: 1, nb_inlinks: 3, redirect_location: url('/gone/1'), redirect_count: 1 },
    ...{ final_redirect_status: 404 },
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
    ]),
    clusters: dataset([{ cluster_id: 'k1', size: 3, average_similarity: 0.75 }]),
    structuredData: dataset([
      { url: url('/t/1'), type: 'Product', valid: false },
      { url: url('/t/2'), type: 'Offer', valid: true },
    ]),
  }),
];
