import { expect, test } from 'vitest';
import type { UrlStory } from '../../../../../src/app/answers/explore/url/read-url.ts';
import { urlBlocks, urlCommand } from '../../../../../src/app/answers/explore/url/url-blocks.ts';
import { printBlocks } from '../../../../../src/app/answers/presentation/print-blocks.ts';
import { drawBlocks } from '../../../../../src/app/console/layout/addresses.ts';
import { drawUrl } from '../../../../../src/app/console/pages/project/url-page.ts';

type Links = UrlStory['inlinks'];
const none = { total: 0, different: 0, rows: [] };

function story(url: string, more: Partial<UrlStory> = {}, project_id = 'p1'): UrlStory {
  const crawl = {
    crawl_id: 'c1',
    project_id,
    project: 'Shop',
    crawl_number: 1,
    ended_at: null,
    scope_note: null,
  };
  return {
    url,
    crawl,
    page: null,
    redirects: null,
    canonical: null,
    hits: null,
    demand: null,
    hreflangs: [],
    structured_data: [],
    issues: [],
    history: [],
    near: [],
    empty: {},
    is_known: true,
    similar: none,
    inlinks: none,
    outlinks: none,
    ...more,
  } as unknown as UrlStory;
}

const drawn = (url: string): string => drawUrl(story(url, { is_known: false })).text;

test('a URL is a link only if it is http or https', () => {
  expect(drawn('HTTPS://shop.example/a?b="#%25')).toContain('href="HTTPS://shop.example/a?b=&quot;#%25"');
  for (const url of ['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', '//evil.example'])
    expect(drawn(url)).not.toContain(`href="${url}`);
});

test('the command shown for a page names its project and crawl, quoted for the shell', () => {
  expect(drawn('https://shop.example/')).toContain(' https://shop.example/ --project p1 --crawl c1</code>');
  expect(urlCommand(story("https://shop.example/it's?a b", {}, 'p 1; rm'), '--json')).toBe(
    "crawlhouse url 'https://shop.example/it'\\''s?a b' --project 'p 1; rm' --crawl c1 --json",
  );
});

test('a day without log files has no figure, with the reason', () => {
  const day = { hits: 2, search_bot_hits: 2, ai_bot_hits: null, visits: 0, has_logs: true };
  const unlogged = { hits: null, search_bot_hits: null, visits: null, has_logs: false };
  const days = ['2026-03-08', '2026-03-09', '2026-03-10'].map((one, index) => {
    return { ...day, ...(index === 1 ? unlogged : {}), day: one };
  });
  const hits = { from: '2026-03-08', to: '2026-03-10', days, bots: [] } as unknown as UrlStory['hits'];
  const blocks = urlBlocks(story('https://shop.example/', { hits }));
  const { text } = drawBlocks(blocks);
  expect(text).toMatch(/2026-03-09<\/th><td[^>]* data-name="All">no logs<\/td><td[^>]*>–</);
  expect(text).toContain('<svg');
  for (const shown of [text, printBlocks(blocks)])
    expect(shown).toContain('4 requests from 2026-03-08 to 2026-03-10: 2 days with log files, 1 without.');
});

test('a terminal shows the first links and the command for the others, a browser a download', () => {
  const rows = Array.from({ length: 12 }, (_, index) => {
    return {
      origin: `https://shop.example/${'long/'.repeat(20)}${index}`,
      anchor: null,
      follow: true,
      depth: 1,
    };
  });
  const blocks = urlBlocks(
    story('https://shop.example/', { inlinks: { total: 40, different: 40, rows } as unknown as Links }),
  );
  const text = printBlocks(blocks, { width: 80 });
  expect(text).toContain('Inlinks: 40\n');
  expect(text).toContain('the first 10; more: crawlhouse url https://shop.example/');
  expect(text).toContain('--part inlinks\n');
  const lines = text.split('\n').filter((line) => line.includes('…'));
  expect(lines.length).toBe(10);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(drawBlocks(blocks).text).toMatch(
    /40 links, the 12 most important first\. Download all: <a href="\/ask\/download\?[^"]*&amp;names=people" download>CSV with readable names<\/a>, <a href="[^"]*&amp;names=columns" download>with/,
  );
});

test('equal links are one row with their number', () => {
  const row = { origin: 'https://shop.example/a', anchor: 'Lamp', links: 50, follow: true, depth: 1 };
  const blocks = urlBlocks(
    story('https://shop.example/', {
      inlinks: {
        total: 51,
        different: 2,
        rows: [row, { ...row, anchor: 'Home', links: 1 }],
      } as unknown as Links,
    }),
  );
  const text = printBlocks(blocks);
  expect(text).toContain('Inlinks: 51\n');
  expect(text).toMatch(/From +Times +Anchor .*\n.*\/a +50 +Lamp .*\n.*\/a +1 +Home/);
  expect(drawBlocks(blocks).text).toContain('2 different links. Download all: <a href="/ask/download?');
});

