import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { loadModels } from '../../src/project/sql/models/load-models.ts';
import { sqlFolder } from '../../src/project/sql/models/sql-folders.ts';
import { createTable, openWarehouse } from '../pipeline/transform/test-warehouse.ts';
import { runModels } from '../support/run-models.ts';

const NEEDED = [
  'projects',
  'crawls',
  'pages',
  'crawl_fields',
  'crawl_columns',
  'page_groups',
  'page_segments',
  'page_changes',
  'status_codes_by_crawl',
];
const models = (await loadModels([sqlFolder(join(import.meta.dirname, '../../sql'))]))
  .filter(({ name }) => NEEDED.includes(name.replace('mart.', '')))
  .map((model) => ({ ...model, tests: [] }));

const word = fc.constantFrom<(string | null)[]>('x', 'y', null);
const pages = fc.uniqueArray(
  fc.record({
    url: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    status_code: fc.constantFrom<(number | null)[]>(200, 404, null),
    title: word,
    h1: word,
    page_group_template: fc.constantFrom('product', 'list', null),
  }),
  { selector: (page) => page.url, maxLength: 5 },
);
type Page = (typeof pages extends fc.Arbitrary<infer T> ? T : never) extends readonly (infer One)[]
  ? One
  : never;

const COLUMNS = {
  ...{ _crawl_id: 'VARCHAR', _project_id: 'VARCHAR', url: 'VARCHAR', status_code: 'BIGINT' },
  ...{ title: 'VARCHAR', h1: 'VARCHAR', page_group_template: 'VARCHAR' },
};

/** A warehouse of two crawls, the first of them before the second. */
async function withCrawls<T>(first: readonly Page[], second: readonly Page[], look: Look<T>): Promise<T> {
  await using warehouse = await openWarehouse();
  const { connection } = warehouse;
  const crawls = { c1: first, c2: second };
  const ids = Object.keys(crawls);
  const rows = Object.entries(crawls).flatMap(([_crawl_id, of]) =>
    of.map((page) => ({ _crawl_id, _project_id: 'p', ...page })),
  );
  await createTable(connection, 'raw.crawl_pages', COLUMNS, rows);
  await createTable(
    connection,
    'raw.crawls',
    { id: 'VARCHAR', project_id: 'VARCHAR', ended_at: 'BIGINT' },
    ids.map((id, index) => ({ id, project_id: 'p', ended_at: index })),
  );
  const loads = ids.map((id) => ({
    unit: `crawl_pages/${id}`,
    dataset: 'crawl_pages',
    source_kind: 'crawl',
    source_id: id,
  }));
  const load = { unit: 'VARCHAR', dataset: 'VARCHAR', source_kind: 'VARCHAR', source_id: 'VARCHAR' };
  const more = { project_id: 'VARCHAR', run_id: 'VARCHAR', loaded_at: 'TIMESTAMPTZ' };
  await createTable(
    connection,
    'ops.loads',
    { ...load, ...more },
    loads.map((one) => ({ ...one, project_id: 'p' })),
  );
  const fields = ids.flatMap((id) =>
    ['status_code', 'title', 'h1', 'rel_canonical'].map((field) => ({ unit: `crawl_pages/${id}`, field })),
  );
  await createTable(connection, 'ops.unit_fields', { unit: 'VARCHAR', field: 'VARCHAR' }, fields);
  await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
  return await look((sql) => connection.jsonRows(sql));
}
type Look<T> = (rows: (sql: string) => Promise<Record<string, unknown>[]>) => Promise<T>;

test('what changed from one crawl to another is what changed back, the other way round', async () => {
  const forth = `SELECT url, change, "before", "after" FROM mart.page_changes ORDER BY ALL`;
  const back = `SELECT url, CASE change WHEN 'added' THEN 'removed' WHEN 'removed' THEN 'added' ELSE change END AS change,
    "after" AS "before", "before" AS "after" FROM mart.page_changes ORDER BY ALL`;
  await fc.assert(
    fc.asyncProperty(pages, pages, async (some, others) => {
      const there = await withCrawls(some, others, (rows) => rows(forth));
      expect(await withCrawls(others, some, (rows) => rows(back))).toEqual(there);
    }),
    { numRuns: 6, seed: 20261121, endOnFailure: true },
  );
});

test('the sums over statuses and over segments are those of all pages', async () => {
  await fc.assert(
    fc.asyncProperty(pages, pages, async (some, others) => {
      await withCrawls(some, others, async (rows) => {
        const sums = await rows(
          'SELECT crawl_id, sum(pages)::INTEGER AS n FROM mart.status_codes_by_crawl GROUP BY ALL',
        );
        const segments = await rows(
          'SELECT crawl_id, count(*)::INTEGER AS n FROM mart.page_segments GROUP BY ALL',
        );
        const numbers = (of: Record<string, unknown>[]) =>
          ['c1', 'c2'].map((id) => of.find((row) => row.crawl_id === id)?.n ?? 0);
        expect(numbers(sums)).toEqual([some.length, others.length]);
        expect(numbers(segments)).toEqual(
          [some, others].map((of) => of.filter((page) => page.page_group_template !== null).length),
        );
      });
    }),
    { numRuns: 4, seed: 20261121, endOnFailure: true },
  );
});
