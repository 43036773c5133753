import { expect, test } from 'vitest';
import type { AddressOf } from '../../../../src/app/answers/presentation/print-html.ts';
import type {
  ProjectReport,
  ReportIssue,
  TrendPoint,
} from '../../../../src/app/answers/report/read-site-report.ts';
import { reportPage } from '../../../../src/app/answers/report/report-page.ts';
import { addressOf } from '../../../../src/app/console/layout/addresses.ts';

const AT = new Date('2026-03-02T06:05:00Z');

function point(day: string, pages: number | null): TrendPoint {
  return {
    crawl_id: `c${day}`,
    ended_at: `2026-03-${day}T00:00:00.000Z`,
    pages,
    indexable_pages: pages,
    error_pages: 1,
    average_load_time: 120.55,
  };
}

function issue(rest: Partial<ReportIssue> = {}): ReportIssue {
  return {
    crawl_id: 'c02',
    issue: 'client_error',
    title: 'Client error',
    severity: 'high',
    weight: 1,

    pages: 12,
    new: 5,
    fixed: 2,
    missing: 0,
    new_clicks: null,
    trend: [7, null, 12],
    why_it_matters: 'People find nothing.',
    fix: 'Redirect the page',
    ...rest,
  };
}

function project(rest: Partial<ProjectReport> = {}): ProjectReport {
  return {
    project_id: 'p1',
    project_name: 'Shop',
    crawl_config_name: 'weekly',
    crawl_id: 'c02',
    previous_crawl_id: 'c01',
    ended_at: '2026-03-02T00:00:00.000Z',
    end_reason: 'ok',
    previous_ended_at: '2026-03-01T00:00:00.000Z',
    scope_note: null,
    missing_pages: [],
    issues: [issue()],
    trend: [point('01', 90), point('02', 1250)],
    statusTrend: [
      { crawl_id: 'c01', ended_at: '2026-03-01T00:00:00.000Z', status_code_range: 'ok', pages: 80 },
      { crawl_id: 'c02', ended_at: '2026-03-02T00:00:00.000Z', status_code_range: null, pages: 3 },
    ],
    statuses: [],
    funnel: [{ crawl_id: 'c02', known: 1250, fetched: 1200 }],
    changes: [{ crawl_id: 'c02', change: 'is_indexable', pages: 7 }],
    siteChanges: [],
    findings: [
      {
        crawl_id: 'c02',
        issue: 'client_error',
        title: 'Client error',
        severity: 'high',
        owner: 'server',
        fix: 'Redirect the page',
        priority: 76,
        pages: 12,
        new_pages: 5,
        clicks: 410,
        new_clicks: 40,
        search_bot_hits: null,
        example: 'https://shop.example/x',
        previous_crawl_id: 'c01',
        ranking_from_date: '2026-02-02',
        ranking_to_date: '2026-03-01',
        log_from_date: null,
        log_to_date: null,
        within: null,
      },
    ],
    ...rest,
  };
}

const count = (page: string, pattern: RegExp): number => page.match(pattern)?.length ?? 0;

