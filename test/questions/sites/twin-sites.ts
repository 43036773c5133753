import { at, type Crawl, dataset, type Project, pagesOf, type Row } from './sites.ts';

/** Two projects of one host, with the same URLs and queries and other numbers: nothing of one tells of the other. */

const HOST = 'https://w.example';
const DAY = 86_400_000;
/** A day so many days before the last one. */
const ago = (days: number): string =>
  new Date(Date.parse('2026-02-28') - days * DAY).toISOString().slice(0, 10);

const shown = (
  days: number,
  path: string | null,
  query: string | null,
  numbers: readonly (number | null)[],
) => ({
  date: ago(days),
  url: path === null ? null : HOST + path,
  query,
  device: 'DESKTOP',
  impressions: numbers[0] ?? 0,
  clicks: numbers[1] ?? 0,
  position: numbers[2] ?? null,
});

/** Eleven URLs of 100 impressions and fewer: the second stands at a tenth of the others, which is not below it. */
const LADDER = Array.from({ length: 11 }, (_, n) => {
  const impressions = n === 0 ? 200 : 101 - n;
  // The third loses less than half of the clicks of its position, and more than a third of them.
  return shown(3, `/ladder/${n}`, `ladder ${n}`, [impressions, n < 2 ? 1 : 10, 7]);
});

const RIVALS = [
  // The leader of a day with as many impressions has more clicks, whatever the alphabet says.
  shown(20, '/r/b', 'rivals', [30, 3, 2]),
  shown(20, '/r/a', 'rivals', [30, 1, 3]),
  shown(19, '/r/a', 'rivals', [20, 1, 3]),
  shown(19, '/r/b', 'rivals', [10, 1, 3]),
  shown(18, '/r/b', 'rivals', [10, 1, 3]),
  // A day without impressions has no leader; rows without a URL or a query are no rival's.
  shown(17, '/r/a', 'rivals', [0, 0, null]),
  shown(16, null, 'rivals', [40, 1, 3]),
  shown(16, '/r/a', null, [60, 1, 3]),
  shown(16, '/r/b', null, [60, 1, 3]),
  // As many impressions, ordered by clicks and then by URL.
  shown(15, '/r/c', 'even', [6, 0, 3]),
  shown(15, '/r/b', 'even', [6, 2, 3]),
  shown(15, '/r/a', 'even', [6, 0, 3]),
  // One impression, and one without a position.
  shown(14, '/r/a', 'single', [1, 0, 4]),
  shown(14, '/r/b', 'single', [1, 0, null]),
];

/** Losses, and what there was in the spans before: the spans begin and end on their days. */
const LOSSES = [
  ...[391, 364].map((days) => shown(days, '/old/year', 'd', [60, 15, 2])),
  shown(392, '/old/year', 'd', [60, 100, 2]),
  shown(363, '/old/year', 'd', [60, 100, 2]),
  shown(27, '/old/year', 'd', [3, 3, 2]),
  ...[55, 28].map((days) => shown(days, '/old/both', 'd', [50, 20, 1.25])),
  shown(400, '/old/both', 'd', [70, 10, 1]),
  shown(370, '/old/both', 'd', [70, 90, 1]),
  shown(0, '/old/both', 'd', [9, 2, 3.25]),
  shown(1, '/old/both', 'd', [90, 1, null]),
  shown(28, '/old/single', 'd', [1, 12, 4]),
  shown(5, '/old/single', 'd', [1, 1, 8]),
  // Nine clicks before are few; exactly half are lost.
  shown(30, '/old/few', 'd', [9, 9, 2]),
  shown(30, '/old/half', 'd', [90, 10, 2]),
  shown(3, '/old/half', 'd', [90, 5, 2]),
  shown(3, '/old/third', 'd', [90, 20, 2]),
  shown(30, '/old/third', 'd', [90, 30, 2]),
  ...['/old/loss-b', '/old/loss-a', '/old/loss-c'].map((path) => shown(40, path, 'd', [10, 11, 2])),
];

