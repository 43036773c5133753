import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** Sites whose crawls are strange: two configurations, partial loads, cut, empty and unknown crawls. */

const search = (host: string, date: string, clicks: number): Row => ({
  date,
  url: `https://${host}/0`,
  query: 'q',
  device: 'MOBILE',
  clicks,
  impressions: 100,
  position: 3,
});

export const PROJECTS: readonly Project[] = [
  {
    id: 'p-b',
    name: 'two configurations',
    startUrl: 'https://b.example/',
    ranking: dataset([
      search('b.example', '2026-02-01', 5),
      search('b.example', '2026-02-02', 3),
      search('b.example', '2026-03-10', 1),
    ]),
    logEvents: dataset([
      { day: '2026-02-01', url: 'https://b.example/1', user_agent: 'Googlebot', status_code: 200 },
      { day: '2026-02-09', url: 'https://b.example/1', user_agent: 'bingbot/2.0', status_code: 404 },
      { day: '2026-02-11', url: 'https://b.example/2', user_agent: 'Googlebot', status_code: 200 },
    ]),
  },
  { id: 'p-c', name: 'partial loads', startUrl: 'https://c.example/' },
  {
    id: 'p-d',
    name: 'always cut',
    startUrl: 'https://d.example/',
    logEvents: dataset([
      { day: '2026-02-02', url: 'https://d.example/1', user_agent: 'Googlebot', status_code: 200 },
      { day: '2026-02-08', url: 'https://d.example/1', user_agent: 'Googlebot', status_code: 200 },
      { day: '2026-02-12', url: 'https://d.example/3', user_agent: 'Googlebot', status_code: 200 },
    ]),
  },
  { id: 'p-e', name: 'never crawled', startUrl: 'https://e.example/' },
  // Two projects may have one name.
  { id: 'p-f', name: 'two configurations', startUrl: 'https://f.example/' },
];

const pages = (host: string, count: number, values: (n: number) => Row = () => ({})) =>
  dataset(
    Array.from({ length: count }, (_, n) =>
      pagesOf(`https://${host}`)(n % 2 === 0 ? `/${n}` : `/dir/${n}`, {
        depth: n,
        nb_inlinks: 10 - n,
        inrank_decimal: 10 - n,
        title: `page ${n}`,
        ...values(n),
      }),
    ),
  );
const links = (host: string) =>
  dataset([{ origin: `https://${host}/0`, target: `https://${host}/2`, anchor: 'two', follow: true }]);

const WEB = { id: 'conf-web', name: 'web' };
const MOBILE = { id: 'conf-mobile', name: 'mobile' };
const crawl = (id: string, projectId: string, endedAt: string | null, values: Partial<Crawl>): Crawl => ({
  id,
  projectId,
  status: 'done',
  endReason: 'ok',
  config: WEB,
  endedAt: endedAt === null ? null : at(endedAt),
  ...values,
});
const ofB = (id: string, endedAt: string | null, count: number, values: Partial<Crawl>): Crawl =>
  crawl(id, 'p-b', endedAt, { pages: pages('b.example', count), ...values });
const ofC = (id: string, endedAt: string | null, values: Partial<Crawl>): Crawl =>
  crawl(id, 'p-c', endedAt, values);
const ofD = (id: string, endedAt: string, endReason: string, values: Partial<Crawl>): Crawl =>
  crawl(id, 'p-d', endedAt, { endReason, ...values });

export const CRAWLS: readonly Crawl[] = [
  ofB('b1', '2026-02-01T00:00:00Z', 4, {}),
  ofB('b2', '2026-02-03T00:00:00Z', 5, { config: MOBILE }),
  // As many pages as the mobile one, and a later end.
  ofB('b3', '2026-02-08T00:00:00Z', 5, {
    status: 'archived',
    pages: pages('b.example', 5, (n) => ({ title: n === 0 ? 'page 0' : null, depth: n + 1 })),
  }),
  // More pages than any, but cut.
  ofB('b4', '2026-02-10T12:00:00Z', 8, { config: MOBILE, endReason: 'max_url_reached' }),
  // Two of no known configuration that ended at once, one of them unknown why.
  ofB('b5', '2026-02-09T00:00:00Z', 2, { config: null }),
  ofB('b6', '2026-02-09T00:00:00Z', 3, { config: null, endReason: null, status: null }),
  // Still open; and one whose end nobody knows.
  ofB('b7', '2026-02-12T00:00:00Z', 6, { status: 'running' }),
  ofB('b8', null, 4, {}),

  crawl('f1', 'p-f', '2026-02-06T00:00:00Z', { pages: pages('f.example', 3), links: links('f.example') }),
  crawl('f2', 'p-f', '2026-02-07T00:00:00Z', { pages: pages('f.example', 4), links: links('f.example') }),

  ofC('c1', '2026-02-01T00:00:00Z', { pages: pages('c.example', 5), links: links('c.example') }),
  ofC('c2', '2026-02-02T00:00:00Z', { pages: pages('c.example', 4), endReason: 'max_depth_reached' }),
  // The second without links: the project does not load them any more.
  ofC('c3', '2026-02-03T00:00:00Z', {
    pages: pages('c.example', 3, (n) => ({ status_code: 200 + 100 * n })),
  }),
  // Empty, but loaded.
  ofC('c4', '2026-02-04T00:00:00Z', {
    pages: { fields: ['url', 'status_code'], rows: [] },
    links: links('c.example'),
  }),
  ofC('c5', '2026-02-05T00:00:00Z', { status: 'archiving', links: links('c.example') }),
  ofC('c6', '2026-02-06T00:00:00Z', { status: 'cancelled', pages: pages('c.example', 2) }),

  ofD('d1', '2026-02-01T00:00:00Z', 'max_url_reached', {
    pages: pages('d.example', 3),
    links: links('d.example'),
  }),
  ofD('d2', '2026-02-08T23:59:59Z', 'quota_reached', {
    pages: pages('d.example', 4),
    links: links('d.example'),
  }),
  // Cut, and without the links that the one before has.
  ofD('d3', '2026-02-12T00:00:00Z', 'stopped_progressing', { pages: pages('d.example', 6) }),
];
