import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openWarehouse } from '../../src/app/answers/query/open-warehouse.ts';
import type { RowsPage } from '../../src/app/answers/query/result/page-of-rows.ts';
import type { TextFormat } from '../../src/app/answers/query/result/text-formats.ts';
import type { Warehouse } from '../../src/app/answers/query/warehouse.ts';
import { readSiteReport } from '../../src/app/answers/report/read-site-report.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { Database, file, ident, table } from '../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../src/core/duckdb/table-columns.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { sqlFolder } from '../../src/etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../src/etl/project/sql/questions/bind-question.ts';
import { loadQuestions } from '../../src/etl/project/sql/questions/questions.ts';
import {
  openWarehouse as openTestWarehouse,
  type TestWarehouse,
} from '../etl/pipeline/transform/test-warehouse.ts';
import { ALL_SITES } from '../questions/sites/all-sites.ts';
import { buildModels, loadSites, SQL } from '../questions/sites/load-sites.ts';
import { errorOf } from '../support/error-of.ts';
import { openConsole } from '../support/open-console.ts';
import { ALL_ROUNDS } from '../support/random.ts';
import { copyToTrino } from './copy-to-trino.ts';

// Statements of people on one warehouse that is in a file, and on the same one in Trino.

const { signal } = new AbortController();
const trino = inject('trino');
const prefix = `q${randomUUID().slice(0, 8)}_`;
const client = new TrinoClient({ url: trino.url, user: 'query', catalog: trino.catalog });
const questions = await loadQuestions([sqlFolder(SQL)]);
/** The whole answer, and by night one of few rows. */
const GIVEN = ALL_ROUNDS ? [{}, { project: 'p-h', segment: '/many/', limit: '7' }] : [{}];

const CROSSED = 'FROM mart.pages AS a CROSS JOIN mart.pages AS b CROSS JOIN mart.pages AS c';
const MANY = `SELECT a.url, b.url AS other ${CROSSED}`;
const SLOW = `SELECT count(DISTINCT a.url || b.url || c.url) AS n ${CROSSED}`;

let source: TestWarehouse;
let settings: Record<'duckdb' | 'trino', Settings>;
let both: Record<'duckdb' | 'trino', Warehouse>;

beforeAll(async () => {
  source = await openTestWarehouse();
  const { connection, folder } = source;
  await loadSites(connection, ALL_SITES);
  await buildModels(connection, SQL);
  const columns = await tableColumns(connection, ['raw', 'mart', 'ops']);
  for (const schema of ['raw', 'mart', 'ops'])
    await client.run(`CREATE SCHEMA ${ident(`${prefix}${schema}`)}`);
  for (const [name, of] of columns)
    if (!name.startsWith('raw.view '))
      await copyToTrino({ connection, folder, client, trino, prefix }, name, of);
  settings = { duckdb: await settingsOf(folder, 'duckdb'), trino: await settingsOf(folder, 'trino') };
  await connection.run('CHECKPOINT');
  await copyFile(join(folder, 'warehouse.duckdb'), settings.duckdb.warehouse);
  const tables = await connection.rows<{ name: string; schema: string }>(
    "SELECT schema_name AS schema, table_name AS name FROM duckdb_tables() WHERE schema_name IN ('raw', 'mart')",
  );
  for (const { schema, name } of tables) await connection.run(`DELETE FROM ${table(schema, name)}`);
  await connection.run('CHECKPOINT');
  await copyFile(join(folder, 'warehouse.duckdb'), settings.trino.warehouse);
  both = { duckdb: await open('duckdb'), trino: await open('trino') };
}, 1_800_000);