const asked = (days: number, path: string, user_agent: string, status_code: number | null = 200): Row => ({
  day: ago(days),
  url: HOST + path,
  user_agent,
  status_code,
  is_bot: true,
  is_seo_visit: false,
});
const [GPT, CLAUDE, GOOGLE, BING] = ['GPTBot/1.2', 'ClaudeBot/1.0', 'Googlebot/2.1', 'bingbot/2.0'];
const HITS = [
  // Of four answers one is ok, of three with a status; the first and the last day are those of the 28.
  asked(27, '/a/read', GPT),
  asked(3, '/a/read', GPT, 404),
  asked(0, '/a/read', GPT, 500),
  asked(0, '/a/read', GPT, null),
  asked(28, '/a/read', GPT),
  ...[GPT, CLAUDE].flatMap((bot) => ['/a/1', '/'].map((path) => asked(2, path, bot))),
  asked(2, '/a/silent', CLAUDE, null),
  asked(2, '/a/2', CLAUDE, 304),
  asked(1, '/a/2', CLAUDE),
  // Search engines, three hits of seven of one kind.
  ...[27, 10, 9].map((days) => asked(days, '/a/1', GOOGLE)),
  ...[9, 8, 8, 0].map((days) => asked(days, '/a/404', GOOGLE, 404)),
  asked(9, '/a/2', BING, 301),
  asked(28, '/a/3', BING),
];

const page = pagesOf(HOST);
const PAGES = [
  page('/', { depth: 0, nb_inlinks: 9, inrank_decimal: 10 }),
  ...[1, 2, 3].map((n) => page(`/a/${n}`, { depth: 1, nb_inlinks: n, inrank_decimal: n, title: `a ${n}` })),
  page('/a/read', { depth: 2, nb_inlinks: 1, inrank_decimal: 1 }),
  page('/a/404', { depth: 2, nb_inlinks: 1, status_code: 404 }),
  page('/a/silent', { depth: 2, nb_inlinks: 1 }),
  ...LADDER.map((_, n) => page(`/ladder/${n}`, { depth: 2, nb_inlinks: 3, title: `ladder ${n}` })),
  ...['/old/year', '/old/both', '/old/half'].map((path) => page(path, { depth: 2, nb_inlinks: 3 })),
];
const BEFORE = PAGES.map((row, n) => ({ ...row, title: `before ${n}`, status_code: 200 }));

const half = (rows: readonly Row[], of: (n: number) => boolean): Row[] => rows.filter((_, n) => of(n));

export const PROJECTS: readonly Project[] = [
  {
    id: 'p-x',
    name: 'twin of the other',
    startUrl: `${HOST}/`,
    ranking: dataset([...LADDER, ...RIVALS, ...LOSSES]),
    logEvents: dataset(HITS),
  },
  {
    id: 'p-w',
    name: 'zwilling',
    startUrl: `${HOST}/`,
    ranking: dataset(
      [...half(LADDER, (n) => n % 2 === 0), ...half(RIVALS, (n) => n < 4), ...LOSSES].map((row) => ({
        ...row,
        impressions: 3 * Number(row.impressions) + 1,
        clicks: 2 * Number(row.clicks),
      })),
    ),
    logEvents: dataset([...half(HITS, (n) => n % 3 !== 1), asked(4, '/a/1', CLAUDE)]),
  },
];

const crawl = (id: string, projectId: string, days: number, rows: readonly Row[]): Crawl => ({
  id,
  projectId,
  status: 'done',
  endReason: 'ok',
  config: { id: `conf-${projectId}`, name: 'default' },
  endedAt: at(`${ago(days)}T12:00:00Z`),
  pages: dataset(rows),
});

const bare = ({ pages: _, ...rest }: Crawl): Crawl => rest;

export const CRAWLS: readonly Crawl[] = [
  crawl('x1', 'p-x', 40, BEFORE.slice(0, 12)),
  crawl('x2', 'p-x', 12, PAGES),
  crawl('w1', 'p-w', 30, BEFORE.slice(4)),
  crawl('w2', 'p-w', 6, PAGES.slice(2)),
  // Its pages are not loaded.
  bare(crawl('x3', 'p-x', 2, [])),
];
