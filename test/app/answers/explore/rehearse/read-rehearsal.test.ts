import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Rehearsal, readRehearsal } from '../../../../../src/app/answers/explore/rehearse/read-rehearsal.ts';
import { rehearsalBlocks } from '../../../../../src/app/answers/explore/rehearse/rehearsal-blocks.ts';
import { robotsOf } from '../../../../../src/app/answers/explore/rehearse/rehearse-robots.ts';
import { printBlocks } from '../../../../../src/app/answers/presentation/print-blocks.ts';
import { readBotList } from '../../../../../src/app/cli/local/read-bot-list.ts';
import { page, ROBOTS, rehearsedSite, url } from './rehearsed-site.ts';

type Found = Readonly<Record<string, readonly object[]>>;
const rehearse = (content = ROBOTS, more: Found = {}): Promise<Rehearsal> =>
  readRehearsal(
    rehearsedSite(more),
    { change: { kind: 'robots', given: 'robots.txt', content } },
    new AbortController().signal,
  );
const CRAWL = {
  ...{ crawl_id: 'c2', project_id: 'p', project: 'Shop', crawl_number: 2, ended_at: null },
  ...{ has_links: true, has_all_links: true, start_url: null, scope_note: null },
};
const changes = ({ pages }: Rehearsal) =>
  pages.map(({ url: of, change, depth_before, depth_after }) => [of, change, depth_before, depth_after]);
const figure = ({ figures }: Rehearsal, name: string) => figures.find((one) => one.figure === name);

test('a new robots.txt blocks pages for some robots, and cuts off the pages behind them', async () => {
  const rehearsal = await rehearse();
  expect(Rehearsal.parse(rehearsal)).toEqual(rehearsal);
  expect(changes(rehearsal)).toEqual([
    [url('/sale'), 'blocked', 1, 1],
    [url('/sale/lamp'), 'blocked', 2, null],
    [url('/sale/old'), 'blocked', null, null],
    [url('/cart'), 'allowed', 1, 1],
    [url('/lamps/red'), 'orphan', 2, null],
    [url('/sale/lamp'), 'orphan', 2, null],
    [url('/lamps/blue'), 'unreachable', 3, null],
  ]);
  const [sale, , old, cart, red, , blue] = rehearsal.pages;
  expect(sale).toMatchObject({
    state_before: 'indexable',
    state_after: 'robots_denied',
    clicks: 40,
    hits: 8,
  });
  expect(sale?.agents).toBe('this crawl, Googlebot, PerplexityBot, GPTBot');
  expect(old).toMatchObject({ is_in_crawl: false, clicks: 0, hits: 0 });
  // Only GPTBot gains it, so the crawl still does not read it.
  expect(cart).toMatchObject({ agents: 'GPTBot', state_after: 'robots_denied' });
  expect([red?.state_after, blue?.state_after]).toEqual(['indexable', null]);
  expect(rehearsal.agents.map(({ agent, lost, gained, hits }) => [agent, lost, gained, hits])).toEqual([
    ['this crawl', 3, 0, null],
    ['Bingbot', 0, 0, 0],
    ['Googlebot', 3, 0, 5],
    ['PerplexityBot', 3, 0, 0],
    ['GPTBot', 3, 1, 3],
  ]);
  expect(rehearsal.hits).toEqual({ covered: { from: '2026-03-07', to: '2026-03-08', days: 2 }, why: null });
  expect(rehearsal.sitemaps.map((entry) => entry.url)).toEqual([url('/sale'), url('/sale/lamp')]);
  expect(rehearsal.sql.find(({ name }) => name === 'verified hits')?.sql).toContain(
    "CAST('2026-03-07' AS DATE)",
  );
});

test('a file with the same rules changes nothing', async () => {
  const rehearsal = await rehearse('User-agent: *\nDisallow: /cart\n');
  expect([rehearsal.pages, rehearsal.sitemaps, rehearsal.notes]).toEqual([[], [], []]);
  expect(figure(rehearsal, 'blocked')).toMatchObject({ count: 0, clicks: 0, hits: 0 });
});

