import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PublishedWarehouse } from '../../../../src/app/answers/query/query-warehouse.ts';
import type { RowsPage } from '../../../../src/app/answers/query/result/page-of-rows.ts';
import { writeResult } from '../../../../src/app/answers/query/result/write-result.ts';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import type { StreamedRows } from '../../../../src/core/duckdb/streamed-rows.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { someWarehouse } from './some-warehouse.ts';

const signal = new AbortController().signal;

const rowsOf = (result: StreamedRows) => result.rows();

test('the error for a missing published warehouse shows how to create one', async () => {
  const warehouse = join(await temporaryFolder(), 'warehouse.duckdb');
  await expect(
    PublishedWarehouse.open({ warehouse, memoryLimit: '100MB', threads: 1 }),
  ).rejects.toMatchObject({
    code: 'nothing_published',
    message: `there is no warehouse at ${warehouse} yet`,
    hint: 'crawlhouse run publishes one',
  });
});

test('a query cannot write, read files or change these rules', async () => {
  const { folder, path, warehouse } = await someWarehouse('CREATE TABLE t AS SELECT 1 AS n');
  const secret = join(folder, 'secret.csv');
  await writeFile(secret, 'a\n1\n');
  const before = await readFile(path);
  const refused = [
    'INSERT INTO t VALUES (2)',
    'UPDATE t SET n = 2',
    'DELETE FROM t',
    'DROP TABLE t',
    'CREATE TABLE u (n INTEGER)',
    'CREATE VIEW v AS SELECT 1',
    'ALTER TABLE t ADD COLUMN m INTEGER',
    `SELECT * FROM read_text(${text(secret)})`,
    `SELECT * FROM read_csv(${text(secret)})`,
    `SELECT * FROM ${text(secret)}`,
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM read_blob('/etc/hostname')",
    `COPY t TO ${text(join(folder, 'out.csv'))}`,
    `COPY (SELECT 1) TO ${text(join(folder, 'out.parquet'))} (FORMAT parquet)`,
    `EXPORT DATABASE ${text(join(folder, 'out'))}`,
    `ATTACH ${text(join(folder, 'other.duckdb'))} AS other`,
    `ATTACH ${text(path)} AS again (READ_WRITE)`,
    'INSTALL httpfs',
    'LOAD httpfs',
    'SET enable_external_access = true',
    'SET lock_configuration = false',
    "SET memory_limit = '10GB'",
    'SET threads = 64',
    `SET temp_directory = ${text(folder)}`,
    'RESET enable_external_access',
    'PRAGMA enable_external_access',
  ];
  for (const sql of refused) {
    await expect(warehouse.ask(sql, signal, rowsOf), sql).rejects.toMatchObject({
      code: 'bad_query',
      exitCode: 2,
    });
  }
  expect((await readFile(path)).equals(before)).toBe(true);
  expect(
    (await readdir(folder)).filter((name) => name.startsWith('out') || name.startsWith('other')),
  ).toEqual([]);
  expect(await warehouse.ask('FROM t', signal, rowsOf)).toEqual([[1]]);
});

test('invalid SQL is a usage error with the message of DuckDB', async () => {
  const { warehouse } = await someWarehouse('CREATE TABLE t AS SELECT 1 AS n');
  await expect(warehouse.ask('SELECT m FROM t', signal, rowsOf)).rejects.toMatchObject({
    code: 'bad_query',
    message: expect.stringContaining('"m" not found'),
  });
  await expect(warehouse.ask('SELEC 1', signal, rowsOf)).rejects.toMatchObject({ code: 'bad_query' });
});

// The Node client of DuckDB takes an error behind the first rows for the end of the result: to be made whole in src.
test('SQL that fails on a later row is a usage error, not a shorter result', async () => {
  const { warehouse } = await someWarehouse(
    "CREATE TABLE t AS SELECT CASE WHEN range = 600000 THEN 'x' ELSE '1' END AS n FROM range(700000)",
  );
  const read = async (): Promise<number> =>
    warehouse.ask('SELECT CAST(n AS INTEGER) AS n FROM t', signal, (result) =>
      writeResult(result, { format: 'csv' }, async () => {}),
    );
  await expect(read()).rejects.toMatchObject({ code: 'bad_query', exitCode: 2 });
});

test.each([0, 50])('an abort after %i ms ends a query, and the next query works', async (after) => {
  const { warehouse } = await someWarehouse();
  const controller = new AbortController();
  const reason = new Error('enough');
  const sql = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b';
  const asked = expect(warehouse.ask(sql, controller.signal, rowsOf)).rejects.toBe(reason);
  if (after === 0) controller.abort(reason);
  else setTimeout(() => controller.abort(reason), after);
  await asked;
  expect(await warehouse.ask('SELECT 1 AS n', signal, rowsOf)).toEqual([[1]]);
});

test('the pages, the count and the chart of a kept answer come from one run, until another answer is kept', async () => {
  const { warehouse } = await someWarehouse('CREATE TABLE t AS SELECT range AS n FROM range(5000)');
  const page = (sql: string, more: RowsPage, most = '4000') =>
    warehouse.askPage(
      { sql, parameters: new Map([['most', most]]), page: { isKept: true, ...more } },
      signal,
      async (result) => ({ names: result.names, rows: await result.rows() }),
    );
  const sql = 'SELECT n AS "n;", random() AS x FROM main.t WHERE n < CAST($most AS BIGINT) ORDER BY n DESC';
  const first = await page(sql, { limit: 2, offset: 0 });
  expect(first.names).toEqual(['n;', 'x']);
  expect(first.rows.map(([n]) => n)).toEqual([3999n, 3998n]);
  expect((await page(sql, { limit: 2, offset: 0 })).rows).toEqual(first.rows);
  expect((await page(sql, { limit: 2, offset: 2998 })).rows.map(([n]) => n)).toEqual([1001n, 1000n]);
  expect((await page(sql, { count: true, filter: { text: '399' } })).rows[0]?.[0]).toBeGreaterThanOrEqual(
    11n,
  );
  const sorted = await page(sql, { columns: ['x'], sort: { column: 'n;', descending: true }, limit: 1 });
  expect(sorted).toEqual({ names: ['x'], rows: [[first.rows[0]?.[1]]] });
  expect((await page(sql, { limit: 1 }, '10')).rows[0]?.[0]).toBe(9n);
  expect((await page(sql, { limit: 1 })).rows[0]?.[1]).not.toBe(first.rows[0]?.[1]);
  await expect(page('SELECT nope FROM main.t LIMIT $most', { limit: 1 })).rejects.toMatchObject({
    code: 'bad_query',
  });
  const today = await page(sql, { limit: 1 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await page(sql, { limit: 1 })).rows[0]?.[1]).not.toBe(today.rows[0]?.[1]);
  const failing = 'SELECT\n\nCAST(n || $most AS DATE) AS d FROM main.t ORDER BY 1';
  await expect(page(failing, { limit: 1 })).rejects.toThrow(/LINE 3: CAST/);
  await expect(page('DROP TABLE t', { limit: 1 })).rejects.toMatchObject({ code: 'bad_query' });
  expect((await page(sql, { limit: 1 }, '3')).rows[0]?.[0]).toBe(2n);
});