test('a page shows what changed, and whether it is indexable, in both places', () => {
  const change = { change: 'title', before: 'Lamp', after: 'Red lamp' };
  const seen = { crawl_id: 'c1', crawl_number: 1, ended_at: '2026-03-09T00:00:00.000Z' };
  const found = {
    is_in_crawl: true,
    status_code: 200,
    is_indexable: false,
    non_indexable_reason: 'meta_noindex',
  };
  const state = { change: 'is_indexable', before: true, after: false };
  const history = [{ ...seen, ...found, previous_crawl_id: 'c0', changes: [change, state] }];
  const blocks = urlBlocks(story('https://shop.example/', { history } as unknown as Partial<UrlStory>));
  expect(printBlocks(blocks)).toMatch(
    /^2026-03-09 +200 +no: meta noindex .*Title: Lamp → Red lamp; Indexability: yes → no$/m,
  );
  expect(drawBlocks(blocks).text).toContain('Title: <del>Lamp</del> → <ins>Red lamp</ins>');
});

const storyOfPage = (page: object, more: Partial<UrlStory> = {}): UrlStory =>
  story('https://shop.example/a', {
    page: {
      status_code: null,
      is_indexable: false,
      non_indexable_reason: 'robots_denied',
      depth: 2,
      title: null,
      h1: null,
      meta_description: null,
      canonical_url: null,
      canonical_kind: null,
      nb_inlinks: 3,
      observation: null,
      observation_reason: null,
      ...page,
    } as unknown as UrlStory['page'],
    ...more,
  });
const unread = (page: object, more: Partial<UrlStory> = {}): string =>
  printBlocks(urlBlocks(storyOfPage(page, more)));

test('a title that the data of the crawl lacks is unknown, not missing', () => {
  const empty = { title: 'unknown: the data of the crawl contains no titles' };
  const read = { status_code: 200, observation: 'read' };
  expect(unread(read, { empty })).toMatch(
    /Title unknown: the data of the crawl contains no titles\n.*no description/,
  );
  expect(unread(read)).toMatch(/no title\n.*no description/);
});

test('in a browser, the notice of a crawl comes before the two sections beside each other', () => {
  const crawl = { ...story('u').crawl, scope_note: '390 of 977 pages could not be read.' };
  const draw = (more: Partial<UrlStory>): string => drawUrl(storyOfPage({}, more)).text;
  const pair = /<div class="pair"><section><h2>Now<.*<section><h2>As a search result</s;
  expect(draw({ crawl })).toMatch(new RegExp(`could not be read.*${pair.source}`, 's'));
  expect(draw({})).toMatch(pair);
});

test.each([
  [
    { observation: 'not_requested', observation_reason: 'blocked_by_robots' },
    ['HTTP status   blocked by robots.txt', 'Not read: blocked by robots.txt.'],
  ],
  [
    { observation: 'not_requested', observation_reason: 'not_fetched' },
    ['HTTP status   not requested', 'Not read: not requested.'],
  ],
  [
    { observation: 'unreadable', observation_reason: 'no_answer' },
    ['HTTP status   no answer', 'Not read: no answer.'],
  ],
  [{ status_code: 301, observation: 'read' }, ['Not read: the URL redirects.']],
  [
    { status_code: 403, observation: 'refused', observation_reason: 'forbidden' },
    ['Not read: refused (403).'],
  ],
  [{ status_code: 410, observation: 'gone', observation_reason: 'removed' }, ['Not read: gone (410).']],
])('an unread page is not reported as having no title: %j', (page, lines) => {
  const text = unread(page);
  for (const one of lines) expect(text).toContain(one);
  expect(text).not.toMatch(/no title|no description/);
});

test('a read page shows what it lacks, and an error page shows its title', () => {
  expect(unread({ status_code: 200, observation: 'read' })).toMatch(/no title\n +no description/);
  const gone = { status_code: 404, observation: 'gone', observation_reason: 'not_found', title: 'Gone' };
  expect(unread(gone)).toContain('Gone');
});

test('"no link leads here" is shown only if the crawl covers the whole site', () => {
  expect(unread({ depth: null, nb_inlinks: 0 })).toContain('Crawl depth   no link leads here');
  expect(unread({ depth: null, nb_inlinks: 3 })).toContain('Crawl depth   unknown');
  const crawl = { ...story('u').crawl, scope_note: 'The crawl stopped at its limit of depth (3).' };
  expect(unread({ depth: null, nb_inlinks: 0 }, { crawl })).toContain('Crawl depth   unknown');
  expect(unread({ depth: null, nb_inlinks: null })).toContain('Crawl depth   unknown');
});
