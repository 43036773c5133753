import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** Sites with search results: ties, no impressions, unknown URLs, spans that begin and end on the day. */

const DAY = 86_400_000;
const LAST = '2026-02-28';
/** A day so many days before the last one. */
const ago = (days: number): string => new Date(Date.parse(LAST) - days * DAY).toISOString().slice(0, 10);

const found = (host: string) => (days: number, path: string, query: string | null, values: Row) => ({
  date: ago(days),
  url: `https://${host}${path}`,
  query,
  device: 'DESKTOP',
  clicks: 0,
  impressions: 0,
  position: 1,
  ...values,
});
const show = found('s.example');

/** Twenty-two URLs, the first with the most impressions, two of them as many; all but one at one position. */
const CURVE = Array.from({ length: 22 }, (_, n) =>
  show(n, `/curve/${n}`, `curve ${n}`, {
    impressions: n === 2 ? 999 : 1000 - n,
    clicks: n < 2 ? 10 : 50,
    position: n === 5 ? 10.5 : 2.5,
  }),
);

const SEARCHES = [
  ...CURVE,
  // Positions at the edges; a row without one, and one that is better than the first.
  show(1, '/curve/3', 'edge', { impressions: 10, clicks: 3, position: 20.4 }),
  show(1, '/curve/3', 'edge 2', { impressions: 10, clicks: 4, position: 20.5 }),
  show(1, '/curve/3', 'edge 3', { impressions: 7, clicks: 1, position: null }),
  show(1, '/curve/4', 'edge 4', { impressions: 9, clicks: 9, position: 0.4 }),
  show(1, '/only/unplaced', 'unplaced', { impressions: 5, clicks: 1, position: null }),
  // Several queries with equal impressions: the first of the alphabet.
  show(0, '/pages/tie', 'b query', { impressions: 40, clicks: 1, position: 4 }),
  show(27, '/pages/tie', 'Z query', { impressions: 40, clicks: 1, position: 5 }),
  show(28, '/pages/tie', 'a query', { impressions: 400, clicks: 30, position: 1 }),
  show(0, '/pages/tie', null, { impressions: 40, clicks: 0, position: 7 }),
  // No impressions, and clicks all the same.
  show(3, '/pages/nothing', 'nothing', { impressions: 0, clicks: 0, position: null }),
  show(3, '/pages/404', 'gone', { impressions: 12, clicks: 1 }),
  show(3, '/pages/denied', 'denied', { impressions: 12, clicks: 0 }),
  show(3, '/pages/silent', 'silent', { impressions: 12, clicks: 2 }),
  show(3, '/pages/noindex', 'noindex', { impressions: 12, clicks: 2 }),
  show(3, '/dir/unknown?x=1', 'unknown', { impressions: 12, clicks: 2 }),
  show(3, '/top', 'top', { impressions: 3, clicks: 1 }),
  show(2, '/deep/1', 'deep', { impressions: 20, clicks: 5, position: 3.25 }),
  show(2, '/deep/2', 'deep 2', { impressions: 20, clicks: 5, position: 3.35 }),
  show(2, '/deep/3', 'deep 3', { impressions: 20, clicks: 5 }),
  show(2, '/deep/4', 'deep 4', { impressions: 20, clicks: 0 }),
  show(2, '/deep/5', 'deep 5', { impressions: 20, clicks: 1 }),
  show(2, '/deep/6', 'deep 6', { impressions: 20, clicks: 1 }),

  // Cannibalisation: exactly a tenth, a tie of a day, a day without, and one that is never the leader.
  ...[
    [10, '/q/a', 50, 5],
    [10, '/q/b', 50, 5],
    [9, '/q/a', 10, 0],
    [9, '/q/b', 20, 0],
    [7, '/q/b', 5, 1],
    [7, '/q/a', 5, 2],
    [6, '/q/c', 18, 0],
    [5, '/q/a', 8, 0],
    [4, '/q/b', 13, 0],
    [4, '/q/d', 1, 1],
  ].map(([days, path, impressions, clicks]) =>
    show(Number(days), String(path), 'shoes "X"; ünï', { impressions, clicks, position: 3 }),
  ),
  show(10, '/q/a', 'shoes "X"; ünï', { device: 'MOBILE', impressions: 1, clicks: 0, position: 9 }),
  show(8, '/q/a', 'alone', { impressions: 100 }),
  show(8, '/q/b', 'alone', { impressions: 0, clicks: 0 }),
  show(8, '/q/a', 'shares', { impressions: 90 }),
  show(8, '/q/b', 'shares', { impressions: 10 }),
  show(8, '/q/a', 'shares not', { impressions: 91 }),
  show(8, '/q/b', 'shares not', { impressions: 9 }),
  // Language versions: of a cluster, of declarations alone, and with a page that is none of them.
  show(8, '/v/en', 'versions', { impressions: 50 }),
  show(7, '/v/de', 'versions', { impressions: 50 }),
  show(8, '/w/a', 'declared', { impressions: 50 }),
  show(7, '/w/b', 'declared', { impressions: 50 }),
  show(8, '/v/en', 'versions and one more', { impressions: 50 }),
  show(7, '/v/de', 'versions and one more', { impressions: 50 }),
  show(6, '/q/c', 'versions and one more', { impressions: 50 }),
  show(5, '/w/b', 'versions and one more', { impressions: 40 }),
  show(4, '/w/a', 'versions and one more', { impressions: 40 }),
  show(8, '/q/a', null, { impressions: 50 }),
  show(8, '/q/b', null, { impressions: 50 }),

  // Decay: edges of the spans, losses of exactly a fifth, gains in a year, and a page that has gone.
  show(0, '/decay/fifth', 'd', { clicks: 8, impressions: 80 }),
  show(28, '/decay/fifth', 'd', { clicks: 10, impressions: 100, position: null }),
  show(27, '/decay/less', 'd', { clicks: 81, impressions: 90 }),
  show(55, '/decay/less', 'd', { clicks: 100, impressions: 100 }),
  show(55, '/decay/few', 'd', { clicks: 9, impressions: 100 }),
  show(56, '/decay/outside', 'd', { clicks: 100, impressions: 100 }),
  show(55, '/decay/gone', 'd', { clicks: 12, impressions: 50, position: 3 }),
  show(0, '/decay/year', 'd', { clicks: 20, impressions: 50, position: 3 }),
  show(30, '/decay/year', 'd', { clicks: 10, impressions: 50, position: 3 }),
  show(364, '/decay/year', 'd', { clicks: 50, impressions: 99 }),
  show(380, '/decay/year-fifth', 'd', { clicks: 10, impressions: 99 }),
  show(0, '/decay/year-fifth', 'd', { clicks: 8, impressions: 99 }),
  show(391, '/decay/year-first', 'd', { clicks: 30, impressions: 99 }),
  show(363, '/decay/year-after', 'd', { clicks: 90, impressions: 99 }),
  show(40, '/decay/changed', 'd', { clicks: 30, impressions: 60 }),
  show(10, '/decay/changed', 'd', { clicks: 10, impressions: 60 }),
  show(40, '/decay/tie-b', 'd', { clicks: 30, impressions: 60 }),
  show(10, '/decay/tie-b', 'd', { clicks: 10, impressions: 60 }),
  show(40, '/decay/tie-a', 'd', { clicks: 30, impressions: 60 }),
  show(10, '/decay/tie-a', 'd', { clicks: 10, impressions: 60 }),
];

