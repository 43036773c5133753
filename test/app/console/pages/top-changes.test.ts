import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import {
  drawTopChanges,
  readTopChanges,
  type TopChange,
} from '../../../../src/app/console/pages/top-changes.ts';
import type { Readers } from '../../../../src/app/console/readers/readers.ts';

/** An issue: its name, its priority, the clicks on its new pages, and the numbers of the first of them and after the last. */
type Found = readonly [issue: string, priority: number, clicks: number | null, first: number, end: number];

/** The changes of a crawl with these issues, which the pages with lower numbers had before. */
async function changesOf(found: readonly Found[]): Promise<readonly TopChange[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  await connection.run(`CREATE SCHEMA mart;
CREATE TABLE mart.issue_priorities AS
  SELECT 'c2' AS crawl_id, '(site)' AS segmentation, issue, upper(issue) AS title, 'high' AS severity, priority, most AS pages,
    most - least AS new_pages, clicks AS new_clicks
  FROM (VALUES ${found.map(([issue, ...numbers]) => `('${issue}', ${numbers.map(String).join(', ')})`).join(', ')})
    AS t(issue, priority, clicks, least, most);
CREATE TABLE mart.page_issue_changes AS
  SELECT crawl_id, issue, 'https://shop.example/' || n AS url, CASE WHEN n < least THEN 'remaining' ELSE 'new' END AS change
  FROM (SELECT *, pages AS most, pages - new_pages AS least FROM mart.issue_priorities) CROSS JOIN range(100) AS r(n)
  WHERE n < most;
CREATE TABLE mart.crawl_segments AS SELECT 'c2' AS crawl_id, '(site)' AS segmentation, 11 AS ranking_days`);
  const readers = {
    once: (_: string, read: () => unknown) => read(),
    lanes: { slowPages: { run: (work: () => unknown) => work() } },
    rows: async (sql: string, _: AbortSignal, given: ReadonlyMap<string, string>) =>
      (await connection.runAndReadAll(sql, Object.fromEntries(given))).getRowObjectsJson(),
  } as unknown as Readers;
  return (await readTopChanges(readers, ['c2'], true))?.get('c2') ?? [];
}

test('the two changes with the most clicks are shown, each set of pages once', async () => {
  expect(
    await changesOf([
      ['became_non_indexable', 90, 1240, 0, 38],
      ['noindex', 80, 1240, 0, 38],
      ['slow', 70, 2000, 50, 59],
      ['thin', 60, 10, 0, 40],
    ]),
  ).toEqual([
    { issue: 'slow', title: 'SLOW', also: [], pages: 9, clicks: 2000, days: 11 },
    {
      issue: 'became_non_indexable',
      title: 'BECAME_NON_INDEXABLE',
      also: ['NOINDEX'],
      pages: 38,
      clicks: 1240,
      days: 11,
    },
  ]);
});

test.for([
  ['on further new pages', ['client_error', 90, 5, 59, 60], ['error_in_sitemap', 80, 5, 0, 60]],
  ['on as many other pages', ['noindex', 90, 5, 10, 20], ['noindex_in_sitemap', 80, 5, 0, 10]],
  ['for another reason', ['slow', 90, 5, 0, 10], ['thin', 80, 5, 0, 10]],
] as const)('an issue %s is another change', async ([, ...found]) => {
  const changes = await changesOf(found);
  expect(changes.map(({ issue, also, pages }) => [issue, also, pages])).toEqual(
    found.map(([issue, , , first, end]) => [issue, [], end - first]),
  );
});

test('unknown clicks are left out, other clicks are shown with their days of search results', async () => {
  const drawn = async (clicks: number | null): Promise<string> =>
    drawTopChanges('p', 'c2', await changesOf([['slow', 1, clicks, 0, 1]])).text;
  expect(await drawn(null)).toContain('>1 page</a></li>');
  expect(await drawn(0)).toContain('>1 page</a>: 0 clicks in 11 days</li>');
  expect(await drawn(0)).toContain(
    'href="/projects/p/pages?crawl=c2&amp;issue=slow&amp;change=new&amp;sort=clicks+desc"',
  );
});