test('without a source, clicks and hits are unknown', async () => {
  const none = await rehearse(ROBOTS, { 'FROM mart.log_days': [], 'FROM mart.ranking_days': [] });
  expect([none.clicks.why, none.hits.why]).toEqual([
    'the project has no search results',
    'the project has no lines of log files',
  ]);
  expect(figure(none, 'blocked')).toMatchObject({ count: 2, clicks: null, hits: null });
  expect(none.pages.every(({ clicks, hits }) => clicks === null && hits === null)).toBe(true);
  expect(none.notes).toEqual(['Orphans are judged only by sitemaps, because clicks and hits are unknown.']);
  const unverified = await rehearse(ROBOTS, { 'FROM mart.log_url_days': [] });
  expect(unverified.notes).toEqual(['Orphans are judged without hits, because hits are unknown.']);
  expect(unverified.hits).toEqual({ covered: null, why: 'the log files do not say which bots are verified' });
  const period = { from_date: '2026-02-01', to_date: '2026-02-28' };
  const totals = await rehearse(ROBOTS, {
    'FROM mart.ranking_days': [],
    "dataset = 'ranking_periods'": [period],
    'FROM mart.page_demand': [{ url: url('/sale'), clicks: 7, impressions: null }],
  });
  expect(totals.clicks.covered).toEqual({ from: '2026-02-01', to: '2026-02-28', days: 28 });
  // The impressions of one URL are unknown.
  expect(figure(totals, 'blocked')).toMatchObject({ clicks: 7, impressions: null });
  expect(totals.pages[0]).toMatchObject({ url: url('/sale'), clicks: 7, impressions: null });
});

test('entries that are unknown are not reported as none', async () => {
  const unlisted = [page('/', { depth: 0 }), page('/sale')];
  const blocks = rehearsalBlocks(await rehearse(ROBOTS, { 'pages.sitemaps_file_origin': unlisted }), '');
  const output = printBlocks(blocks, { width: 100 });
  expect(output).toContain('Sitemaps\nUnknown: the crawl found no page in a sitemap.\n');
  expect(output).not.toContain('No entry is to be changed.');
});

test('a crawl that did not read all links says so, and its depths stay unknown', async () => {
  const crawl = { ...CRAWL, has_all_links: false, scope_note: 'The crawl stopped early.' };
  const cut = await rehearse(ROBOTS, { 'crawls.has_all_links, projects.start_url': [crawl] });
  expect(cut.notes).toEqual(['The crawl stopped early.']);
  expect(new Set(cut.pages.map(({ change }) => change))).toEqual(new Set(['blocked', 'allowed']));
  expect(figure(cut, 'orphan')).toMatchObject({ count: null, why: 'the crawl did not read all links' });
});

test('without the robots.txt of the crawl, only its own robot is known to lose pages that it read', async () => {
  const rehearsal = await rehearse(ROBOTS, { 'FROM mart.crawl_files': [] });
  expect(rehearsal.agents.map(({ agent, lost, blocked_before }) => [agent, lost, blocked_before])).toEqual([
    // Whether it may fetch the page that it did not meet is unknown.
    ['this crawl', null, null],
    ...['Bingbot', 'Googlebot', 'PerplexityBot', 'GPTBot'].map((agent) => [agent, null, null]),
  ]);
  expect(rehearsal.agents.every(({ hits }) => hits === null)).toBe(true);
  expect(changes(rehearsal).slice(0, 6)).toEqual([
    [url('/sale'), 'blocked', 1, 1],
    [url('/sale/lamp'), 'blocked', 2, null],
    [url('/sale'), 'unknown', 1, 1],
    [url('/cart'), 'unknown', 1, 1],
    [url('/sale/lamp'), 'unknown', 2, null],
    [url('/sale/old'), 'unknown', null, null],
  ]);
  expect(rehearsal.pages[0]).toMatchObject({ agents: 'this crawl', hits: 0 });
  expect(rehearsal.pages[2]).toMatchObject({ agents: 'Googlebot, PerplexityBot, GPTBot', hits: 8 });
  expect(figure(rehearsal, 'blocked')).toMatchObject({ count: 2, hits: 0 });
  expect(figure(rehearsal, 'unknown')).toMatchObject({ count: 4, clicks: 40 });
  expect(new Set(rehearsal.sitemaps.map(({ action }) => action))).toEqual(
    new Set(['remove: blocked for this crawl']),
  );
  expect(rehearsal.notes[0]).toContain('which pages other robots may fetch now is unknown');
  const missing = await rehearse(ROBOTS, { 'FROM mart.crawl_files': [{ status_code: 404, content: null }] });
  expect(missing.agents[1]).toMatchObject({ agent: 'Bingbot', lost: 1, blocked_before: 0 });
});

