import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { explainEmpty } from '../../../../src/app/answers/questions/explain-empty.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { type Needs, NeedsHeader } from '../../../../src/etl/project/sql/questions/question-needs.ts';
import { loadQuestions, readQuestion } from '../../../../src/etl/project/sql/questions/questions.ts';
import { openWarehouse } from '../../../etl/pipeline/transform/test-warehouse.ts';

const TABLES = `
  CREATE TABLE mart.projects AS SELECT * FROM (VALUES ('p1', 'shop'), ('p2', 'blog'), ('p4', 'new')) AS t(project_id, project_name);
  CREATE TABLE mart.crawls AS SELECT * FROM (VALUES
    ('c1', 'p1', 'shop', NULL, false, true, false, 'f', true, 1, TIMESTAMP '2026-02-01 06:00'),
    ('c2', 'p1', 'shop', 'c1', true, true, true, 'f', true, 2, TIMESTAMP '2026-02-03 06:00'),
    ('c3', 'p2', 'blog', NULL, true, true, false, NULL, false, NULL, TIMESTAMP '2026-02-03 06:00'),
    ('c4', 'p2', 'blog', NULL, false, true, false, 'f', false, NULL, NULL)
  ) AS t(crawl_id, project_id, project_name, previous_crawl_id, is_main, has_pages, has_links, crawl_config_id,
    is_comparable, crawl_number, ended_at);
  CREATE TABLE mart.pages AS SELECT * FROM (VALUES
    ('c2', ['a.xml'], NULL::VARCHAR), ('c3', []::VARCHAR[], 'h1')
  ) AS t(crawl_id, sitemaps_file_origin, hreflang_cluster_id);
  CREATE TABLE mart.page_segments AS SELECT 'c2' AS crawl_id, 'pots' AS segment;
  CREATE TABLE mart.log_days AS SELECT * FROM (VALUES
    ('p1', DATE '2026-02-01', 'log_pages_days'), ('p1', DATE '2026-02-02', 'log_pages_days')
  ) AS t(project_id, day, dataset);
  CREATE TABLE mart.crawl_days AS SELECT * FROM (VALUES
    ('p1', 'c1', 'logs'), ('p1', 'c2', 'search'), ('p2', 'c3', 'search'), ('p4', NULL, 'search')
  ) AS t(project_id, crawl_id, kind);
  CREATE TABLE mart.ranking_performance AS SELECT * FROM (VALUES
    ('p1', DATE '2026-02-01', 'u', 'q'), ('p1', DATE '2026-02-04', 'u', NULL), ('p2', DATE '2026-01-01', 'u', NULL),
    ('p2', DATE '2026-02-25', 'u', NULL)
  ) AS t(project_id, date, url, query);
  CREATE TABLE mart.ranking_periods AS SELECT * FROM (VALUES
    ('p3', DATE '2026-02-01', NULL, 'all'), ('p4', DATE '2026-02-01', 'u', 'url')
  ) AS t(project_id, to_date, url, totals_by);`;

async function reader(tables: string) {
  const warehouse = await openWarehouse();
  onTestFinished(() => warehouse[Symbol.asyncDispose]());
  const { connection } = warehouse;
  await connection.run('CREATE SCHEMA IF NOT EXISTS mart');
  for (const statement of tables.split(/;\n/)) await connection.run(statement);
  const rows = async (
    sql: string,
    _: AbortSignal,
    parameters: ReadonlyMap<string, string | null> = new Map(),
  ): Promise<object[]> =>
    (await connection.inner.runAndReadAll(sql, Object.fromEntries(parameters))).getRowObjectsJson();
  return (needs: Needs, given: Record<string, string> = {}): Promise<string | null> =>
    explainEmpty({ needs, parameters: new Map(Object.entries(given)) }, { rows }, AbortSignal.timeout(9000));
}

test('an empty result explains that no day with data belongs to the crawl', async () => {
  const why = await reader(TABLES);
  const none = 'None of the days with log files belongs to';
  expect(await why({ logs: 1 }, { project: 'shop' })).toBe(
    `${none} a main crawl (docs/definitions.md, "Days of a crawl").`,
  );
  expect(await why({ logs: 1 }, { crawl: 'c2' })).toContain(`${none} crawl 2 of 2026-02-03`);
  expect(await why({ logs: 1 }, { crawl: 'c1' })).toBe(
    'No rows match; crawl 1 of 2026-02-01 has the data that the question needs.',
  );
  expect(await why({ logs: 1 }, { project: 'shop', from: '2026-02-01' })).toMatch(/^No rows match/);
  // Days of a project without a crawl belong to none, by whatever name it is called.
  for (const project of ['p4', 'new'])
    expect(await why({ rankings: 1 }, { project })).toMatch(/^No rows match/);
});

