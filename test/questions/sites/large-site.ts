import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** A site with more rows than any limit, with ties at the limits, large numbers and sums that depend on their order. */

const page = pagesOf('https://h.example');
const url = (path: string): string => `https://h.example${path}`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Ranks whose sum as doubles differs with the order. */
const RANKS = [0.1, 0.2, 0.3, 0.7, 1e-9, 9.999999999, null, 3.3333333333333335];
const rank = (n: number): number | null => RANKS[n % RANKS.length] ?? null;

const LATER = [
  page('/', { depth: 0, nb_inlinks: 200, inrank_decimal: 10 }),
  ...numbers(120).map((n) =>
    page(`/many/${n}`, {
      depth: (n % 6) + 1,
      nb_inlinks: n % 5,
      inrank_decimal: rank(n),
      inrank: n % 3,
      word_count: n % 4 === 0 ? 100 : 400,
      load_time: n === 7 ? 9007199254740993n : 100 * n,
      title: `title ${n % 40}`,
      title_evaluation: n % 7 === 0 ? 'not_set' : 'unique',
      cwv_lcp: 25 * n,
      cwv_cls: n % 3 === 0 ? 0.1 : n % 3 === 1 ? 0.1000001 : null,
      cwv_tbt: n % 2 === 0 ? 200 : 200.5,
      page_group_template: n % 2 === 0 ? ['even', 'all'] : 'all',
      semantic_types: n % 10 === 0 ? ['Product'] : null,
      status_code: n % 50 === 49 ? 500 : 200,
    }),
  ),
  ...numbers(25).map((n) =>
    page(`/missing/${n}`, { depth: 2, nb_inlinks: 2, status_code: 404, inrank_decimal: rank(n) }),
  ),
  page('/large', { depth: 2, nb_inlinks: 9007199254740993n, word_count: 9007199254740995n, load_time: 1 }),
];
/** Once all were a click from the start and had more links. */
const EARLIER = [
  page('/', { depth: 0, nb_inlinks: 200, inrank_decimal: 10 }),
  ...numbers(120).map((n) =>
    page(`/many/${n}`, {
      depth: 1,
      nb_inlinks: n % 3 === 0 ? n % 5 : 9,
      inrank_decimal: n < 30 ? 5 : rank(n),
      word_count: 400,
      load_time: 500,
      title: `title ${n}`,
    }),
  ),
  page('/large', { depth: 2, nb_inlinks: 9007199254740994n }),
];

const LINKS = [
  // Twenty-five 404s: the first has three links, the second two, all others one each.
  ...numbers(25).flatMap((n) =>
    numbers(n < 2 ? 3 - n : 1).map((again) => ({
      origin: url(`/many/${again}`),
      target: url(`/missing/${n}`),
      anchor: `a${again}`,
      intern: true,
    })),
  ),
  ...numbers(8).map((n) => ({
    origin: url('/many/0'),
    target: url('/missing/0'),
    anchor: `x${n}`,
    intern: true,
  })),
];

export const PROJECT: Project = {
  id: 'p-h',
  name: 'large',
  startUrl: url('/'),
  ranking: dataset(
    numbers(30).map((n) => ({
      date: '2026-01-30',
      url: url(`/many/${n}`),
      query: `q${n % 3}`,
      device: 'TABLET',
      clicks: n % 3,
      impressions: 10 * (n % 6),
      position: 1 + rank2(n),
    })),
  ),
  logEvents: dataset(
    numbers(40).map((n) => ({
      day: '2026-01-31',
      url: url(`/many/${n % 20}`),
      user_agent: 'Googlebot',
      is_bot: true,
      status_code: n % 5 === 0 ? 301 : 200,
    })),
  ),
};

function rank2(n: number): number {
  return RANKS[n % 5] ?? 0;
}

const crawl = (id: string, endedAt: string, values: Partial<Crawl>): Crawl => ({
  id,
  projectId: 'p-h',
  status: 'done',
  endReason: 'ok',
  config: { id: 'conf-h', name: 'default' },
  endedAt: at(endedAt),
  ...values,
});

export const CRAWLS: readonly Crawl[] = [
  crawl('h1', '2026-01-20T00:00:00Z', { pages: dataset(EARLIER) }),
  crawl('h2', '2026-01-30T12:00:00Z', {
    pages: dataset(LATER),
    links: dataset(LINKS),
    structuredData: dataset([
      ...numbers(12).map((n): Row => ({ url: url(`/many/${n}`), type: 'Product', valid: n % 4 !== 0 })),
    ]),
  }),
];
