import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PublishedWarehouse } from '../../../../src/app/answers/query/query-warehouse.ts';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import type { StreamedRows } from '../../../../src/core/duckdb/streamed-rows.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { someWarehouse } from './some-warehouse.ts';

const signal = new AbortController().signal;
const rowsOf = (result: StreamedRows) => result.rows();

const PAGES = `CREATE TABLE pages AS SELECT * FROM (VALUES
  (1, 'a', 1.5, DATE '2026-01-31', ''), (9007199254740993, '7', 2.5, DATE '2026-02-01', '''; DROP')
) v (id, url, score, day, note)`;

async function ask(sql: string, parameters: Record<string, string>) {
  const { warehouse } = await someWarehouse(PAGES);
  return warehouse.ask(sql, signal, rowsOf, new Map(Object.entries(parameters)));
}

test('a text parameter gets the type that the statement expects', async () => {
  expect(await ask('SELECT url FROM pages WHERE id = $id', { id: '9007199254740993' })).toEqual([['7']]);
  expect(await ask('SELECT url FROM pages WHERE url = $url', { url: '7' })).toEqual([['7']]);
  expect(await ask('SELECT url FROM pages WHERE day > $day', { day: '2026-01-31' })).toEqual([['7']]);
  expect(await ask('SELECT url FROM pages WHERE score < $most', { most: '2' })).toEqual([['a']]);
  expect(await ask('SELECT url FROM pages WHERE note = $note', { note: '' })).toEqual([['a']]);
  expect(await ask('SELECT url FROM pages WHERE note = $note', { note: "'; DROP" })).toEqual([['7']]);
  expect(await ask('SELECT $a AS a, $a AS b', { a: 'x' })).toEqual([['x', 'x']]);
});

test('a missing, mistyped or unknown parameter is named', async () => {
  const sql = 'SELECT url FROM pages WHERE id = $id AND url = $url';
  await expect(ask(sql, { id: '1' })).rejects.toMatchObject({
    code: 'usage',
    message: 'parameter $url has no value',
    hint: '--param url=VALUE',
  });
  await expect(ask(sql, { id: 'one', url: 'a' })).rejects.toMatchObject({
    code: 'usage',
    message: '--param id=one: not a BIGINT',
  });
  await expect(ask(sql, { id: '1', url: 'a', crawl: 'c' })).rejects.toMatchObject({
    code: 'usage',
    message: '--param crawl: the SQL has no $crawl',
    hint: 'the SQL needs $id, $url',
  });
  await expect(ask('SELECT ?', {})).rejects.toMatchObject({
    code: 'usage',
    message: 'parameter $1 has no value',
  });
});

test('Parquet is written only to the given file', async () => {
  const folder = await temporaryFolder();
  const { path } = await someWarehouse(PAGES);
  const output = join(folder, "it's rows.parquet");
  using warehouse = await PublishedWarehouse.open({
    warehouse: path,
    memoryLimit: '200MB',
    threads: 1,
    output,
  });
  const sql = 'SELECT id, url, day FROM pages WHERE id >= $least ORDER BY id -- all of them';
  expect(await warehouse.writeParquet(sql, output, signal, new Map([['least', '1']]))).toBe(2);
  const connection = await temporaryConnection(folder);
  expect(
    await connection.rows(`SELECT id, url, day::VARCHAR AS day FROM read_parquet(${text(output)})`),
  ).toEqual([
    { id: 1n, url: 'a', day: '2026-01-31' },
    { id: 9007199254740993n, url: '7', day: '2026-02-01' },
  ]);
  const elsewhere = join(folder, 'other.parquet');
  await expect(warehouse.writeParquet('SELECT 1', elsewhere, signal)).rejects.toMatchObject({
    code: 'bad_query',
  });
  expect((await readdir(folder)).filter((name) => name.endsWith('.parquet'))).toEqual(["it's rows.parquet"]);
});