/** The same spans, but the first day is a day too late for the year before. */
const uncrawled = found('t.example');
const UNCRAWLED = [
  uncrawled(390, '/1', 'x', { clicks: 100, impressions: 200 }),
  uncrawled(30, '/1', 'x', { clicks: 20, impressions: 200 }),
  uncrawled(0, '/2', 'x', { clicks: 0, impressions: 50, position: 9 }),
  uncrawled(0, '/3', 'y', { clicks: 0, impressions: 1000, position: 1 }),
  uncrawled(0, '/4', 'z', { clicks: 400, impressions: 500, position: 1 }),
];

/** Eleven URLs: the first has less than half of the clicks expected of it, and not a third; a tenth is before the second. */
const LADDER = [[100, 10], [50, 0], ...Array.from({ length: 9 }, () => [10, 5])].map(
  ([impressions, clicks], n) =>
    found('u.example')(3, `/${n}`, 'ladder', { impressions, clicks, position: 7 }),
);

export const PROJECTS: readonly Project[] = [
  {
    id: 'p-s',
    name: 'search results',
    startUrl: 'https://s.example/',
    ranking: dataset(SEARCHES),
    logEvents: dataset([
      {
        day: ago(0),
        url: 'https://s.example/pages/404',
        user_agent: 'Googlebot',
        status_code: 404,
        is_bot: true,
      },
      { day: ago(5), url: 'https://s.example/deep/1', user_agent: 'ChatGPT-User', is_bot: true },
      { day: ago(28), url: 'https://s.example/deep/2', user_agent: 'ChatGPT-User', is_bot: true },
    ]),
  },
  { id: 'p-t', name: 'searched without crawl', startUrl: 'https://t.example/', ranking: dataset(UNCRAWLED) },
  { id: 'p-u', name: 'a ladder', startUrl: 'https://u.example/', ranking: dataset(LADDER) },
];