const bot = (token: string, crawler: string, found_in = 'user_agent') => {
  return { token, crawler, purpose: 'user request', found_in };
};
const BOTS = [
  ...[bot('Amzn-User/', 'Amzn-User'), bot('Amzn-User;', 'Amzn-User'), bot('Kangaroo Bot', 'Kangaroo Bot')],
  ...[bot('Perplexity-User', 'Perplexity-User'), bot('PerplexityUser', 'Perplexity-User')],
];
const FETCHERS = {
  'FROM mart.bots': BOTS,
  'SELECT events.url, events.crawler': [
    { url: url('/sale'), crawler: 'Perplexity-User', hits: 5 },
    { url: url('/sale'), crawler: 'Amzn-User', hits: 3 },
  ],
};

test('a crawler with several tokens is one robot, whose hits count once', async () => {
  const all = await rehearse('User-agent: *\nDisallow: /\n', FETCHERS);
  expect(all.pages.find((page) => page.url === url('/sale'))).toMatchObject({
    agents: 'this crawl, Amzn-User, Kangaroo Bot, Perplexity-User',
    hits: 8,
  });
  const output = printBlocks(rehearsalBlocks(all, 'crawlhouse rehearse'), { width: 200 });
  expect(output).toMatch(/^user request +Amzn-User, Kangaroo Bot, Perplexity-User +1 +7 +6 +0 +8$/m);
});

test('a group with the documented name of a crawler applies to it', async () => {
  const names = ['Perplexity-User', 'Amzn-User', 'Kangaroo Bot'].map((name) => `User-agent: ${name}\n`);
  const named = await rehearse(`${names.join('')}Disallow: /sale$\n`, FETCHERS);
  expect(named.agents.map(({ agent, lost, hits }) => [agent, lost, hits])).toEqual([
    ['this crawl', 0, null],
    ['Amzn-User', 1, 3],
    ['Kangaroo Bot', 1, 0],
    ['Perplexity-User', 1, 5],
  ]);
});

test('each shipped AI crawler is one robot, with a name that robots.txt can contain', async () => {
  const { bots } = await readBotList({ projectDir: import.meta.dirname });
  const robots = robotsOf(
    bots
      .filter(({ bot_class }) => bot_class === 'ai')
      .map(({ token, crawler, purpose, found_in }) => {
        return { token, crawler, purpose, found_in: found_in ?? 'user_agent' };
      }),
  );
  expect(robots.length).toBeGreaterThan(80);
  expect(new Set(robots.map(({ agent }) => agent)).size).toBe(robots.length);
  expect(robots.filter(({ name }) => !/^[a-z][a-z0-9._-]+$/.test(name))).toEqual([]);
  const of = (some: string) => robots.find(({ agent }) => agent === some);
  expect(of('Amazon Kendra')?.name).toBe('amazon-kendra');
  expect(of('Google-Extended')?.hasRequests).toBe(false);
});

