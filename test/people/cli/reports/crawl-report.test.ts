import { expect, test } from 'vitest';
import { describeCrawl, describeFetched } from '../../../../src/people/cli/reports/crawl-report.ts';
import type { Crawl } from '../../../../src/service/api/resources/crawls.ts';

const REPORT = {
  ...{ crawl_id: 'c1', end_reason: 'max_url_reached', fetched_urls: 3, last_depth: 1 },
  ...{ statuses: [], funnel: [], changes: [] },
  more_questions: { logs: [], demand: [] },
};

test('what to do first stands first, and the next command shows all issues', () => {
  const found = { severity: 'high', mended_by: 'server', new_pages: 1, search_bot_hits: null };
  const findings = [
    { ...found, priority: 76, issue: 'client_error', pages: 2, clicks: 6, example: 'https://a.example/' },
  ];
  const text = describeCrawl({ ...REPORT, funnel: [{ known: 3 }], findings });
  expect(text.trimStart()).toMatch(`What to do first
priority  issue         severity  mended_by  pages  new  clicks  bot_hits  example
      76  client_error  high      server         2    1       6  -         https://a.example/

Indexability`);
  expect(text).toContain('\nNext: crawlhouse issues --crawl c1\n');
});

test('questions that lack logs or search data are named, with the commands that bring them', () => {
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
  expect(describeFetched(crawl as Crawl, statuses)).toBe(`
799 pages fetched, depth 2: ok

Statuses
status_code  pages  pages_percent
        200    799           99.9
          -      1            0.1
`);
  expect(describeFetched(crawl as Crawl, [])).toBe('\n799 pages fetched, depth 2: ok\n');
});
