import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  readAnswer,
  readChartRows,
  readCount,
  type View,
} from '../../../../src/app/console/readers/read-answer.ts';
import { Readers, withoutModels } from '../../../../src/app/console/readers/readers.ts';
import { type Statement, statementOf } from '../../../../src/app/console/readers/statement.ts';
import { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { errorOf } from '../../../support/error-of.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const folder = sharedFolder();
const { signal } = new AbortController();
let readers: Readers;
beforeAll(async () => {
  // On a slow machine, a count may take longer than a page waits for it.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  readers = new Readers(await projectWithWarehouse(folder), silentLogger);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await readers[Symbol.asyncDispose]();
});

const FIRST: View = { filter: null, sort: null, page: 1 };
const PAGES = 'SELECT url, large FROM mart.pages ORDER BY large';

async function statement(fields: Readonly<Record<string, string>>): Promise<Statement> {
  const query = new URLSearchParams(fields);
  return statementOf(query, await readers.questions(), { kept: readers.texts, subject: 'ops' });
}

async function answer(sql: string, view: Partial<View> = {}, within = signal) {
  return readAnswer(readers.asking, await statement({ sql }), { ...FIRST, ...view }, within);
}

test('a page has 100 rows, and the rows of the whole answer are counted unless the last page shows them', async () => {
  const first = await answer(PAGES);
  expect([first.rows.length, first.more, first.total]).toEqual([100, true, 250]);
  expect([first.why, first.scope]).toEqual([null, []]);
  expect(first.seconds).toBeGreaterThan(0);
  expect(first.seconds).toBeLessThan(60);
  const last = await answer(PAGES, { page: 3 });
  expect([last.rows.length, last.more, last.total]).toEqual([50, false, 250]);
  expect(last.rows[0]?.[0]).toBe('https://shop.example/200');
  const after = await answer(PAGES, { page: 4 });
  expect([after.rows.length, after.more, after.total]).toEqual([0, false, 250]);
});

test('a filter and a sort apply to the whole answer', async () => {
  const found = await answer(PAGES, { filter: { text: '/24' }, sort: { column: 'url', descending: true } });
  expect(found.total).toBe(11);
  expect(found.rows[0]?.[0]).toBe('https://shop.example/249');
  const none = await answer(PAGES, { filter: { text: 'nothing' } });
  expect([none.total, none.why]).toEqual([0, null]);
  expect((await answer(PAGES, { filter: { text: 'SHOP' } })).total).toBe(250);
});

test('a statement that needs less work reads a page, and another one counts the rows', async () => {
  const part = (limit: number, offset: number) => `SELECT ${limit} AS l, ${offset} AS o FROM range(101)`;
  const found = await answer(PAGES, { page: 2, part, isCounted: true });
  expect([found.rows.length, found.more, found.total, found.rows[0]]).toEqual([100, true, null, [101, 100]]);
  const counting = { sql: 'SELECT $n::BIGINT AS n', parameters: new Map([['n', '7']]) };
  expect(await readCount(readers.asking, counting, signal)).toBe(7);
});

test('an empty answer explains why, if the project lacks what its question needs', async () => {
  const asked = await statement({
    question: 'q90_pages_by_status',
    'param.project': 'p1',
    'param.most': '0',
  });
  const found = await readAnswer(readers.asking, asked, FIRST, signal);
  expect([found.total, found.rows]).toEqual([0, []]);
  expect(found.why).toEqual(expect.any(String));
});

test('an error of the statement stays as it is, and a limit names a place with larger limits', async () => {
  expect(await errorOf(answer('SELECT nope FROM mart.pages'))).toMatchObject({ code: 'bad_query' });
  const wide = `SELECT repeat('x', 400_000) || i AS t FROM range(4) AS r(i)`;
  expect(await errorOf(answer(wide))).toMatchObject({
    code: 'query_limit',
    hint: expect.stringContaining('download the whole result'),
  });
  const left = new AbortController();
  left.abort(new Error('left'));
  await expect(answer(PAGES, {}, left.signal)).rejects.toThrow('left');
});

test('a chart has the first 2,000 rows and shows whether more follow', async () => {
  const chart = async (rows: number) =>
    readChartRows(
      readers.asking,
      await statement({ sql: `SELECT range AS n FROM range(${rows})` }),
      { sort: { column: 'n', descending: true } },
      signal,
    );
  const whole = await chart(2000);
  expect([whole.rows.length, whole.cut, whole.rows[0]]).toEqual([2000, false, { n: 1999 }]);
  const cut = await chart(2001);
  expect([cut.rows.length, cut.cut]).toEqual([2000, true]);
});

test('parameters have the types of the standard ones, or the type that DuckDB infers', async () => {
  const sql = 'SELECT $crawl AS crawl, $n AS n, typeof($from) AS day';
  const asked = await statement({
    sql,
    'param.crawl': 'latest',
    'param.n': '41',
    'param.from': '2026-11-01',
  });
  const found = await readAnswer(readers.asking, asked, FIRST, signal);
  expect(found.rows).toEqual([['c2', '41', 'DATE']]);
});

test('the rows, the tables and the state of the publication are read from one place', async () => {
  expect(await readers.rows('SELECT status FROM mart.pages ORDER BY url', signal, new Map(), 2)).toHaveLength(
    2,
  );
  let reads = 0;
  const read = () =>
    readers.readOnce('pages', async (warehouse, until) => {
      reads++;
      return warehouse.rows('SELECT count(*) AS n FROM mart.pages', until);
    });
  expect([await read(), await read(), reads]).toEqual([[{ n: 250 }], [{ n: 250 }], 1]);
  const names = await readers.published((connection) => connection.rows('SELECT name FROM raw.projects'));
  expect(names).toEqual([{ name: 'Shop' }]);
  expect((await readers.firings()).length).toBeGreaterThan(0);
});

test('an answer that fails is read again, and more than 2,000 answers are not kept', async () => {
  let reads = 0;
  const failing = () => readers.once('fails', () => Promise.reject(new Error(`failed ${++reads}`)));
  await expect(failing()).rejects.toThrow('failed 1');
  await expect(failing()).rejects.toThrow('failed 2');
  const read = (key: string) => readers.once(key, async () => ++reads);
  const first = await read('key 0');
  for (let index = 1; index < 2000; index++) await read(`key ${index}`);
  expect(await read('key 0')).toBe(first);
  await read('key 2000');
  expect(await read('key 0')).toBe(first);
  expect(await read('key 1')).toBe(reads);
});

test('only a table that is missing counts as a project without the shipped models', () => {
  const missing = new CrawlhouseError('bad_query', 'no table mart.pages');
  expect(withoutModels('none')(missing)).toBe('none');
  const other = new CrawlhouseError('query_limit', 'too many');
  expect(() => withoutModels('none')(other)).toThrow(other);
  expect(() => withoutModels('none')(new Error('x'))).toThrow('x');
});