test('a project shows its findings, its changes, and each chart with its figures and question', () => {
  const page = reportPage([project()], AT);
  expect(page).toContain('<h1>Crawl report: Shop</h1>');
  expect(page).toContain('Made 2026-03-02 06:05 UTC');
  expect(page).toContain('1,250 pages, 1,160 more than on 2026-03-01.');
  expect(page).toContain('https://shop.example/x');
  // Five charts and the trend of the issue.
  expect(count(page, /role="img"/g)).toBe(6);
  expect(count(page, /<details>/g)).toBe(5);
  expect(count(page, /--question q21_kpi_trend/g)).toBe(2);
  expect(page).not.toContain('crawl c02');
  expect(page).not.toMatch(/client_error|href="[^#]/);
  expect(page).toContain('Changes of Shop: most at Indexability, 7');
  expect(page).not.toMatch(/is.indexable/);
  // A value that is not known is not a zero.
  expect(reportPage([project({ trend: [point('01', null)] })], AT)).toMatch(
    /<td class="number"[^>]*>–<\/td>/,
  );
});

test('what to do first follows what got worse, and shows its reasons and unknown figures', () => {
  const page = reportPage([project()], AT);
  expect(page.indexOf('class="verdict"')).toBeLessThan(page.indexOf('<h3>What to do first</h3>'));
  expect(page.indexOf('<h3>What to do first</h3>')).toBeLessThan(page.indexOf('<h3>Issues</h3>'));
  const row =
    /aria-label="Table: What to do first of Shop"[\s\S]*?<tbody>([\s\S]*?)<\/tbody>/.exec(page)?.[1] ?? '';
  const text = row
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  expect(text).toBe('Client error Redirect the page. https://shop.example/x high server 12 5 410 76');
  expect(page).toContain('Clicks: 2026-02-02 to 2026-03-01.');
  expect(page).toContain('Bot hits are unknown: there are no log files for the days of this crawl.');
  expect(reportPage([project({ findings: [] })], AT)).toContain('No issue was found.');
});

test('what got worse is ordered by severity and clicks, not by the number of pages', () => {
  const low = { severity: 'low', weight: 0.3, fixed: 0 };
  const issues = [
    issue({ ...low, issue: 'http_1_0', title: 'Answer by HTTP/1.0', pages: 0, new: 0, fixed: 1170 }),
    issue({ ...low, issue: 'thin', title: 'Thin content', pages: 900, new: 900, new_clicks: 9 }),
    issue({ issue: 'server_error', title: 'Server error', pages: 90, new: 90, fixed: 0, new_clicks: 0 }),
    issue({ pages: 30, new: 26, fixed: 0, new_clicks: 410 }),
  ];
  const page = reportPage([project({ issues, trend: [] })], AT).replaceAll(/<[^>]+>/g, '');
  expect(page).toContain(
    'Worse since 2026-03-01: Client error on 26 new pages that 410 clicks lead to; Server error on 90 new pages; Thin content on 900 new pages that 9 clicks lead to.',
  );
});

test('changes to the website rank first in what got worse, by clicks at risk', () => {
  const blocked = { crawl_id: 'c02', segmentation: '(site)', segment: '(site)', before: null, after: null };
  const siteChanges = [
    { ...blocked, change: 'robots_denied', pages: 12, clicks: 8061 },
    { ...blocked, change: 'title', segmentation: '(directory)', segment: '/blog/', pages: 900, clicks: 40 },
    { ...blocked, change: 'robots_txt', segmentation: '(file)', pages: null, clicks: null },
    { ...blocked, change: 'server_error', pages: 7, clicks: null },
  ];
  const page = reportPage([project({ siteChanges })], AT).replaceAll(/<[^>]+>/g, '');
  expect(page).toContain(
    'Worse since 2026-03-01: robots.txt now blocks 12 pages that were indexable: 8,061 clicks at risk; the title of 900 pages changed in /blog/: 40 clicks at risk; robots.txt changed; 7 pages newly answer with a server error.',
  );
  // There are 1,160 more indexable pages, and pages that people came to were lost.
  expect(page).toContain('Better since 2026-03-01: nothing.');
  const [, title] = siteChanges;
  const retitled = reportPage([project({ siteChanges: title === undefined ? [] : [title] })], AT);
  expect(retitled).toContain('1,160 more indexable pages');
});

test('pages not read again rank first in what got worse, and more indexable pages then count as no gain', () => {
  const missing_pages = [
    { reason: 'blocked_by_robots', pages: 838 },
    { reason: 'not_linked', pages: 2 },
  ];
  const issues = [issue({ new: 0, fixed: 2, missing: 236 })];
  const one = project({
    issues,
    missing_pages,
    previous_crawl_id: 'c01',
    scope_note: 'It stopped at depth 3.',
  });
  const page = reportPage([one], AT).replaceAll(/<[^>]+>/g, ' ');
  expect(page).toContain(
    'Worse since 2026-03-01:  840 pages of the previous crawl not read (838 blocked by robots.txt, 2 no longer linked).',
  );
  expect(page).not.toContain('more indexable pages');
  expect(page).toContain('It stopped at depth 3.');
  expect(page).toMatch(/New\s+Fixed\s+Missing/);
});

test('two sentences with links to the console summarize improvements and regressions', () => {
  const fixed = issue({ issue: 'missing_title', title: 'Missing title', pages: 0, new: 0, fixed: 9 });
  const one = project({ issues: [issue(), fixed], previous_crawl_id: 'c01' });
  const link: AddressOf = (to) => `https://console.example${addressOf(to)}`;
  const page = reportPage([one], AT, { link }).replaceAll(/<[^>]+>/g, '');
  expect(page).toContain(
    'Better since 2026-03-01: 1,160 more indexable pages; Missing title on 9 fewer pages.',
  );
  expect(page).toContain('Worse since 2026-03-01: Client error on 5 new pages (2 fixed).');
  const linked = reportPage([one], AT, { link });
  expect(linked).toContain('<h2><a href="https://console.example/projects/p1">Shop</a></h2>');
  for (const parts of ['crawl=c02&amp;issue=client_error', 'crawl=c02&amp;issue=client_error&amp;change=new'])
    expect(linked).toContain(`<a href="https://console.example/projects/p1/pages?${parts}">`);
  expect(linked).toContain('status_code_range=is%3Anull');
  const alone = reportPage([project({ previous_ended_at: null, issues: [] })], AT);
  expect(alone).not.toMatch(/Better|Worse/);
});

test('new pages are unknown without a previous crawl, and with one they are known only for some issues', () => {
  const [found] = project().findings;
  const page = (rest: object, news: number | null = 5): string =>
    reportPage(
      [
        project({ findings: [{ ...found, ...rest }], issues: [issue({ new: news })] }),
        project({ issues: [issue({ new: news })] }),
      ],
      AT,
    );
  const none = 'there is no previous crawl.';
  const some = 'New pages are unknown for issues that depend on days';
  expect(page({ new_pages: null, previous_crawl_id: null })).toContain(none);
  // All rows that are shown, while others have new pages.
  expect(page({ new_pages: null })).toContain(some);
  expect(page({ new_pages: null })).not.toContain(none);
  expect(page({})).not.toMatch(/New pages are unknown/);
  const sums = (news: number | null): readonly string[] =>
    [...page({}, news).matchAll(/data-name="New pages with them"[^>]*>([^<]*)</g)].map(
      ([, text = '']) => text,
    );
  expect([sums(5), sums(null)]).toEqual([
    ['5', '5'],
    ['–', '–'],
  ]);
});

test('further issues are collapsed, and each explains why it matters and how to fix it', () => {
  const issues = Array.from({ length: 14 }, (_, at) => issue({ issue: `issue_${at}`, title: `Issue ${at}` }));
  const page = reportPage([project({ issues })], AT);
  expect(page).toContain('<summary>2 more issues</summary>');
  expect(count(page, /People find nothing. <strong>To do:<\/strong> Redirect the page\./g)).toBe(14);
});

test('names in the data are escaped, also in charts', () => {
  const name = `"><script>alert(1)</script>&amp;'`;
  const [found] = project().findings;
  const rows = [{ ...found, issue: name, title: name, fix: name, owner: name, example: name }];
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

test('a first crawl, no crawl and a thousand projects each produce a report', () => {
  const first = project({
    previous_crawl_id: null,
    previous_ended_at: null,
    changes: [],
    findings: [],
    issues: [],
    trend: [point('02', 1)],
  });
  const one = reportPage([first], AT);
  expect(one).toContain('There is no previous crawl');
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

test("a letterhead shows client, author and logo, and the author's text appears above the figures", () => {
  const logo = 'data:image/png;base64,aGk=';
  const remark = 'Two things <b>only</b>.\nThe rest can wait.';
  const page = reportPage([project()], AT, {
    letterhead: { client: 'Tea & Co', author: 'Ada', logo, remark },
  });
  expect(page).toContain('For Tea &amp; Co. Made 2026-03-02 06:05 UTC by Ada.');
  expect(page).toContain(`<img src="${logo}" alt="">`);
  expect(page).toContain('Two things &lt;b&gt;only&lt;/b&gt;.\nThe rest can wait.');
  expect(reportPage([project()], AT)).toContain('Made 2026-03-02 06:05 UTC by crawlhouse.');
});

test('each issue shows its trend, clicks and hits', () => {
  const page = reportPage([project()], AT);
  expect(page).toContain('Pages with Client error in the last crawls: 7, unknown, 12');
  expect(page).toContain(
    '<td class="number" data-name="Clicks">410</td><td class="number" data-name="Bot hits">–</td>',
  );
});

test('a printed report shows every issue, including collapsed ones', () => {
  const issues = Array.from({ length: 30 }, (_, index) =>
    issue({ issue: `i${index}`, title: `Issue ${index}` }),
  );
  const page = reportPage([project({ issues })], AT);
  expect(page).toContain('<details class="all"><summary>18 more issues</summary>');
  expect(page).toContain('details.all { display: block; }');
});

test('issues with one cause are one row of what to do first, with related issues below', () => {
  const [error] = project().findings;
  const found = (rest: object) => ({ ...error, within: null, ...rest });
  const sitemap = { issue: 'error_in_sitemap', title: 'Error in a sitemap', priority: 60, pages: 9 };
  const others = { issue: 'slow', title: 'Slow', priority: 50 };
  const shown = (...findings: ProjectReport['findings'][number][]): (string | undefined)[] => {
    const page = reportPage([project({ findings })], AT, { link: (to) => addressOf(to) });
    const table = page.slice(page.indexOf('What to do first'), page.indexOf('Priority, 0 to 100'));
    return [...table.matchAll(/<a href="([^"]*issue=[^"]*)">([^<]*)</g)].map(([, , text]) => text);
  };
  const behind = found({ ...sitemap, within: ['client_error'] });
  expect(shown(found({}), behind, found(others))).toEqual([
    'Client error',
    '9 of these pages: Error in a sitemap',
    '12',
    '5',
    'Slow',
    '12',
    '5',
  ]);
  // What a page became stands above what it is.
  const became = found({ issue: 'became_non_indexable', title: 'Became non-indexable', priority: 77 });
  const state = found({ issue: 'noindex', title: 'Noindex', pages: 8, within: ['became_non_indexable'] });
  expect(shown(became, state)).toEqual(['Became non-indexable', '8 of these pages: Noindex', '12', '5']);
  // Where only some pages are the same, or the wider one is not above it, each has its row.
  expect(shown(found({}), found(sitemap))).toContain('Error in a sitemap');
  expect(shown(behind, found({}))).toContain('Error in a sitemap');
});
