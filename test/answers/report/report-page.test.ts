import { expect, test } from 'vitest';
import type { ProjectReport, ReportIssue, TrendPoint } from '../../../src/answers/report/read-site-report.ts';
import { type ConsoleLink, reportPage } from '../../../src/answers/report/report-page.ts';

const AT = new Date('2026-03-02T06:05:00Z');

function point(day: string, pages: number | null): TrendPoint {
  return {
    ...{ crawl_id: `c${day}`, ended_at: `2026-03-${day}T00:00:00.000Z`, pages },
    ...{ indexable_pages: pages, error_pages: 1, average_load_time: 120.55 },
  };
}

function issue(rest: Partial<ReportIssue> = {}): ReportIssue {
  return {
    ...{ crawl_id: 'c02', issue: 'client_error', title: 'Client error', severity: 'high', weight: 1 },
    ...{ pages: 12, new: 5, fixed: 2, why_it_matters: 'People find nothing.', fix: 'Redirect the page' },
    ...rest,
  };
}

function project(rest: Partial<ProjectReport> = {}): ProjectReport {
  return {
    ...{ project_id: 'p1', project_name: 'Shop', crawl_config_name: 'weekly', crawl_id: 'c02' },
    ...{ previous_crawl_id: 'c01', ended_at: '2026-03-02T00:00:00.000Z', end_reason: 'ok' },
    previous_ended_at: '2026-03-01T00:00:00.000Z',
    issues: [issue()],
    trend: [point('01', 90), point('02', 1250)],
    statusTrend: [
      { crawl_id: 'c01', ended_at: '2026-03-01T00:00:00.000Z', status_code_range: 'ok', pages: 80 },
      { crawl_id: 'c02', ended_at: '2026-03-02T00:00:00.000Z', status_code_range: null, pages: 3 },
    ],
    statuses: [],
    funnel: [{ crawl_id: 'c02', known: 1250, fetched: 1200 }],
    changes: [{ crawl_id: 'c02', change: 'title', pages: 7 }],
    findings: [
      {
        crawl_id: 'c02',
        issue: 'client_error',
        severity: 'high',
        pages: 12,
        example: 'https://shop.example/x',
      },
    ],
    ...rest,
  };
}

const count = (page: string, pattern: RegExp): number => page.match(pattern)?.length ?? 0;

test('a project has its findings, its changes, and each chart with its figures and its question', () => {
  const page = reportPage([project()], AT);
  expect(page).toContain('<h1>Crawl report: Shop</h1>');
  expect(page).toContain('Made 2026-03-02 06:05 UTC');
  expect(page).toContain('1,250 pages, 1,160 more than on 2026-03-01.');
  expect(page).toContain('https://shop.example/x');
  expect(count(page, /role="img"/g)).toBe(5);
  expect(count(page, /<details>/g)).toBe(5);
  expect(count(page, /--question q21_kpi_trend/g)).toBe(2);
  expect(page).not.toContain('crawl c02');
  expect(page).not.toMatch(/client_error|href="[^#]/);
  // A value that is not known is not a zero.
  expect(reportPage([project({ trend: [point('01', null)] })], AT)).toContain('<td class="number">–</td>');
});

test('three sentences say what got better, what got worse and what to do first, with links to the console', () => {
  const fixed = issue({ issue: 'missing_title', title: 'Missing title', pages: 0, new: 0, fixed: 9 });
  const one = project({ issues: [issue(), fixed], previous_crawl_id: 'c01' });
  const link: ConsoleLink = (id, parts) => `https://console.example/${id}?${new URLSearchParams(parts)}`;
  const page = reportPage([one], AT, { link }).replaceAll(/<[^>]+>/g, '');
  expect(page).toContain(
    'Better since 2026-03-01: 1,160 more indexable pages; Missing title on 9 fewer pages.',
  );
  expect(page).toContain('Worse since 2026-03-01: Client error on 3 more pages.');
  expect(page).toContain('Do this first: Client error, on 12 pages (5 new). Redirect the page.');
  const linked = reportPage([one], AT, { link });
  expect(linked).toContain('<h2><a href="https://console.example/p1?">Shop</a></h2>');
  for (const parts of ['crawl=c02&amp;issue=client_error', 'crawl=c02&amp;issue=client_error&amp;change=new'])
    expect(linked).toContain(`<a href="https://console.example/p1?${parts}">`);
  expect(linked).toContain('status_code_range=is%3Anull');
  const alone = reportPage([project({ previous_ended_at: null, issues: [] })], AT);
  expect(alone).not.toMatch(/Better|Worse/);
  expect(alone).toContain('nothing, no issue was found');
});

test('issues beyond the first are folded, and each says why it matters and how to mend it', () => {
  const issues = Array.from({ length: 14 }, (_, at) => issue({ issue: `issue_${at}`, title: `Issue ${at}` }));
  const page = reportPage([project({ issues })], AT);
  expect(page).toContain('<summary>2 more issues</summary>');
  expect(count(page, /People find nothing. <strong>To do:<\/strong> Redirect the page\./g)).toBe(14);
});

test('names of the data are texts, not markup, also within the drawings', () => {
  const name = `"><script>alert(1)</script>&amp;'`;
  const rows = [{ crawl_id: 'c', issue: name, severity: 'low', pages: 1, example: name }];
  const statuses = [
    { crawl_id: name, ended_at: '2026-03-01T00:00:00.000Z', status_code_range: name, pages: 1 },
  ];
  const page = reportPage(
    [
      project({
        project_name: name,
        findings: rows,
        issues: [issue({ issue: name, title: name, fix: name })],
        statusTrend: statuses,
      }),
    ],
    AT,
  );
  expect(page).not.toContain('<script');
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});

test('a first crawl, no crawl at all and a thousand projects have their pages', () => {
  const first = project({
    previous_crawl_id: null,
    previous_ended_at: null,
    changes: [],
    findings: [],
    issues: [],
    trend: [point('02', 1)],
  });
  const one = reportPage([first], AT);
  expect(one).toContain('There is no crawl before it');
  expect(one).toContain('Nothing was found.');
  expect(one).not.toMatch(/NaN|undefined|Infinity/);
  expect(reportPage([], AT)).toContain('No project has a loaded crawl yet.');
  const bare = project({ trend: [], statusTrend: [], funnel: [], ended_at: null, end_reason: null });
  expect(reportPage([bare], AT)).not.toMatch(/NaN|undefined|Infinity/);
  const many = reportPage(
    Array.from({ length: 1000 }, (_, index) => ({ ...bare, project_name: `Site ${index}` })),
    AT,
  );
  expect(many).toContain('<h1>Crawl report: 1,000 projects</h1>');
  expect(count(many, /<section id="p\d+">/g)).toBe(1000);
  expect(many).toContain('<a href="#p999">Site 999</a>');
});

test('charts over time mark the notes of the project and of all projects, and the report lists them', () => {
  const notes = [
    { date: '2026-03-02', kind: 'deployment', text: 'New menu' },
    { date: '2026-03-02', project: 'Shop', kind: 'migration', text: 'To https' },
    { date: '2026-03-02', project: 'Blog', kind: 'other', text: 'Not ours' },
  ] as const;
  const page = reportPage([project()], AT, { notes });
  expect(page).toContain('<li>2026-03-02 deployment: New menu</li>');
  expect(page).toContain('<li>2026-03-02 migration: To https</li>');
  expect(page).not.toContain('Not ours');
  // Four panels of lines and one of bars have a mark of each.
  expect(count(page, /2026-03-02, deployment: New menu/g)).toBeGreaterThanOrEqual(3);
});