afterAll(async () => {
  for (const schema of ['raw', 'mart', 'ops'])
    await client.run(`DROP SCHEMA IF EXISTS ${ident(`${prefix}${schema}`)} CASCADE`);
  await both.duckdb[Symbol.asyncDispose]();
  await both.trino[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
  await source[Symbol.asyncDispose]();
});

async function settingsOf(folder: string, engine: 'duckdb' | 'trino'): Promise<Settings> {
  const own = join(folder, engine);
  const parts = {
    engine,
    url: trino.url,
    catalog: trino.catalog,
    schema_prefix: prefix,
    location: `s3://${trino.bucket}/${prefix}`,
    region: trino.s3.region,
    endpoint: trino.s3.endpoint,
  };
  await mkdir(join(own, '.crawlhouse'), { recursive: true });
  if (engine === 'trino') await writeFile(join(own, 'crawlhouse.yaml'), JSON.stringify({ warehouse: parts }));
  return loadSettings(own, {});
}

function open(engine: 'duckdb' | 'trino', more: Partial<Settings> = {}): Promise<Warehouse> {
  return openWarehouse({ logger: silentLogger }, { ...settings[engine], ...more });
}

interface Asked {
  readonly sql: string;
  readonly parameters?: ReadonlyMap<string, string | null>;
  readonly format?: TextFormat | 'typed';
  readonly page?: RowsPage;
}

async function textOf(
  warehouse: Warehouse,
  { sql, parameters, format = 'jsonl', page }: Asked,
): Promise<string> {
  let text = '';
  const write = async (piece: string): Promise<void> => {
    text += piece;
  };
  await warehouse.write(sql, { format, ...(page && { page }) }, write, signal, parameters);
  return rounded(text);
}

/** Sums of another order agree in nine digits. */
function rounded(text: string): string {
  return text.replaceAll(/(?<![\w.-])-?\d+\.\d+(e[+-]?\d+)?(?![\w.:-])/g, (number) =>
    String(Number(Number(number).toPrecision(9))),
  );
}

async function expectSame(asked: Asked): Promise<string> {
  const answer = await textOf(both.duckdb, asked);
  expect(await textOf(both.trino, asked)).toEqual(answer);
  return answer;
}

describe('questions', () => {
  test.each(questions)('$name has the same answers in the same order', async (question) => {
    for (const given of GIVEN) {
      const names = question.parameters.map(({ name }) => name);
      const own = Object.entries(given).filter(([name]) => names.includes(name));
      await expectSame({ ...bindQuestion(question, new Map(own)), format: 'typed' });
    }
  });
});

test.each(['table', 'record', 'csv', 'json', 'jsonl', 'markdown', 'typed'] as const)(
  'the format %s is equal',
  async (format) => {
    const sql = `SELECT url, status_code, depth AS "the depth", depth, sources, is_redirect_loop, 0.5 AS half,
      CAST(NULL AS DATE) AS nothing, TIMESTAMPTZ '2026-01-02 03:04:05.060708+00:00' AS moment, DATE '2026-01-02' AS day,
      CAST('99999999999999999999999999999999999999' AS DECIMAL(38,0)) AS large
    FROM mart.pages WHERE crawl_id = $crawl ORDER BY url, status_code`;
    const [crawl] = await both.duckdb.rows(
      'SELECT crawl_id FROM mart.crawls WHERE has_pages ORDER BY 1 LIMIT 1',
      signal,
    );
    const answer = await expectSame({
      sql,
      parameters: new Map([['crawl', String(crawl?.crawl_id)]]),
      format,
    });
    expect(answer.length).toBeGreaterThan(100);
  },
);

test.each([
  { columns: ['url'], limit: 3, offset: 2 },
  { limit: 2 },
  { count: true },
  { filter: { text: 'HTTP' }, count: true },
  { filter: { text: 'a', column: 'url' }, sort: { column: 'url', descending: true }, limit: 3, offset: 1 },
  { sort: { column: 'depth', descending: false }, columns: ['depth'], limit: 5 },
] as const satisfies RowsPage[])('the page %j is equal', async (page) => {
  const sql = 'SELECT DISTINCT url, depth, sources FROM mart.pages ORDER BY url, depth, sources; -- all';
  await expectSame({ sql, format: 'typed', page });
});

test('parameters get the types of DuckDB, also under LIMIT, and invalid ones are refused alike', async () => {
  const sql = 'SELECT url FROM mart.pages WHERE depth > $depth AND url LIKE $like ORDER BY url LIMIT $most';
  const parameters = new Map([
    ['depth', '0'],
    ['like', "%'%' OR true--%"],
    ['most', '3'],
  ]);
  await expectSame({ sql, parameters });
  await expectSame({ sql, parameters: new Map([...parameters, ['like', '%']]) });
  const wrong = { sql, parameters: new Map([...parameters, ['depth', 'deep']]) };
  const errors = await Promise.all([errorOf(textOf(both.duckdb, wrong)), errorOf(textOf(both.trino, wrong))]);
  expect(errors[1]).toMatchObject({ code: 'usage', message: errors[0]?.message });
});

test('a Parquet file has the same rows and types', async () => {
  const sql = `SELECT url, depth, sources, title, CAST(depth AS DOUBLE) / 3 AS third, sum(depth) OVER () AS total, depth AS "a ""b"
    FROM mart.pages ORDER BY url, depth, title, sources LIMIT 200`;
  await using database = await Database.open({
    memoryLimit: '200MB',
    threads: 1,
    tempDirectory: join(source.folder, 'spill'),
  });
  await using connection = await database.connect();
  const read: unknown[] = [];
  for (const engine of ['duckdb', 'trino'] as const) {
    const output = join(source.folder, `${engine}.parquet`);
    await using warehouse = await openWarehouse({ logger: silentLogger }, settings[engine], { output });
    expect(await warehouse.writeParquet(sql, output, signal)).toBe(200);
    const rows = await connection.jsonRows(`SELECT * FROM read_parquet(${file(output)})`);
    read.push(await connection.jsonRows(`DESCRIBE SELECT * FROM read_parquet(${file(output)})`), rows);
  }
  expect(read.slice(2)).toEqual(read.slice(0, 2));
});

test('statements on ops or without tables are answered by DuckDB, in all of its SQL', async () => {
  for (const sql of [
    'FROM ops.loads ORDER BY ALL',
    'SELECT * EXCLUDE (loaded_at) FROM ops.loads QUALIFY row_number() OVER (ORDER BY unit) <= 3',
    'DESCRIBE mart.pages',
    'SELECT column_name FROM (DESCRIBE mart.pages)',
    'SELECT list_sum([1, 2])',
    "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart' ORDER BY ALL",
  ])
    await expectSame({ sql });
});

test('tables of ops and mart can be read together', async () => {
  await expectSame({
    sql: `SELECT loads.unit, count(*) AS pages FROM ops.loads AS loads
      JOIN mart.pages AS pages ON pages.crawl_id = loads.source_id GROUP BY loads.unit ORDER BY loads.unit`,
  });
});

test('an EXPLAIN comes from Trino', async () => {
  expect(await textOf(both.trino, { sql: 'EXPLAIN SELECT count(*) FROM mart.pages' })).toContain('TableScan');
});

test('the site report is equal', async () => {
  const [duckdb, onTrino] = await Promise.all(
    [both.duckdb, both.trino].map((warehouse) =>
      readSiteReport((sql, parameters) => warehouse.rows(sql, signal, parameters), questions),
    ),
  );
  expect(duckdb?.length).toBeGreaterThan(2);
  expect(onTrino).toEqual(duckdb);
});

test('the pages of the console are equal', async () => {
  const [main] = await both.duckdb.rows(
    'SELECT project_id, crawl_id FROM mart.crawls WHERE is_main AND has_pages ORDER BY project_id LIMIT 1',
    signal,
  );
  const paths = [
    '/projects.json',
    `/projects/${main?.project_id}.json?wait=1`,
    `/projects/${main?.project_id}/issues.json?wait=1`,
    `/projects/${main?.project_id}/issues.json?segment=/&wait=1`,
    `/projects/${main?.project_id}/compare.json?segment=/&wait=1`,
    `/projects/${main?.project_id}/demand.json?segment=/&wait=1`,
    `/projects/${main?.project_id}/pages.json?status_code=gte:300`,
    `/projects/${main?.project_id}/compare.json`,
    `/projects/${main?.project_id}/demand.json?wait=1`,
    `/crawls/${main?.crawl_id}.json?wait=1`,
  ];
  const pagesOf = async (engine: 'duckdb' | 'trino'): Promise<string[]> => {
    const { ask } = await openConsole(settings[engine]);
    const answers: string[] = [];
    for (const path of paths)
      answers.push(
        rounded(await (await ask(path)).text()).replaceAll(/"seconds": [\d.e-]+/g, '"seconds": …'),
      );
    return answers;
  };
  const pages = await pagesOf('duckdb');
  expect(pages.every((page) => page.length > 300)).toBe(true);
  expect(await pagesOf('trino')).toEqual(pages);
});

test.each([
  'DELETE FROM mart.pages',
  'SELECT 1; SELECT 2',
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT url FROM mart.pages UNION ALL SELECT content FROM read_text('/etc/passwd')",
  'SELECT titel FROM mart.pages',
  'SELECT * FROM mart.nothing',
  'SELECT url FROM mart.pages WHERE',
  "COPY mart.pages TO '/tmp/pages.csv'",
])('%s is refused with the same message', async (sql) => {
  const [duckdb, onTrino] = await Promise.all([
    errorOf(textOf(both.duckdb, { sql })),
    errorOf(textOf(both.trino, { sql })),
  ]);
  expect([onTrino.code, onTrino.message, onTrino.hint]).toEqual([duckdb.code, duckdb.message, duckdb.hint]);
});

test.each([
  ['SELECT url\nFROM mart.pages\nQUALIFY row_number() OVER (ORDER BY url) = 1', 'line 3: no QUALIFY'],
  ['FROM mart.pages', 'line 1: SELECT comes first'],
  ['SELECT median(depth) FROM mart.pages', 'line 1: no median; instead: avg of the middle rows'],
  [
    'SELECT url FROM mart.pages LIMIT 5 OFFSET 2',
    'line 1: OFFSET comes before LIMIT; instead: OFFSET m LIMIT n',
  ],
  ['SELECT url FROM mart.pages ANTI JOIN mart.links ON true', 'no ANTI JOIN'],
  ['SELECT 1 AS n, * FROM generate_series(1, 2) AS g(x), mart.pages', 'no generate_series'],
  ["SELECT * FROM query_table('mart.pages')", 'query_table() cannot read rows in Trino'],
  ['SUMMARIZE mart.pages', 'SUMMARIZE and DESCRIBE cannot be part of another statement'],
  [
    'SELECT column_name FROM information_schema.columns, mart.pages',
    'information_schema.columns is not in Trino',
  ],
])('%j is refused with the portable form', async (sql, message) => {
  const error = await errorOf(textOf(both.trino, { sql }));
  expect([error.code, error.message]).toEqual(['bad_query', expect.stringContaining(message)]);
});

test.each([
  "SELECT url FROM mart.pages WHERE url = E'\\' UNION ALL SELECT node_id FROM system.runtime.nodes --'",
  "SELECT url FROM mart.pages WHERE url = $$' UNION ALL SELECT node_id FROM system.runtime.nodes --$$",
  "SELECT url FROM mart.pages WHERE url = $a$' UNION ALL SELECT node_id FROM system.runtime.nodes --$a$",
])('%s: text or comments of DuckDB never become SQL of Trino', async (sql) => {
  expect(await errorOf(textOf(both.trino, { sql }))).toMatchObject({
    code: 'bad_query',
    message: expect.stringContaining('Trino has no'),
  });
});

test('comments are removed, because DuckDB and Trino end some of them differently', async () => {
  const other = 'UNION ALL SELECT node_id FROM system.runtime.nodes';
  await expectSame({
    sql: `SELECT url /* /* */ ${other} /* */ */ FROM mart.pages ORDER BY url -- \u2028 ${other}`,
  });
});

test('limits of rows, bytes and time apply, and end the statement in Trino', async () => {
  for (const [limit, sql, message] of [
    [{ query_row_limit: 5 }, MANY, 'it returned more than 5 rows'],
    [{ query_result_limit: '1kB' }, MANY, 'it returned more than 1.0 kB'],
    [{ query_timeout: 2 }, SLOW, 'it took longer than 2.0 s'],
  ] as const) {
    await using warehouse = await open('trino', limit);
    expect(await errorOf(textOf(warehouse, { sql }))).toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining(message),
    });
  }
  await expect.poll(running, { timeout: 60_000 }).toBe(0n);
});

test('an abort ends the statement in Trino', async () => {
  const stop = new AbortController();
  const asked = both.trino.rows(SLOW, stop.signal);
  await expect.poll(running, { timeout: 60_000 }).toBe(1n);
  stop.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  await expect.poll(running, { timeout: 60_000 }).toBe(0n);
});

/** Statements of the reader that have not ended. */
function running(): Promise<unknown> {
  return client.scalar(
    `SELECT count(*) FROM system.runtime.queries WHERE source = 'crawlhouse/query' AND state NOT IN ('FINISHED', 'FAILED')`,
  );
}
