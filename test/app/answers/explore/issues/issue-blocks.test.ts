import { expect, test } from 'vitest';
import { issueBlocks, subjectName } from '../../../../../src/app/answers/explore/issues/issue-blocks.ts';
import type { IssueList, ListedIssue } from '../../../../../src/app/answers/explore/issues/issue-list.ts';
import { printBlocks } from '../../../../../src/app/answers/presentation/print-blocks.ts';
import { drawBlocks } from '../../../../../src/app/console/layout/addresses.ts';
import { CATEGORIES } from '../../../../../src/etl/project/sql/models/load-issues.ts';

const THIN: ListedIssue = {
  project: 'Shop',
  crawl_id: 'c2',
  issue: 'thin',
  title: 'Thin content',
  severity: 'low',

  category: 'content',
  pages: 3,
  new: 1,
  fixed: 0,
  missing: 0,
  remaining: 2,
  unseen: 0,
  definition: 'few words',
  why_it_matters: 'It says little.',
  fix: 'Write more',
  owner: 'content',
  mended_by: 'content',
  source: 'https://x.example/thin',
  priority: 20,
  clicks: 0,
  search_bot_hits: null,
  example: 'https://shop.example/a',
  trend: [2, null, 3],

  ranking_from_date: '2026-01-01',
  ranking_to_date: '2026-01-28',
  log_from_date: null,
  log_to_date: null,
};
const GONE: ListedIssue = {
  ...THIN,
  issue: 'no_h1',
  title: 'Missing H1',
  severity: 'medium',
  category: 'titles_and_headings',
  pages: 0,
  new: 0,
  fixed: 4,
  missing: 2,
  remaining: 0,
  priority: null,
  example: null,
  trend: [],
};
const LIST: IssueList = {
  project: 'Shop',
  project_id: 'p',
  crawl_id: 'c2',
  ended_at: '2026-02-01T03:00:00.000Z',

  previous_crawl_id: 'c1',
  previous_ended_at: null,
  is_in_trends: true,
  scope_note: null,
  none: 5,
  unknown: 1,
  segmentation: '(directory)',
  segment: 'lamps',
  issues: [THIN, GONE],
  categories: ['content'],
  subjects: [{ category: 'content', pages: 3, clicks: 0, search_bot_hits: null }],
};

function printed(list: IssueList): string {
  const { caption, sum, table, notes } = issueBlocks(list);
  return printBlocks([caption, sum, table, ...notes]);
}

test('a terminal shows issues grouped by subject, with the names that commands accept', () => {
  expect(printed(LIST)).toBe(
    `Shop, crawl of 2026-02-01 03:00 UTC (c2), segment lamps of directory, compared with none
1 issue: 0 high, 0 medium, 1 low; and 1 issue with only fixed or missing pages
Issue                                            Severity  Name   Pages  New  Fixed  Missing  Clicks
Content · 1 issue                                                     3    1      0        0       0
  Thin content                                   low       thin       3    1      0        0       0
Titles and headings · 0 issues, 1 without pages                            0      4        2
  Missing H1                                     medium    no_h1      0    0      4        2       0
5 issues on no page, 1 issue unknown: their fields, hits or search results are not loaded.
Each subject counts a page once, and every new or fixed finding of the known issues.
Clicks: 2026-01-01 to 2026-01-28. Bot hits are unknown: there are no log files for the days of this crawl.
`,
  );
});

test('pages of ignored tickets stay in the page count, and have their own count and link', () => {
  const ignoring = {
    ...LIST,
    issues: [
      { ...THIN, ignored: 2 },
      { ...GONE, ignored: 0 },
    ],
  };
  // All, ignored, to fix, new.
  expect(printed(ignoring)).toMatch(/^ {2}Thin content +low +thin +3 +2 +1 +1 /m);
  expect(printed({ ...LIST, issues: [{ ...THIN, ignored: 0 }] })).not.toContain('Ignored');
  const { text } = drawBlocks([issueBlocks(ignoring, 'thin').table]);
  expect(text).toContain(
    '/projects/p/pages?crawl=c2&amp;issue=thin&amp;is_ignored=is%3Atrue&amp;segment=%28directory%29%3Alamps',
  );
});

test('an issue whose pages are all ignored leaves the counts, which say so', () => {
  const all = { ...LIST, issues: [{ ...THIN, ignored: 3 }, GONE] };
  expect(printed(all)).toContain(
    '0 issues: 0 high, 0 medium, 0 low; and 1 issue only on ignored pages; and 1 issue with only fixed or missing pages\n',
  );
  const { text } = drawBlocks([issueBlocks({ ...LIST, issues: [{ ...THIN, ignored: 1 }] }).table]);
  expect(text).toContain('is_ignored=is%3Afalse');
});

test('each issue has the states and owners of its tickets, those of the crawls first', () => {
  const tickets = [
    { id: 'a', owner: 'Ada', state: 'done', effective_state: 'reopened' },
    { id: 'b', owner: null, state: 'in_progress', effective_state: null },
  ] as const;
  const list = { ...LIST, issues: [{ ...THIN, tickets }, GONE] };
  expect(printed(list)).toMatch(/^Issue .* Tickets$/m);
  expect(printed(list)).toMatch(/^ {2}Thin content .* reopened: Ada; in progress$/m);
  expect(printed(LIST)).not.toContain('Tickets');
});

test('if no issue can be compared, new findings are unknown, never 0', () => {
  const since = { ...LIST, previous_ended_at: '2026-01-25T03:00:00.000Z' };
  expect(printed(since)).toContain('1 new findings, 4 fixed;');
  expect(printed(since)).toContain('2 earlier findings missing: the crawl did not read these pages again,');
  const alone = { ...THIN, new: null, fixed: null, missing: null, remaining: null };
  expect(printed({ ...since, issues: [alone] })).toContain('New and fixed findings are unknown:');
});

test('a browser explains an issue next to the list, and has links where a terminal has names', () => {
  const { text } = drawBlocks([issueBlocks(LIST, 'thin').table]);
  expect(text).not.toMatch(/>Name<|>thin</);
  expect(text.match(/<details class="beside" name="Issues" open>/g)).toHaveLength(1);
  expect(text).toMatch(/<h2>To do<\/h2>\s*<p class="facts">Write more. Owner: content.<\/p>/);
  expect(text).toMatch(
    /Severity<\/th><th scope="col">Last 3 crawls<\/th><th scope="col" class="number">Pages</,
  );
  expect(text).toContain('aria-label="Pages with Thin content in the last crawls: 2, unknown, 3"');
  const link = '/projects/p/pages?crawl=c2&amp;issue=thin&amp;change=new&amp;segment=%28directory%29%3Alamps';
  expect(text).toContain(link);
});

test('a segment without clicks or hits data has no columns for them', () => {
  const issues = [{ ...THIN, clicks: null }];
  expect(printed({ ...LIST, issues, subjects: null })).toMatch(/^Issue +Severity +Name +Pages +New +Fixed$/m);
  expect(printed({ ...LIST, issues: [], categories: [] })).toContain('No issue was found on any page.');
});

test('each subject of issues has a readable name', () => {
  for (const category of CATEGORIES) expect(subjectName(category)).toMatch(/^[A-Z][A-Za-z ]+$/);
});
