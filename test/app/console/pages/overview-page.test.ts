import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../src/app/console/page-parts/console-page.ts';
import { OVERVIEW } from '../../../../src/app/console/pages/overview-page.ts';

const SITE = {
  project_id: 'p1',
  project_name: 'Shop',
  crawls: 2,
  crawl_id: 'c2',
  crawl_number: 2,
  ended_at: '2026-03-08T03:00:00Z',
  is_comparable: true,
  scope_note: null as string | null,
  previous_crawl_id: 'c1',
  pages: 100,
  pages_change: 0,
  indexable_pages: 90,
  indexable_pages_change: 1,
  error_pages: 3,
  error_pages_change: 0,
  clicks: 40,
  clicks_change: 4,
  all_clicks: 55,
  clicks_change_reason: null,
  ranking_from_date: '2026-02-08',
  ranking_to_date: '2026-03-07',
  new_issues: 2,
  fixed_issues: 1,
  missing_issues: 0,
  unseen_issues: 0,
  uncompared_issues: 0,
  last_crawl_id: 'c2',
  last_crawl_number: 2,
  last_ended_at: '2026-03-08T03:00:00Z',
  last_end_reason: null,
  last_is_comparable: true,
  last_has_pages: true,
  marks: [] as object[],
  trend: [],
  changes: [] as object[] | null,
  changes_reason: null as string | null,
};
const EMPTY = {
  sites: [] as object[],
  paging: { page: 1, pages: 1, size: 25, total: 0 },
  total: 0,
  marked: 0,
  problem: null as object | null,
  incidents: [] as string[],
  live: null,
  crawling: null as object | null,
  can_crawl: false,
  can_connect: false,
};

function draw(more: Partial<typeof EMPTY>, query = '') {
  const request = {
    query: new URLSearchParams(query),
    session: { subject: 's', role: 'viewer', csrf: 'secret' },
  } as PageRequest;
  const { body, location } = OVERVIEW.draw({ ...EMPTY, ...more }, request);
  return { text: body.text, location };
}
const site = (more: object = {}) =>
  draw({ total: 2, sites: [{ ...SITE, ...more }, SITE], paging: { ...EMPTY.paging, total: 2 } }).text;

test('the page of an only site is opened, unless the address asks for the list', () => {
  const one = { sites: [SITE], total: 1 };
  expect(draw(one).location).toBe('/projects/p1');
  expect(draw(one, 'all=1').location).toBeNull();
  expect(draw({ sites: [SITE, SITE], total: 2 }).location).toBeNull();
  expect(draw({}).location).toBeNull();
});

test('without a publication the page says how to begin', () => {
  expect(draw({}).text).toContain('Run <code>crawlhouse run</code>');
  expect(draw({}).text).not.toMatch(/No incident is open|with a mark|Crawl a website/);
  const open = draw({ can_crawl: true }).text;
  expect(open).toContain('<h2 id="website">Crawl a website</h2>');
  expect(open).not.toMatch(/Connect an account|button main" href="\/start"/);
  expect(draw({ can_crawl: true, can_connect: true }).text).toContain('Connect an account');
  const problem = { message: 'No models.', hint: 'build them' };
  expect(draw({ problem }).text).toContain('No models. To do: build them');
  expect(draw({ problem }).text).not.toContain('No crawl is published yet');
});

test('incidents, a running crawl and the sites with marks come first', () => {
  const two = { sites: [SITE, SITE], total: 2 };
  expect(draw(two).text).toContain('No incident is open.');
  expect(draw({ ...two, incidents: ['late'] }).text).toMatch(/One incident is open: late <a/);
  expect(draw({ ...two, incidents: ['late', 'old'] }).text).toMatch(/2 incidents are open: late … <a/);
  expect(draw({ incidents: ['late'] }).text).toContain('One incident is open');
  expect(draw({ ...two, crawling: { start_url: 'https://a.example/', state: 'paused' } }).text).toContain(
    'A crawl of https://a.example/ is paused.',
  );
  expect(draw(two).text).not.toContain('A crawl of');
  expect(draw(two).text).toContain('2 sites, none with a mark');
  expect(draw({ ...two, marked: 1 }).text).toContain('2 sites, 1 with a mark');
  expect(draw({ ...two, can_crawl: true }).text).toContain('href="/start">Crawl a website');
  expect(draw({ total: 2 }).text).toContain('No project matches this name.');
  expect(draw(two).text).not.toMatch(/No project matches|type="search"/);
  expect(draw({ ...two, total: 25 }).text).not.toContain('type="search"');
  expect(draw({ ...two, total: 26 }).text).toContain('type="search"');
});

test('a site has its crawl, its marks and its figures', () => {
  const text = site();
  expect(text).toContain('aria-label="Issues of Shop"');
  expect(text).toMatch(/last crawl .* ago/);
  expect(text).toContain('<dl class="kpis">');
  expect(text).not.toMatch(/No pages are loaded|class="mark|site marked/);
  const none = site({ crawl_id: null, last_ended_at: null, marks: [] });
  expect(none).toContain('No pages are loaded.');
  expect(none.match(/last crawl/g)).toHaveLength(1);
  expect(none.match(/class="kpis"/g)).toHaveLength(1);
  const marks = ['a', 'b', 'c'].map((text) => ({ kind: 'warn', text }));
  expect(site({ marks })).toMatch(
    /<p class="mark warn">b<\/p>\s*<p class="mark"><a href="\/projects\/p1">1 more/,
  );
  expect(site({ marks: marks.slice(1) })).not.toContain(' more</a>');
  expect(site({ marks })).not.toContain('site marked');
  expect(site({ marks: [{ kind: 'bad', text: 'x' }] })).toContain('<li class="site marked">');
  expect(site({ scope_note: 'Only a part.' })).toContain('<p class="facts">Only a part.</p>');
  expect(site({ project_name: null })).toContain('aria-label="Issues of p1"');
});

test('the changes of a site are listed, unknown for a reason, or still being read', () => {
  expect(site()).toContain('No compared issue has new pages.</p>');
  expect(site({ changes: null, changes_reason: 'ended early' })).toContain('Changes: ended early.');
  expect(site({ changes: null })).toContain('data-pending');
  expect(site()).not.toContain('data-pending');
  expect(site({ uncompared_issues: 1, unseen_issues: 2 })).toContain(
    'Unknown: 1 issue that was not compared, 2 findings on pages',
  );
  expect(site({ uncompared_issues: 2 })).toContain('Unknown: 2 issues that were not compared.');
});

test('the figures of a site have their changes, or why these are unknown', () => {
  const text = site();
  expect(text).toContain('<span class="good">+1</span>');
  expect(text).toContain('<small>1 fixed</small>');
  expect(text).toMatch(/2026-02-08<\/span> to|2026-02-08 to 2026-03-07/);
  expect(text).toContain('on all URLs');
  const first = site({ previous_crawl_id: null, new_issues: null, indexable_pages_change: null });
  expect(first).toContain('<small>no previous crawl</small>');
  const early = { previous_crawl_id: null, is_comparable: false, indexable_pages_change: null };
  expect(site(early)).toContain('<small>ended early</small>');
  expect(site({ indexable_pages_change: null })).toContain('<small>unknown for the previous crawl</small>');
  expect(site({ clicks: null, clicks_change: null })).toContain(
    '<small>no search results for its days</small>',
  );
  expect(site({ clicks_change: null, clicks_change_reason: 'other days' })).toContain(
    '<small>other days</small>',
  );
});
