import { afterAll, beforeAll, expect, test } from 'vitest';
import { Rehearsal, readRehearsal } from '../../../../../src/app/answers/explore/rehearse/read-rehearsal.ts';
import { rehearsalBlocks } from '../../../../../src/app/answers/explore/rehearse/rehearsal-blocks.ts';
import { printBlocks } from '../../../../../src/app/answers/presentation/print-blocks.ts';
import type { QueryProcess } from '../../../../../src/app/answers/query/query-process.ts';
import { at, dataset, pagesOf, type Sites } from '../../../../questions/sites/sites.ts';
import { publishedSites } from '../../../../support/published-sites.ts';
import { sharedFolder } from '../../../../support/temporary.ts';

const HOST = 'https://shop.example';
const page = pagesOf(HOST);
const GOOGLE = { user_agent: 'Googlebot/2.1', is_bot: true, status_code: 200, bot_verification: 'verified' };
const line = (day: string, path: string, more: object = {}) => ({
  day,
  url: HOST + path,
  ...GOOGLE,
  ...more,
});
const clicks = (date: string, path: string, count: number) => {
  return { date, url: HOST + path, query: 'q', clicks: count, impressions: 90, position: 1 };
};
const link = (origin: string, target: string) => {
  return { origin: HOST + origin, target: HOST + target, follow: true, intern: true };
};
const ALSO_SALE = { rel_canonical: `${HOST}/sale`, hreflang_hrefs: [`${HOST}/sale`], hreflang_langs: ['de'] };

const SITES: Sites = {
  projects: [
    {
      id: 'p',
      name: 'Shop',
      startUrl: `${HOST}/`,
      logEvents: dataset([
        line('2025-09-01', '/sale'),
        line('2026-03-01', '/sale'),
        line('2026-03-02', '/sale'),
        line('2026-03-02', '/sale', { bot_verification: 'refuted' }),
        line('2026-03-02', '/sale', { user_agent: 'GPTBot/1.2', bot_verification: 'unchecked' }),
      ]),
      ranking: dataset([clicks('2026-03-01', '/sale', 7), clicks('2026-03-02', '/sale', 2)]),
    },
  ],
  crawls: [
    {
      ...{ id: 'b', projectId: 'p', status: 'done', endReason: 'ok', config: { id: 'web', name: 'Web' } },
      endedAt: at('2026-03-02T03:00:00Z'),
      pages: dataset([page('/', { depth: 0 }), page('/sale', { depth: 1 })], {
        without: Object.keys(ALSO_SALE),
      }),
      links: dataset([
        link('/', '/sale'),
        { ...link('/', '/sale'), origin: 'https://blog.example/', intern: false },
      ]),
    },
    {
      ...{ id: 'c', projectId: 'p', status: 'done', endReason: 'ok', config: { id: 'web', name: 'Web' } },
      endedAt: at('2026-03-03T03:00:00Z'),
      pages: dataset([
        page('/', { depth: 0, robots_txt_denied: false }),
        page('/sale', { depth: 1, robots_txt_denied: false, sitemaps_file_origin: ['/map.xml'] }),
        page('/lamp', { depth: 1, robots_txt_denied: false, ...ALSO_SALE }),
        page('/blue', { depth: 2, robots_txt_denied: false, meta_refresh_location: `${HOST}/sale` }),
        page('/old', { depth: 1, status_code: 301, redirect_location: `${HOST}/sale` }),
        page('/gone', { depth: 1, status_code: 404 }),
        page('/closed', { depth: 1, status_code: null, fetched: false, robots_txt_denied: true }),
      ]),
      requests: dataset([
        { url: `${HOST}/robots.txt`, kind: 'robots_txt', status_code: 200, content: 'User-agent: *\n' },
      ]),
      links: dataset([
        ...['/sale', '/lamp', '/old', '/gone', '/closed'].map((path) => link('/', path)),
        { ...link('/lamp', '/sale'), follow: false },
        link('/sale', '/blue'),
      ]),
    },
  ],
};

