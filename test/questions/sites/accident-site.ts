import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** A site whose last crawl found an accident after the last day with search results, and whose pages moved. */

const DAY = 86_400_000;
const LAST = Date.parse('2026-02-26');
const ago = (days: number): string => new Date(LAST - days * DAY).toISOString().slice(0, 10);

/** Clicks of a page on each of sixty days. */
const daily = (path: string, clicks: (days: number) => number): Row[] =>
  Array.from({ length: 60 }, (_, days) => ({
    date: ago(days),
    url: `https://acc.example${path}`,
    query: 'q',
    device: 'DESKTOP',
    clicks: clicks(days),
    impressions: 10,
    position: 2,
  }));

export const PROJECT: Project = {
  id: 'p-acc',
  name: 'accidents',
  startUrl: 'https://acc.example/',
  ranking: dataset([
    ...daily('/', () => 5),
    ...daily('/blocked', (days) => (days > 1 ? 5 : 0)),
    ...daily('/flap', (days) => (days > 2 ? 6 : 1)),
    ...daily('/moved', (days) => (days > 2 ? 7 : 0)),
    ...daily('/moved-here', (days) => (days > 2 ? 0 : 7)),
    ...daily('/lost-on-the-way', (days) => (days > 2 ? 8 : 0)),
    ...daily('/arrived', (days) => (days > 2 ? 0 : 1)),
    ...daily('/elsewhere-for-now', (days) => (days > 2 ? 9 : 0)),
    ...daily('/gone', (days) => (days > 4 ? 10 : 0)),
    ...daily('/opened', (days) => (days > 2 ? 0 : 4)),
  ]),
};

const page = pagesOf('https://acc.example');
const moved = (path: string, to: string, status: number): Row =>
  page(path, { depth: 1, nb_inlinks: 1, status_code: status, redirect_location: `https://acc.example${to}` });
const linked = (path: string, values: Row = {}): Row =>
  page(path, { depth: 1, nb_inlinks: 1, title: path, meta_robots_index: true, ...values });

const FIRST = [
  page('/', { depth: 0, nb_inlinks: 9 }),
  ...['/blocked', '/flap', '/moved', '/lost-on-the-way', '/elsewhere-for-now', '/gone'].map((path) =>
    linked(path),
  ),
  linked('/opened', { meta_robots_index: false }),
];
const SECOND = [
  page('/', { depth: 0, nb_inlinks: 9 }),
  linked('/blocked'),
  linked('/flap', { meta_robots_index: false }),
  ...['/moved-here', '/arrived'].map((path) => linked(path)),
  moved('/moved', '/moved-here', 301),
  moved('/lost-on-the-way', '/arrived', 308),
  moved('/elsewhere-for-now', '/', 302),
  linked('/gone', { status_code: 410, title: null }),
  linked('/opened'),
];
const THIRD = SECOND.map((row) =>
  row.url === 'https://acc.example/blocked'
    ? linked('/blocked', { meta_robots_index: false })
    : row.url === 'https://acc.example/flap'
      ? linked('/flap')
      : row,
);

const crawl = (id: string, day: string, pages: readonly Row[]): Crawl => ({
  id,
  projectId: 'p-acc',
  status: 'done',
  endReason: 'ok',
  config: { id: 'conf-acc', name: 'default' },
  endedAt: at(`${day}T12:00:00Z`),
  pages: dataset(pages),
});

export const CRAWLS: readonly Crawl[] = [
  crawl('acc1', ago(9), FIRST),
  crawl('acc2', ago(2), SECOND),
  crawl('acc3', ago(-2), THIRD),
];