const page = pagesOf('https://s.example');
const curve = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => page(`/curve/${n}`, { depth: 2, nb_inlinks: 8, title: 'curve' }));
const deep = (n: number, values: Row): Row => page(`/deep/${n}`, { depth: 3, nb_inlinks: 4, ...values });
const PAGES = [
  page('/', { depth: 0, nb_inlinks: 40 }),
  ...curve(22),
  page('/pages/tie', { depth: 1, nb_inlinks: 2 }),
  page('/pages/nothing', { depth: 1, nb_inlinks: 7 }),
  page('/pages/404', { depth: 1, nb_inlinks: 0, status_code: 404 }),
  page('/pages/denied', { depth: 1, nb_inlinks: 1, robots_txt_denied: true }),
  page('/pages/silent', { depth: 1, nb_inlinks: 1, status_code: null }),
  page('/pages/noindex', { depth: 4, nb_inlinks: 1, meta_robots_index: false }),
  // Links at a depth: 4, 1, unknown, 9, 2. The median is 3.
  deep(1, { nb_inlinks: 1 }),
  deep(2, { nb_inlinks: 2 }),
  deep(3, { nb_inlinks: null }),
  deep(4, { nb_inlinks: 9 }),
  deep(5, { depth: null, nb_inlinks: 1 }),
  deep(6, { depth: 7, nb_inlinks: 6 }),
  ...['/v/en', '/v/de'].map((path) => page(path, { depth: 2, nb_inlinks: 8, hreflang_cluster_id: 'v' })),
  ...['/w/a', '/w/b'].map((path) =>
    page(path, {
      depth: 2,
      nb_inlinks: 8,
      hreflang_hrefs: ['https://s.example/w/a', 'https://s.example/w/b'],
    }),
  ),
  page('/decay/changed', { depth: 2, nb_inlinks: 8, title: 'after', h1: 'x' }),
  page('/decay/fifth', { depth: 2, nb_inlinks: 8, status_code: 301 }),
  page('/decay/tie-a', { depth: 2, nb_inlinks: 8, title: 'new', h1: 'new', rel_canonical: '/q/a' }),
];
const BEFORE = [
  page('/', { depth: 0, nb_inlinks: 40 }),
  ...curve(20),
  page('/decay/changed', { depth: 2, nb_inlinks: 8, title: 'before', h1: 'x' }),
  page('/decay/fifth', { depth: 2, nb_inlinks: 8 }),
  page('/decay/gone', { depth: 2, nb_inlinks: 8 }),
  page('/decay/tie-a', { depth: 2, nb_inlinks: 8, title: 'old', h1: 'old', rel_canonical: '/decay/tie-a' }),
];

const link = (origin: string, target: string, intern: boolean | null = null): Row => ({
  origin: `https://s.example${origin}`,
  target: `https://s.example${target}`,
  intern,
  anchor: 'x',
});
const crawl = (id: string, endedAt: string, values: Partial<Crawl>): Crawl => ({
  id,
  projectId: 'p-s',
  status: 'done',
  endReason: 'ok',
  config: { id: 'conf-s', name: 'default' },
  endedAt: at(endedAt),
  ...values,
});

export const CRAWLS: readonly Crawl[] = [
  // The first of the 56 days, and the day before it; of another configuration; and the last of them.
  crawl('s0', `${ago(56)}T23:59:59Z`, { pages: dataset([...BEFORE, page('/decay/less')]) }),
  crawl('s1', `${ago(55)}T00:00:00Z`, { pages: dataset(BEFORE) }),
  crawl('s2', `${ago(20)}T12:00:00Z`, {
    pages: dataset(BEFORE.map((row) => ({ ...row, title: `${row.title ?? ''}!` }))),
  }),
  crawl('s3', `${ago(20)}T12:30:00Z`, {
    config: { id: 'other', name: 'other' },
    pages: dataset(PAGES.slice(0, 5)),
  }),
  crawl('s4', `${ago(0)}T23:00:00Z`, {
    pages: dataset(PAGES),
    links: dataset([
      link('/', '/deep/1'),
      link('/', '/deep/1'),
      link('/curve/3', '/deep/1'),
      link('/curve/10', '/deep/1'),
      link('/curve/4', '/deep/1', false),
      { ...link('/', '/deep/1'), origin: 'https://other.example/', intern: true },
      { ...link('/', '/deep/1'), origin: 'no url' },
      link('/curve/3', '/pages/tie'),
    ]),
  }),
];