const folder = sharedFolder();
let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, SITES);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

test('only verified hits and clicks of the last 90 days are at stake, with the days that they cover', async () => {
  const change = {
    kind: 'robots',
    given: 'robots.txt',
    content: 'User-agent: *\nDisallow: /sale\n',
  } as const;
  const rehearsal = await readRehearsal(warehouse, { change }, new AbortController().signal);
  const days = { from: '2026-03-01', to: '2026-03-02', days: 2 };
  expect([rehearsal.clicks, rehearsal.hits]).toEqual([
    { covered: days, why: null },
    { covered: days, why: null },
  ]);
  expect(rehearsal.pages).toMatchObject([
    { url: `${HOST}/sale`, change: 'blocked', clicks: 9, hits: 2 },
    { url: `${HOST}/closed`, change: 'allowed', agents: 'this crawl' },
    { url: `${HOST}/blue`, change: 'unreachable', clicks: 0, hits: 0 },
  ]);
  const agents = rehearsal.agents.map(({ agent, hits }) => [agent, hits]);
  expect(agents).toContainEqual(['Googlebot', 2]);
  // Its only hit is unchecked.
  expect(agents).toContainEqual(['GPTBot', null]);
  expect(agents).toContainEqual(['ClaudeBot', 0]);
  // No request belongs to a token that only rules contain.
  expect(agents).toContainEqual(['Google-Extended', null]);
  for (const { sql } of rehearsal.sql) await warehouse.rows(sql, new AbortController().signal);
});

const rehearse = (kind: 'remove' | 'noindex', given: string) =>
  readRehearsal(warehouse, { change: { kind, given } }, new AbortController().signal);
const rowsOf = ({ pages }: Rehearsal) =>
  pages.map(({ url, change, state_before, state_after, depth_after, clicks, impressions, hits }) => {
    const states = [state_before, state_after].join(' → ');
    return [url.slice(HOST.length), change, states, depth_after, clicks, impressions, hits];
  });
const referencesOf = ({ links }: Rehearsal) =>
  links.map(({ source, target, kind, action }) => [
    ...[source, target].map((url) => url.slice(HOST.length)),
    ...[kind, action],
  ]);

test('removed pages lose their links, and what refers to them is to be updated', async () => {
  const rehearsal = await rehearse('remove', "url LIKE '%/sale' OR status_code = 404 OR is_robots_denied");
  expect(Rehearsal.parse(rehearsal)).toEqual(rehearsal);
  expect(rowsOf(rehearsal)).toEqual([
    ['/sale', 'removed', 'indexable → client_error', 1, 9, 180, 2],
    // Robots.txt hides its answer.
    ['/closed', 'unjudged', 'robots_denied → robots_denied', 1, 0, 0, 0],
    ['/blue', 'unreachable', 'indexable → ', null, 0, 0, 0],
  ]);
  const action = 'update: the target answers 404 or 410';
  expect(referencesOf(rehearsal)).toEqual([
    ['/', '/closed', 'link', action],
    ['/', '/sale', 'link', action],
    // Nofollow links break too.
    ['/lamp', '/sale', 'link', action],
    ['/blue', '/sale', 'redirect', action],
    ['/old', '/sale', 'redirect', action],
    ['/lamp', '/sale', 'canonical', action],
    ['/lamp', '/sale', 'hreflang', action],
  ]);
  expect(rehearsal.sitemaps).toEqual([
    { url: `${HOST}/sale`, sitemap: '/map.xml', action: 'remove: answers 404 or 410' },
  ]);
  expect(rehearsal.notes).toEqual([
    '1 matching page is not counted: it answers 404 or 410 already.',
    // Whether robots.txt denies /old is unknown.
    'Not judged, because the condition is unknown for them: 1 page.',
  ]);
  const counts = rehearsal.figures.map(({ figure, count, clicks }) => [figure, count, clicks]);
  expect(counts).toEqual([
    ...[
      ['removed', 1, 9],
      ['unjudged', 1, 0],
    ],
    ...[
      ['orphan', 0, 0],
      ['unreachable', 1, 0],
      ['deeper', 0, 0],
      ['shallower', 0, 0],
    ],
    ...[
      ['sitemaps', 1, null],
      ['links', 7, null],
      ['linking_pages', 4, null],
    ],
  ]);
  for (const { sql } of rehearsal.sql) await warehouse.rows(sql, new AbortController().signal);
});

