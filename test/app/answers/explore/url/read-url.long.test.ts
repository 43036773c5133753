import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AskedUrl,
  readUrl,
  type UrlStory,
} from '../../../../../src/app/answers/explore/url/read-url.ts';
import type { QueryProcess } from '../../../../../src/app/answers/query/query-process.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { publishedSites } from '../../../../support/published-sites.ts';
import { sharedFolder, temporaryConnection } from '../../../../support/temporary.ts';
import { STORY, url } from '../story-site.ts';

const folder = sharedFolder();
const signal = new AbortController().signal;
let warehouse: QueryProcess;
beforeAll(async () => {
  warehouse = await publishedSites(folder, STORY);
});
afterAll(() => warehouse?.[Symbol.asyncDispose]());

const story = (path: string, more: Partial<AskedUrl> = {}): Promise<UrlStory> =>
  readUrl(warehouse, { url: path.startsWith('/') ? url(path) : path, ...more }, signal);

test('a page shows its row, the target of its redirect, and its issues with their fix', async () => {
  const { crawl, page, redirects, issues, empty } = await story('/lamps/red');
  expect([crawl.crawl_id, page?.status_code, page?.is_indexable, page?.non_indexable_reason]).toEqual([
    'shop-3',
    301,
    false,
    'redirect',
  ]);
  expect(redirects).toEqual({
    hops: [{ url: url('/lamps/red'), status_code: 301, target: url('/lamps/crimson') }],
    final_url: url('/lamps/crimson'),
    final_status_code: 200,
    is_loop: false,
    is_cut: false,
  });
  expect(issues.map(({ issue, why, fix }) => [issue, why, fix])).toEqual([
    // Bots asked for it while it still answered 200, as the crawl of that day says.
    ['linked_redirect', 'HTTP status 301', 'Change the links to the final URL'],
  ]);
  expect(empty).toMatchObject({
    outlinks: 'the crawl found no link on this page',
    canonical: expect.any(String),
  });
});

test('the history shows each change with its crawl, except for fields missing from an export', async () => {
  const { history } = await story('/lamps/red');
  expect(
    history.map(({ crawl_id, is_in_crawl, has_all_links }) => [crawl_id, is_in_crawl, has_all_links]),
  ).toEqual([
    ['shop-3', true, true],
    ['shop-2', true, true],
    ['shop-cut', false, false],
    ['shop-1', true, true],
  ]);
  const changes = history.map((one) =>
    one.changes.map(({ change, before, after }) => [change, before, after]),
  );
  expect(changes).toEqual([
    [
      ['moved', null, url('/lamps/crimson')],
      ['status_code', 200, 301],
      ['is_indexable', true, false],
      ['non_indexable_reason', null, 'redirect'],
      ['depth', 3, 2],
    ],
    [
      ['title', 'Lamp', 'Red lamp'],
      ['h1', 'Red', 'Red lamp'],
      ['depth', 2, 3],
    ],
    [],
    [],
  ]);
});

test('a page appears and disappears in its history, in crawls of one configuration', async () => {
  const { page, history, empty } = await story('/old', { project: 'Shop' });
  expect([page, empty.page, empty.issues]).toEqual([
    null,
    ...Array(2).fill('the crawl does not contain this page'),
  ]);
  expect(history.map(({ crawl_id, changes }) => [crawl_id, changes.map(({ change }) => change)])).toEqual([
    ['shop-3', []],
    ['shop-2', ['missing']],
    ['shop-cut', []],
    ['shop-1', []],
  ]);
  const mobile = await story('/lamps/red', { crawl: 'shop-mobile' });
  expect([mobile.history.map(({ crawl_id }) => crawl_id), mobile.empty.inlinks]).toEqual([
    ['shop-mobile'],
    'the links of the crawl are not loaded',
  ]);
});

test('followed links from indexable pages near the start come first, with the worst targets first', async () => {
  const { inlinks } = await story('/lamps/red');
  expect([inlinks.total, inlinks.rows.map(({ anchor, depth, follow }) => [anchor, depth, follow])]).toEqual([
    3,
    [
      ['Lamp', 0, true],
      ['see lamp', 7, true],
      ['sponsored', 2, false],
    ],
  ]);
  const { outlinks } = await story('/lamps/blue');
  expect(outlinks.rows.map(({ anchor, status_code }) => [anchor, status_code])).toEqual([
    ['away', 404],
    ['sponsored', 301],
    ['unknown', null],
    ['home', 200],
  ]);
  const { inlinks: first } = await story('/lamps/red', { limit: 1 });
  expect([first.total, first.rows.length]).toEqual([3, 1]);
});

