import { expect, test } from 'vitest';
import {
  crawlProgress,
  describeCrawl,
  describeFetched,
} from '../../../../src/app/cli/reports/crawl-report.ts';
import type { Crawl } from '../../../../src/client/resources/crawls.ts';

const REPORT = {
  crawl_id: 'c1',
  end_reason: 'max_url_reached',
  fetched_urls: 3,
  last_depth: 1,
  statuses: [],
  funnel: [],
  changes: [],
  scope_note: null,
  more_questions: { logs: [], demand: [] },
};

test('what to do first comes first, and the next command shows all issues', () => {
  const found = { severity: 'high', owner: 'server', new_pages: 1, search_bot_hits: null };
  const days = { ranking_from_date: null, ranking_to_date: null, log_from_date: null, log_to_date: null };
  const more = {
    title: 'Client error',
    fix: 'Redirect it',
    new_clicks: 0,
    previous_crawl_id: null,
    within: null,
  };
  const findings = [
    {
      ...found,
      ...days,
      ...more,
      priority: 76,
      issue: 'client_error',
      pages: 2,
      clicks: 6,
      example: 'https://a.example/',
    },
  ];
  const text = describeCrawl({ ...REPORT, funnel: [{ known: 3 }], findings });
  expect(text.trimStart()).toMatch(`What to do first
priority  issue         severity  owner   pages  new  clicks  bot_hits  example
      76  client_error  high      server      2    1       6         -  https://a.example/

Indexability`);
  expect(text).toContain('\nNext: crawlhouse issues --crawl c1\n');
});

test('a crawl that does not cover the whole site starts with a notice', () => {
  const scope_note = 'The crawl stopped at its limit of URLs. Other pages were not requested.';
  expect(describeCrawl({ ...REPORT, findings: [], scope_note }).trimStart()).toMatch(/^The crawl stopped at/);
});

test('questions that lack logs or search data are named, with the commands that load the data', () => {
  const more_questions = { logs: ['q16_bot_hits', 'q25_freshness'], demand: ['q28_decay'] };
  expect(describeCrawl({ ...REPORT, findings: [], more_questions })).toContain(
    `With access logs, 2 more questions can answer (q16, q25): crawlhouse logs add FILE…
With search data, 1 more question can answer (q28): crawlhouse demand add FILE…
`,
  );
});

test('percentages of statuses are rounded half up, as question 5 does', () => {
  const crawl = {
    id: 'c1',
    project_id: 'p1',
    status: 'done',
    fetched_urls: 799,
    last_depth: 2,
    end_reason: 'ok',
  };
  const statuses = [
    { status_code: 200, pages: 799 },
    { status_code: null, pages: 1 },
  ];
  expect(describeFetched(crawl as Crawl, { statuses, issues: [{ issue: 'noindex', pages: 3 }] })).toBe(`
799 pages fetched, depth 2: ok

Statuses
status_code  pages  pages_percent
        200    799           99.9
          -      1            0.1

First issues
issue    pages
noindex      3
`);
  expect(describeFetched(crawl as Crawl, { statuses: [], issues: [] })).toBe(
    '\n799 pages fetched, depth 2: ok\n',
  );
});

const FETCHING = {
  phase: 'fetch',
  isPaused: false,
  depth: 3,
  counts: {
    fetched_2xx: 1000,
    fetched_3xx: 1,
    fetched_4xx: 2,
    fetched_5xx: 3,
    unfetched_exception: 4,
    unfetched_robots_denied: 0,
    queued_urls: 60,
  },
  by_depth: [],
  samples: [],
  jobs: [],
  slowest: null,
  new_pages: null,
  findings: [],
  looked: null,
  urls_per_second: 10,
  side_work: [],
} as const;

test('the progress of a crawl shows speed, remaining URLs, statuses, the slowest page and first findings', () => {
  expect(crawlProgress(undefined)).toBe('starting');
  expect(crawlProgress(FETCHING)).toBe(
    '1,006 pages  10.0/s  depth 3  60 left\n2xx 1,000  3xx 1  4xx 2  5xx 3  no answer 4',
  );
  const url = 'https://a.example/slow';
  const slowest = { url, fetch_date: '', fetch_status: 'fetched_2xx', fetch_duration: 1240 } as const;
  const findings = [
    ['missing_title', 20],
    ['noindex', 1],
  ] as const;
  const more = { ...FETCHING, slowest, findings, new_pages: 1200, side_work: ['reading sitemaps'] };
  expect(crawlProgress(more).split('\n')).toEqual([
    '1,006 pages  10.0/s  depth 3  60 left  reading sitemaps',
    '2xx 1,000  3xx 1  4xx 2  5xx 3  no answer 4  new since the previous crawl 1,200',
    `slowest 1.2 s  ${url}`,
    'missing_title 20  noindex 1',
  ]);
});

test('a crawl begun by an earlier version shows no number of new pages', () => {
  const { new_pages: _, ...earlier } = FETCHING;
  expect(crawlProgress(earlier as unknown as Parameters<typeof crawlProgress>[0])).not.toContain('new since');
});

test('a resumed crawl shows how many pages its findings cover', () => {
  const resumed = { ...FETCHING, findings: [['noindex', 1]] as const, looked: 30 };
  expect(crawlProgress(resumed)).toMatch(/\nof 30 pages: {2}noindex 1$/);
});

test('the progress of the analysis names the current job', () => {
  const jobs = [
    { name: 'parse', status: 'done' },
    { name: 'inlinks', status: 'running' },
  ] as const;
  expect(crawlProgress({ ...FETCHING, phase: 'analysis', jobs })).toBe('analysis: inlinks (2 of 2)');
});