test('an empty result explains which data is missing, how many days, and where', async () => {
  const why = await reader(TABLES);
  const rankings = 'The question needs 56 days of search results (ranking_performance)';
  expect(await why({ rankings: 56 }, { project: 'shop' })).toBe(`${rankings}; project shop has 4.`);
  expect(await why({ rankings: 56 }, { project: 'p2' })).toMatch(/^No rows match; project blog has the data/);
  expect(await why({ rankings: 57 })).toMatch(/57 days of .*; the warehouse has 56\.$/);
  expect(await why({ ranking_days: 5, ranking_queries: 1 }, { project: 'shop' })).toBe(
    'The question needs 5 days of search results by day and URL; project shop has 4.',
  );
  expect(await why({ logs: 1 }, { project: 'blog' })).toBe(
    'The question needs log files; project blog has none.',
  );
  expect(await why({ logs: 1, log_lines: 1 }, { project: 'p1' })).toBe(
    'The question needs lines of log files (log_events); project shop has none.',
  );
  expect(await why({ links: 1, segments: 1, sitemaps: 1, crawl_before: 1 }, { project: 'shop' })).toMatch(
    /^No rows match/,
  );
  expect(await why({ links: 1, sitemaps: 1 }, { crawl: 'c3' })).toBe(
    'The question needs the links of a crawl; crawl of 2026-02-03 has none. ' +
      'The question needs a crawl that found a sitemap; crawl of 2026-02-03 has none.',
  );
  expect(await why({ hreflangs: 1 }, { project: 'blog' })).toMatch(/^No rows match/);
  expect(await why({ hreflangs: 1, pages: 1 }, { project: 'shop' })).toMatch(
    /^The question needs pages with/,
  );
  expect(await why({ crawl_before: 1 }, { crawl: 'c1' })).toMatch(/; crawl 1 of 2026-02-01 has none\.$/);
  expect(await why({ second_crawl: 1 }, { project: 'shop' })).toMatch(/^No rows match/);
  expect(await why({ second_crawl: 1 }, { project: 'blog' })).toMatch(/; project blog has none\.$/);
  expect(await why({})).toBeNull();
});

test('every shipped question declares its needs, and needs with days have a number of days', async () => {
  const questions = await loadQuestions([sqlFolder(join(import.meta.dirname, '../../../../../sql'))]);
  expect(questions.filter(({ needs }) => Object.keys(needs).length === 0)).toEqual([]);
  expect(NeedsHeader.parse(['links', 'logs'])).toEqual({ links: 1, logs: 1 });
  expect(NeedsHeader.parse({ rankings: 56, pages: null })).toEqual({ rankings: 56, pages: 1 });
  const header = (needs: string) =>
    `/*\ntitle: t\nmodel: mart.pages\ndescription: d\nneeds: ${needs}\n*/\nSELECT 1`;
  const read = (needs: string) => readQuestion(sqlFolder('/p/sql'), 'q.sql', header(needs));
  expect(() => read('[clicks]')).toThrow('q.sql:5: unknown key needs.clicks');
  expect(() => read('{links: 3}')).toThrow(
    'only logs, log_lines, rankings, ranking_days, ranking_queries have a number of days',
  );
});

test('totals of a period count as search results, and an empty result explains what they cannot answer', async () => {
  const why = await reader(TABLES);
  expect(await why({ rankings: 1 }, { project: 'p4' })).toMatch(/^No rows match/);
  expect(await why({ rankings: 1 }, { project: 'p3' })).toBe(
    'The question needs search results (ranking_performance); project p3 has none.',
  );
  const totals = 'Totals of a period do not contain this data (docs/demand.md).';
  expect(await why({ ranking_days: 56 }, { project: 'p4' })).toBe(
    `The question needs 56 days of search results by day and URL; project new has none. ${totals}`,
  );
  expect(await why({ ranking_queries: 1 }, { project: 'p4' })).toBe(
    `The question needs search results by day, URL and query; project new has none. ${totals}`,
  );
  expect(await why({ ranking_queries: 1 }, { project: 'p3' })).not.toContain('Totals');
});
