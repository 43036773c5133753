import { expect, test } from 'vitest';
import type { EngineStatement } from '../../../../src/app/answers/query/engine-statement.ts';
import type { RowsPage } from '../../../../src/app/answers/query/result/page-of-rows.ts';
import { knownCrawls } from '../../../../src/etl/state/catalog/known-crawls.ts';
import { errorOf } from '../../../support/error-of.ts';
import { someWarehouse } from './some-warehouse.ts';

const IN_TRINO = { engine: 'trino', schemaPrefix: 'p_' };

const { signal } = new AbortController();

interface Asked {
  readonly sql: string;
  readonly parameters?: Readonly<Record<string, string | null>>;
  readonly page?: RowsPage;
}

/** What Trino is asked for a statement on a small catalog. */
async function plan({ sql, parameters = {}, page }: Asked): Promise<EngineStatement | null> {
  const { warehouse } = await someWarehouse(
    'CREATE SCHEMA raw; CREATE SCHEMA mart; CREATE SCHEMA ops',
    'CREATE TABLE mart.pages (url VARCHAR, depth BIGINT, tags VARCHAR[], body JSON, seen_at TIMESTAMPTZ, share DOUBLE)',
    'CREATE TABLE raw.projects (id VARCHAR, name VARCHAR, _seen_to TIMESTAMPTZ)',
    'CREATE TABLE raw.crawl_links (url VARCHAR, n HUGEINT)',
    'CREATE TABLE ops.loads (unit VARCHAR)',
  );
  return warehouse.plan(
    { sql, parameters: new Map(Object.entries(parameters)), page, engine: IN_TRINO },
    signal,
  );
}

test("tables become the readers' views, with the columns of the catalog in their order", async () => {
  expect(
    await plan({ sql: 'SELECT * FROM raw.crawl_links JOIN ops.loads ON unit = crawl_links.url' }),
  ).toEqual({
    sql: `SELECT * FROM (SELECT "url", "n" FROM "p_raw"."crawl_links") AS crawl_links JOIN (SELECT "unit" FROM "p_ops"."loads") AS loads ON unit = crawl_links.url`,
    columns: [
      { name: 'url', type: 'VARCHAR' },
      { name: 'n', type: 'HUGEINT' },
      { name: 'unit', type: 'VARCHAR' },
    ],
    skip: 0,
    picked: null,
  });
});

test('DuckDB names and types the columns, including duplicate names', async () => {
  const found = await plan({
    sql: 'SELECT url, url, sum(depth), body, tags FROM mart.pages GROUP BY url, body, tags',
  });
  expect(found?.columns).toEqual([
    { name: 'url', type: 'VARCHAR' },
    { name: 'url:1', type: 'VARCHAR' },
    { name: 'sum(depth)', type: 'HUGEINT' },
    { name: 'body', type: 'JSON' },
    { name: 'tags', type: 'VARCHAR[]' },
  ]);
});

test.each([
  'SELECT 1',
  'FROM ops.loads',
  'SELECT name FROM raw.projects JOIN ops.loads ON true QUALIFY row_number() OVER () = 1',
  'DESCRIBE mart.pages',
  'SELECT column_name FROM (DESCRIBE mart.pages)',
  'SHOW TABLES',
  'EXPLAIN FROM ops.loads',
  'WITH pages AS (FROM ops.loads) FROM pages',
])('the catalog contains all rows of %s', async (sql) => {
  expect(await plan({ sql })).toBeNull();
});

test('values are written as typed literals, on their original lines', async () => {
  const sql =
    'SELECT url -- $none\nFROM mart.pages\nWHERE depth > $d AND url = $u AND seen_at > $t AND share < $s\nLIMIT $n;\n-- end';
  const parameters = { d: '3', u: "it's", t: '2026-01-02 03:04:05+01', s: null, n: '5' };
  expect((await plan({ sql, parameters }))?.sql.split('\n').slice(2)).toEqual([
    `WHERE depth > 3 AND url = 'it''s' AND seen_at > CAST('2026-01-02 02:04:05.000000 UTC' AS timestamp(6) with time zone) AND share < CAST(NULL AS double)`,
    'LIMIT 5',
    ' ',
  ]);
});