test('noindex only loses pages that are indexable now, and keeps their links', async () => {
  const rehearsal = await rehearse('noindex', 'true');
  expect(rowsOf(rehearsal)).toEqual([
    ['/sale', 'lost', 'indexable → noindex', 1, 9, 180, 2],
    ['/', 'lost', 'indexable → noindex', 0, 0, 0, 0],
    ['/blue', 'lost', 'indexable → noindex', 2, 0, 0, 0],
    ['/gone', 'kept_out', 'client_error → client_error', 1, 0, 0, 0],
    ['/lamp', 'kept_out', 'canonicalised → noindex', 1, 0, 0, 0],
    ['/old', 'kept_out', 'redirect → redirect', 1, 0, 0, 0],
    ['/closed', 'unjudged', 'robots_denied → robots_denied', 1, 0, 0, 0],
  ]);
  expect(rehearsal.sitemaps.map(({ url, action }) => [url, action])).toEqual([
    [`${HOST}/sale`, 'remove: noindex'],
  ]);
  expect(rehearsal.figures.map(({ figure }) => figure)).toEqual([
    ...['lost', 'kept_out', 'unjudged', 'sitemaps', 'links', 'linking_pages'],
  ]);
  // Their pages get noindex too.
  expect(rehearsal.links).toEqual([]);
  const sale = await rehearse('noindex', "url LIKE '%/sale'");
  expect(referencesOf(sale)).toEqual([
    ['/lamp', '/sale', 'canonical', 'update: the target gets noindex'],
    ['/lamp', '/sale', 'hreflang', 'update: the target gets noindex'],
  ]);
  expect(printBlocks(rehearsalBlocks(sale, 'crawlhouse rehearse'), { width: 200 })).toMatch(
    /^indexable pages that get noindex +1 +9 +180 +2$/m,
  );
});

test('references are unknown if the export lacks the fields that declare them', async () => {
  for (const kind of ['noindex', 'remove'] as const) {
    const change = { kind, given: "url LIKE '%/sale'" } as const;
    const bare = await readRehearsal(warehouse, { change, crawl: 'b' }, new AbortController().signal);
    expect(bare.figures.at(-2)).toMatchObject({
      figure: 'links',
      count: null,
      why: 'the export lacks canonicals and hreflang links',
    });
  }
  expect((await rehearse('noindex', "url LIKE '%/sale'")).figures.at(-2)).toMatchObject({
    count: 2,
    why: null,
  });
});

test('a condition is one SQL condition, and may match nothing', async () => {
  expect((await rehearse('remove', "url LIKE '%$crawl_%'")).notes).toEqual([
    'No page of the crawl meets the condition.',
  ]);
  // The status code of /closed is unknown.
  expect((await rehearse('remove', 'status_code > 900 -- none')).notes).toEqual([
    'Not judged, because the condition is unknown for them: 1 page.',
  ]);
  await expect(rehearse('remove', 'true) OR (true')).rejects.toMatchObject({
    code: 'usage',
    message: '--remove: true) OR (true is not a single condition',
  });
  await expect(rehearse('noindex', 'colour = 1')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/^--noindex: .*colour/s),
  });
});

test('references on other hosts are listed too', async () => {
  const change = { kind: 'redirects', given: 'moves.csv', content: 'from,to\n/sale,/\n' } as const;
  const { links } = await readRehearsal(warehouse, { change, crawl: 'b' }, new AbortController().signal);
  expect(links.map(({ source }) => source)).toContain('https://blog.example/');
});