test('for the crawl itself, a page with an answer was allowed, and any other page without a verdict is unknown', async () => {
  const pages = [page('/', { depth: 0 }), page('/sale'), page('/cart', { status_code: null })];
  const unread = pages.map((one) => ({ ...one, is_robots_denied: null }));
  const found = { 'pages.sitemaps_file_origin': unread, 'FROM mart.crawl_files': [] };
  const none = { ...found, 'SELECT events.url, events.crawler': [] };
  const { pages: rows, agents } = await rehearse('User-agent: crawlhouse\nDisallow: /\nAllow: /$\n', none);
  expect(rows.map((row) => [row.url, row.change])).toEqual([
    [url('/sale'), 'blocked'],
    [url('/cart'), 'unknown'],
  ]);
  expect(agents[0]).toMatchObject({ blocked_before: null, blocked_after: 2, lost: null, gained: 0 });
});

test('the host is the one that the start URL redirects to, and pages of others are counted', async () => {
  const [first, ...others] = [page('/', { depth: 0 }), page('/sale')];
  const moved = { depth: 0, status_code: 301, redirect_location: url('/') };
  const start = { ...page('/', moved), url: 'http://shop.example/' };
  const at = async (start_url: string | null, pages: readonly object[]) =>
    rehearse('User-agent: *\nDisallow: /sale\n', {
      'crawls.has_all_links, projects.start_url': [{ ...CRAWL, start_url }],
      'pages.sitemaps_file_origin': pages,
    });
  const note = 'Not judged, because of another host or scheme: 1 page.';
  const led = await at('http://shop.example', [start, { ...first, depth: 1 }, ...others]);
  expect([changes(led)[0], led.notes]).toEqual([[url('/sale'), 'blocked', 1, 1], [note]]);
  for (const unmet of ['shop.example', 'http://shop.example', null]) {
    const { pages, notes } = await at(unmet, [first ?? {}, ...others]);
    expect([pages[0]?.url, notes]).toEqual([url('/sale'), []]);
  }
  await expect(at('https://other.example/', [page('/sale')])).rejects.toMatchObject({
    code: 'usage',
    message: 'the crawl c2 has no page of the host of its start URL https://other.example/',
  });
});

test('the hits of a crawler are unknown if none of them could be verified or refuted', async () => {
  const checked = (is_checked: boolean) => [
    { crawler: 'Googlebot', is_checked },
    { crawler: 'GPTBot', is_checked: false },
  ];
  const some = await rehearse(ROBOTS, { 'AS is_checked': checked(true) });
  expect(some.agents.map(({ agent, hits }) => [agent, hits])).toEqual([
    ...[
      ['this crawl', null],
      ['Bingbot', 0],
      ['Googlebot', 5],
      ['PerplexityBot', 0],
      ['GPTBot', null],
    ],
  ]);
  const none = await rehearse(ROBOTS, { 'AS is_checked': checked(false) });
  expect(none.hits).toEqual({ covered: null, why: 'no hit of a bot in the log files could be verified' });
  expect(none.agents.every(({ hits }) => hits === null)).toBe(true);
});

test('a page that becomes allowed has an unknown state, and a lost sitemap is noted', async () => {
  const announced = { status_code: 200, content: 'User-agent: *\nDisallow: /cart\nSitemap: /map.xml\n' };
  const open = await rehearse('User-agent: *\n', { 'FROM mart.crawl_files': [announced] });
  expect(open.pages).toMatchObject([{ url: url('/cart'), change: 'allowed', state_after: null }]);
  expect(open.notes).toEqual([
    'The new robots.txt does not announce the sitemap /map.xml.',
    'The crawl did not read the pages that it may fetch after the change: their state and their links are unknown.',
  ]);
});

test('the screen of docs/explore.md matches the output on a terminal of 100 columns', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../..', 'docs', 'explore.md'), 'utf8');
  const [, block = ''] = /^ {4}\$ crawlhouse rehearse .*\n((?: {4}.*\n|\n(?= {4}))+)/m.exec(page) ?? [];
  const output = block.replaceAll(/^ {4}/gm, '');
  const parts = output.split(/^…\n/m).map(RegExp.escape);
  const blocks = rehearsalBlocks(await rehearse(), 'crawlhouse rehearse --robots robots.txt');
  expect(printBlocks(blocks, { width: 100 })).toMatch(new RegExp(`^${parts.join('(?:.*\\n)*?')}`));
});
