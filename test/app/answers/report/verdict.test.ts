import { expect, test } from 'vitest';
import { verdictOf } from '../../../../src/app/answers/report/verdict.ts';

type Report = Parameters<typeof verdictOf>[0];
const issue = (title: string, more: object = {}) => ({
  title,
  weight: 1,
  new: 0 as number | null,
  fixed: 0,
  missing: 0,
  new_clicks: null,
  ...more,
});
const verdict = (more: object) =>
  verdictOf({
    previous_ended_at: '2026-03-01T03:00Z',
    previous_crawl_id: 'c1',
    siteChanges: [],
    missing_pages: [],
    trend: [],
    issues: [],
    ...more,
  } as unknown as Report);
const trend = (before: number | null, now: number | null) => [
  { crawl_id: 'c1', indexable_pages: before },
  { crawl_id: 'c2', indexable_pages: now },
];

test('without a previous crawl there is no verdict, and without a change nothing', () => {
  expect(verdict({ previous_ended_at: null })).toEqual({ better: null, worse: null });
  expect(verdict({})).toEqual({ better: 'nothing.', worse: 'nothing.' });
  expect(verdict({ issues: [issue('A'), issue('B', { new: null })], trend: trend(3, 3) })).toEqual({
    better: 'nothing.',
    worse: 'nothing.',
  });
});

test.each([
  [{ new: 3 }, 'A on 3 new pages.', 'nothing.'],
  [{ new: 1, new_clicks: 1 }, 'A on 1 new page that 1 click leads to.', 'nothing.'],
  [{ new: 3, fixed: 1, new_clicks: 2 }, 'A on 3 new pages that 2 clicks lead to (1 fixed).', 'nothing.'],
  [{ new: 3, fixed: 1, missing: 2 }, 'A on 3 new pages (1 fixed, 2 missing).', 'nothing.'],
  [{ new: 1, fixed: 3 }, 'nothing.', 'A on 2 fewer pages.'],
  [{ new: 2, fixed: 3 }, 'nothing.', 'A on 1 fewer page.'],
  [{ new: 3, fixed: null }, 'nothing.', 'nothing.'],
])('an issue with %j', (more, worse, better) => {
  expect(verdict({ issues: [issue('A', more)] })).toEqual({ better, worse });
});

test('the three most important changes come first, by severity, clicks and pages', () => {
  const issues = [
    issue('small', { new: 1 }),
    issue('large', { new: 9 }),
    issue('clicked', { new: 2, new_clicks: 5 }),
    issue('severe', { new: 1, weight: 3 }),
  ];
  expect(verdict({ issues }).worse).toMatch(/^severe on .*; clicked on .*; large on 9 new pages\.$/);
});

test('more indexable pages are better, unless others were lost', () => {
  expect(verdict({ trend: trend(3, 5) })).toEqual({ better: '2 more indexable pages.', worse: 'nothing.' });
  expect(verdict({ trend: trend(5, 4) })).toEqual({ better: 'nothing.', worse: '1 fewer indexable page.' });
  for (const known of [trend(null, 3), trend(3, null), []])
    expect(verdict({ trend: known }).better).toBe('nothing.');
  const missing_pages = [{ reason: 'blocked_by_robots', pages: 2 }];
  expect(verdict({ trend: trend(3, 5), missing_pages }).better).toBe('nothing.');
  expect(verdict({ trend: trend(5, 3), missing_pages }).worse).toMatch(/; 2 fewer indexable pages\.$/);
});

test('pages that were not read again are worse, unless a change of the website says so', () => {
  const missing_pages = [{ reason: 'blocked_by_robots', pages: 2 }];
  expect(verdict({ missing_pages }).worse).toMatch(/^2 pages of the previous crawl not read \(/);
  const siteChanges = [{ change: 'robots_denied', pages: 2, clicks: 0 }];
  expect(verdict({ missing_pages, siteChanges }).worse).not.toContain('not read (');
  expect(verdict({ missing_pages: [{ reason: 'blocked_by_robots', pages: 0 }] }).worse).toBe('nothing.');
});
