import { expect, test } from 'vitest';
import type { PageRequest } from '../../../../../src/app/console/page-parts/console-page.ts';
import { MIGRATION } from '../../../../../src/app/console/pages/project/migration-page.ts';

const FIGURE = {
  ...{ question: 'q24_migration_check', sql: 'SELECT 1', command: 'crawlhouse query', address: '/ask' },
  ...{ ignored: [], state: 'read', why: null, error: null },
} as const;
const FINDING = {
  finding: 'chain',
  old_urls: 1200,
  clicks_at_risk: 7,
  clicks_before: 9,
  clicks_change: -2,
  days_before: 28,
  days_after: 28,
  clicks_change_reason: null,
  previous_crawl_id: 'c1',
};
const OLD = {
  old_url: 'https://a.example/old',
  finding: 'chain',
  reason: 'too_long',
  status_code: 301,
  new_url: 'https://a.example/new',
  new_status_code: null,
  hops: 2,
  is_temporary: true,
  old_pages: 3,
  clicks_at_risk: 7,
  clicks_before: 9,
  clicks_after: null,
};
const crawl = (number: number, config: string | null = 'web') => ({
  crawl_id: `c${number}`,
  crawl_number: number,
  ended_at: `2026-11-0${number}T06:00:00Z`,
  crawl_config_name: config,
});

function drawn(more: object, rows: readonly object[] = [FINDING], urls: readonly object[] = [OLD]): string {
  const document = {
    ...{ project_id: 'p', project_name: 'Shop', crawl: null, crawls: [crawl(2), crawl(1)], finding: null },
    ...{ findings: { ...FIGURE, rows }, urls: { ...FIGURE, rows: urls } },
    paging: { page: 1, pages: 1, total: 1200 },
    ...more,
  };
  const request = { query: new URLSearchParams('page=2') } as PageRequest;
  return MIGRATION.draw(document, request).body.text;
}
const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/<tr>(<th scope="row".*?)<\/tr>/gs)].map(([, row = '']) =>
    row
      .split(/<\/t[hd]>/)
      .slice(0, -1)
      .map((cell) => cell.replaceAll(/<[^>]*>/g, '')),
  );

test('a finding links to its old URLs, with their clicks and days', () => {
  const text = drawn({});
  expect(rowsOf(text)[0]).toEqual(['Redirect chain', '1,200', '9', '7', '−2']);
  expect(text).toContain('<a href="/projects/p/migration?finding=chain">Redirect chain</a>');
  expect(text).toContain(
    'Compared with the previous crawl, Crawl 1 · 2026-11-01. Clicks before and after cover 28 days each, the same days of the week.',
  );
  expect(text).toContain('<figcaption>1,200 old URLs</figcaption>');
  expect(rowsOf(drawn({}, [{ ...FINDING, finding: 'of_a_later_version' }]))[0]?.[0]).toBe(
    'of_a_later_version',
  );
});

test('clicks of other days or without a comparison are told', () => {
  const other = drawn({}, [{ ...FINDING, days_before: 1, days_after: 7, previous_crawl_id: 'gone' }]);
  expect(other).toContain('Compared with no previous crawl. Clicks before and after cover 1 day each.');
  const none = drawn({}, [{ ...FINDING, clicks_change_reason: 'no search data' }]);
  expect(none).toContain('Clicks before and after are not compared: no search data.');
});

test('an old URL has its way to the new one; one without a new URL has none', () => {
  const [, first, second, third] = rowsOf(
    drawn(
      {},
      [FINDING],
      [
        OLD,
        { ...OLD, hops: 1, is_temporary: false, old_pages: 1, reason: null, new_status_code: 200 },
        { ...OLD, new_url: null, status_code: null },
      ],
    ),
  );
  expect(first).toEqual([
    ...['https://a.example/old', 'Redirect chain: too long', '301', 'https://a.example/new', '–'],
    ...['2 hops, temporary, one of 3 pages', '7', '9', '–'],
  ]);
  expect(second?.slice(1, 6)).toEqual(['Redirect chain', '301', 'https://a.example/new', '200', '1 hop']);
  expect(third?.slice(2, 6)).toEqual(['–', '–', '–', '–']);
});

test('a chosen finding and crawl are named; without findings there is no list', () => {
  const chosen = drawn({ finding: 'chain', crawl: 'c 1' });
  expect(chosen).toContain('<figcaption>1,200 old URLs: Redirect chain</figcaption>');
  expect(chosen).toContain(`-p project=p -p &#39;crawl=c 1&#39;</code>`);
  expect(drawn({})).toContain('-p project=p</code>');
  const none = drawn({}, []);
  expect(none).toContain('Each page of the previous crawl still answers at its address.');
  expect(none).not.toContain('old URLs</figcaption>');
  expect(drawn({}, [FINDING], [])).toContain('No old URL has this finding.');
});

test('crawls of several configurations are told apart', () => {
  expect(drawn({})).toContain('>Crawl 2 · 2026-11-02</option>');
  const several = drawn({ crawls: [crawl(2, null), crawl(1)] });
  expect(several).toContain('>Crawl 2 · 2026-11-02, without a name</option>');
  expect(several).toContain('>Crawl 1 · 2026-11-01, web</option>');
});
