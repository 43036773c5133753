import { at, type Crawl, dataset, type Project, pagesOf } from './sites.ts';

/** A site whose figures lie half way between two that are shown: as floats some of them are a little less. */

const page = pagesOf('https://r.example');
const PAGES = Array.from({ length: 61 }, (_, n) =>
  // The mean depth is 23 of 40, 0.575. Page 7 has more impressions than 25 of the 60 others: priority 12.5.
  page(`/ties/${n}`, { depth: n < 40 ? Number(n < 23) : null, nb_inlinks: 1, h1_evaluation: 'not_set' }),
);

const shown = (url: string, [position, impressions, clicks]: readonly number[]) => ({
  date: '2026-02-28',
  url: `https://r.example${url}`,
  query: `at ${position}`,
  device: 'DESKTOP',
  position,
  impressions,
  clicks,
});

export const PROJECT: Project = {
  id: 'p-r',
  name: 'ties',
  startUrl: 'https://r.example/',
  ranking: dataset([
    ...PAGES.slice(0, 42).map((_, n) => shown(`/ties/${n}`, [3, n, 0])),
    // 0.145 %, and a position of 8.55.
    shown('/unknown', [8.55, 20_000, 29]),
    // At three positions every third impression is clicked: 14 clicks are expected, and 7 are not less than half.
    shown('/ties/42', [4, 14, 7]),
    shown('/ties/42', [5, 14, 0]),
    shown('/ties/42', [6, 14, 0]),
    shown('/third', [4, 16, 3]),
    shown('/third', [5, 16, 10]),
    shown('/third', [6, 16, 10]),
  ]),
};

export const CRAWLS: readonly Crawl[] = [
  {
    id: 'r1',
    projectId: 'p-r',
    status: 'done',
    endReason: 'ok',
    config: { id: 'conf-r', name: 'default' },
    endedAt: at('2026-02-20T12:00:00Z'),
    pages: dataset(PAGES),
  },
];