test('language versions show whether they link back; similar pages and structured data show their kind', async () => {
  const { hreflangs } = await story('/lamps/crimson');
  expect(hreflangs.map(({ lang, is_in_crawl, returns }) => [lang, is_in_crawl, returns])).toEqual([
    ['en', true, true],
    ['de', true, false],
    ['fr', false, null],
  ]);
  const { similar, structured_data } = await story('/lamps/blue');
  expect([similar.total, similar.rows.map((one) => one.url)]).toEqual([1, [url('/lamps/azure')]]);
  expect(structured_data).toMatchObject([{ type: 'Product', valid: false, missing_properties: ['offers'] }]);
});

test('hits and clicks are listed by day, including empty days, with bots and queries', async () => {
  const { hits, demand } = await story('/lamps/red');
  expect(
    hits?.days.map(({ day, hits, search_bot_hits, visits }) => [day, hits, search_bot_hits, visits]),
  ).toEqual([
    ['2026-03-08', 0, 0, 0],
    ['2026-03-09', null, null, null],
    ['2026-03-10', 4, 3, 1],
    ['2026-03-11', null, null, null],
    ['2026-03-12', 0, 0, 0],
  ]);
  expect(hits?.days.map(({ has_logs }) => has_logs)).toEqual([true, false, true, false, true]);
  // The counts of the service name no engine, on no day.
  expect(new Set(hits?.days.flatMap((one) => [one.google_bot_hits, one.ai_bot_hits]))).toEqual(
    new Set([null]),
  );
  expect(hits?.bots).toEqual([{ bot_class: 'search', engine: null, hits: 3, last_day: '2026-03-10' }]);
  expect([demand?.clicks, demand?.impressions]).toEqual([6, 40]);
  expect(demand?.days.map(({ day, clicks, position }) => [day, clicks, position])).toEqual([
    ['2026-03-08', 3, 2],
    ['2026-03-09', 0, null],
    ['2026-03-10', 3, 6],
  ]);
  expect(demand?.queries.map(({ query, clicks, position }) => [query, clicks, position])).toEqual([
    ['red lamp', 4, 4],
    ['lamp', 2, 8],
  ]);
  const { empty } = await story('https://blog.example/');
  expect([empty.hits, empty.demand]).toEqual([
    'the project has no log files',
    'the project has no search results',
  ]);
});

test('a URL that only log files contain is known, but has no page', async () => {
  const { page, hits, is_known, near } = await story('/in-logs', { project: 'Shop' });
  expect([page, hits?.days.at(-1)?.hits, is_known, near]).toEqual([null, 1, true, []]);
});

test.each([
  ['http://www.shop.example/Lamps/Red/', '/lamps/red'],
  ['/LAMPS/BLUE', '/lamps/blue'],
  ['shop.example/lamps/re', '/lamps/red'],
  ['https://shop.example/lamps/crimsno', '/lamps/crimson'],
  ['http://shop.example', '/'],
  ['amps/r', '/lamps/red'],
  ['blu', '/lamps/blue'],
])('the unknown URL %s is answered with the similar URL %s', async (asked, near) => {
  const found = await readUrl(warehouse, { url: asked, project: 'Shop' }, signal);
  expect([found.is_known, found.near?.[0]]).toEqual([false, url(near)]);
});

test('a unique unknown URL has no suggestions, and without a project the URL must be in only one', async () => {
  expect((await story('/zzz', { project: 'Shop' })).near).toEqual([]);
  await expect(story('/zzz')).rejects.toThrow('the warehouse has 2 projects: name one');
});

test('each statement about a URL is portable SQL', async () => {
  const statements = new Set<string>();
  const recorded = {
    rows: (sql: string, ...more: [AbortSignal, ReadonlyMap<string, string | null>?]) => {
      if (sql.includes('mart.') && !sql.includes('duckdb_')) statements.add(sql);
      return warehouse.rows(sql, ...more);
    },
  };
  for (const path of ['/lamps/red', '/lamps/blue', '/lamps/crimson'])
    await readUrl(recorded, { url: url(path) }, signal);
  await readUrl(recorded, { url: url('/lamps/rde'), crawl: 'shop-3' }, signal);
  expect(statements.size).toBeGreaterThan(15);
  const connection = await temporaryConnection(folder);
  for (const sql of statements)
    expect(await findNonPortable(connection, sql, { file: 'SQL', line: 1 }), sql).toEqual([]);
});