test('an EXPLAIN stays an EXPLAIN', async () => {
  const sql = 'EXPLAIN (ANALYZE, FORMAT json) SELECT url FROM mart.pages';
  expect(await plan({ sql })).toMatchObject({
    sql: expect.stringMatching(/^EXPLAIN ANALYZE SELECT url FROM \(SELECT/),
    columns: [{ name: 'Query Plan', type: 'VARCHAR' }],
  });
});

test('a page without filter and sorting is cut from the ordered result', async () => {
  const sql = 'SELECT url, depth FROM mart.pages ORDER BY url';
  const page = { columns: ['Depth'], limit: 3, offset: 2 };
  expect(await plan({ sql, page })).toEqual({
    sql: expect.stringMatching(/ORDER BY url$/),
    columns: [{ name: 'depth', type: 'BIGINT' }],
    skip: 2,
    picked: [1],
  });
  await expect(plan({ sql, page: { columns: ['dept'] } })).rejects.toMatchObject({
    code: 'bad_query',
    message: 'the result has no column "dept"',
    hint: 'did you mean depth? use a column name of the result',
  });
});

test('Trino filters and sorts, and each page has the same order', async () => {
  const page: RowsPage = {
    filter: { text: "it's" },
    sort: { column: 'depth', descending: true },
    limit: 3,
    offset: 2,
  };
  const found = await plan({ sql: 'SELECT url, tags, depth, share FROM mart.pages', page });
  expect(found?.sql.split('\n')[1]).toBe(
    `) AS answer(c0, c1, c2, c3) WHERE strpos(lower(concat_ws(chr(31), ARRAY[CAST(c0 AS varchar), json_format(CAST(c1 AS JSON)), CAST(c2 AS varchar), json_format(CAST(c3 AS JSON))])), lower('it''s')) > 0 ORDER BY c2 DESC NULLS LAST, c0, c1, c2, c3 OFFSET 2 LIMIT 3`,
  );
  expect((await plan({ sql: 'SELECT url FROM mart.pages', page: { count: true } }))?.sql).toMatch(
    /^SELECT count\(\*\) FROM \(SELECT url[\s\S]*AS answer\(c0\)$/,
  );
});

test('comments are removed, because Trino ends some comments elsewhere', async () => {
  const sql = 'SELECT url /* /* */ UNION SELECT 1 /* */ */ FROM mart.pages -- \u2028 WHERE false\n;;';
  expect((await plan({ sql }))?.sql).toMatch(/^SELECT url {2,}FROM \(SELECT[^;]*\) AS pages\s*$/);
});

test.each([
  [
    'SELECT url\nFROM mart.pages\nQUALIFY row_number() OVER (ORDER BY url) = 1',
    'line 3: no QUALIFY; instead: WHERE around a subquery',
  ],
  [
    'SELECT url FROM mart.pages LIMIT 5 OFFSET 2',
    'line 1: OFFSET comes before LIMIT; instead: OFFSET m LIMIT n',
  ],
  ['SELECT * FROM mart.pages, generate_series(1, 2)', 'no generate_series'],
  ["SELECT * FROM query_table('ops.loads')", 'query_table() cannot read rows in Trino'],
  ['SUMMARIZE mart.pages', 'SUMMARIZE and DESCRIBE cannot be part of another statement'],
  ['SELECT 1 FROM mart.pages, information_schema.tables', 'information_schema.tables is not in Trino'],
  ["SELECT url FROM mart.pages WHERE url = E'\\' OR 1 = 1 --'", "line 1: no text like E'…"],
  ["SELECT url FROM mart.pages\nWHERE url = 'a'\n'b'", "line 2: no text like '…"],
  ["SELECT url FROM mart.pages WHERE url = $$'$$", 'line 1: no text like $$…'],
  ["SELECT url FROM mart.pages WHERE url = $é$'$é$", 'line 1: no text like $é$…'],
])('%j is refused', async (sql, message) => {
  const error = await errorOf(plan({ sql }));
  expect([error.code, error.message]).toEqual(['bad_query', expect.stringContaining(message)]);
});

test('the crawls that a name may mean are read in Trino', async () => {
  const { warehouse } = await someWarehouse(
    'CREATE SCHEMA mart',
    `CREATE TABLE mart.crawls (crawl_id VARCHAR, project_id VARCHAR, project_name VARCHAR,
       previous_crawl_id VARCHAR, ended_at TIMESTAMPTZ, is_main BOOLEAN)`,
  );
  const planned: (EngineStatement | null)[] = [];
  const rows = async (sql: string, within: AbortSignal, parameters = new Map<string, string | null>()) => {
    if (sql.includes('duckdb_columns')) return [{ columns: 6 }];
    planned.push(await warehouse.plan({ sql, parameters, engine: IN_TRINO }, within));
    return [{ ids: null, project_ids: null, names: null, previous_ids: null, mains: null, days: null }];
  };
  expect(await knownCrawls({ rows }, { project: "it's", crawl: 'latest' }, signal)).toEqual([]);
  expect(planned).toMatchObject([{ sql: expect.stringContaining(`project_id = 'it''s'`) }]);
});
