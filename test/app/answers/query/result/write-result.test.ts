import { expect, test } from 'vitest';
import type { TextFormat } from '../../../../../src/app/answers/query/result/text-formats.ts';
import { writeResult } from '../../../../../src/app/answers/query/result/write-result.ts';
import { parseJson } from '../../../../../src/core/text/json.ts';
import { someWarehouse } from '../some-warehouse.ts';

const signal = new AbortController().signal;

async function query(
  sql: string,
  format: TextFormat,
  names: 'people' | 'columns' = 'columns',
): Promise<{ text: string; rows: number }> {
  const { warehouse } = await someWarehouse();
  let text = '';
  const rows = await warehouse.ask(sql, signal, (result) =>
    writeResult(result, { format, names }, async (piece) => {
      text += piece;
    }),
  );
  return { text, rows };
}

const textOf = async (sql: string, format: TextFormat): Promise<string> => (await query(sql, format)).text;

test('numbers of any size are JSON numbers with all their digits', async () => {
  const sql = `SELECT 9007199254740993 AS big, 170141183460469231731687303715884105727::HUGEINT AS huge,
    -9223372036854775808 AS least, 12345678901234567890123456789012345678::DECIMAL(38,0) AS wide,
    1.10::DECIMAL(10,2) AS price, 0.1::DOUBLE AS ratio, 18446744073709551615::UBIGINT AS unsigned`;
  expect(await textOf(sql, 'jsonl')).toBe(
    '{"big":9007199254740993,"huge":170141183460469231731687303715884105727,"least":-9223372036854775808,' +
      '"wide":12345678901234567890123456789012345678,"price":1.10,"ratio":0.1,"unsigned":18446744073709551615}\n',
  );
  expect((await textOf(sql, 'csv')).split('\n')[1]).toBe(
    '9007199254740993,170141183460469231731687303715884105727,-9223372036854775808,' +
      '12345678901234567890123456789012345678,1.10,0.1,18446744073709551615',
  );
});

test('times are ISO 8601 in UTC with their decimals, dates are dates', async () => {
  const sql = `SELECT TIMESTAMPTZ '2026-01-31 12:00:00+01' AS a, TIMESTAMPTZ '2026-01-31 12:00:00.5+00' AS b,
    TIMESTAMPTZ '1969-12-31 23:59:59.999999+00' AS c, DATE '2026-02-01' AS d, TIMESTAMP '2026-01-31 12:00:00' AS e`;
  expect(JSON.parse(await textOf(sql, 'jsonl'))).toEqual({
    a: '2026-01-31T11:00:00Z',
    b: '2026-01-31T12:00:00.500Z',
    c: '1969-12-31T23:59:59.999999Z',
    d: '2026-02-01',
    e: '2026-01-31T12:00:00Z',
  });
});

test('NULL is null, and NaN and infinity are null in JSON', async () => {
  const sql = `SELECT NULL AS a, CAST(NULL AS BIGINT[]) AS b, 'NaN'::DOUBLE AS c, [1, NULL] AS d, 'inf'::DOUBLE AS e`;
  expect(await textOf(sql, 'jsonl')).toBe('{"a":null,"b":null,"c":null,"d":[1,null],"e":null}\n');
});

test('lists, structs, maps and JSON columns become JSON values', async () => {
  const sql = `SELECT [1, 2] AS list, {'a': 9007199254740993, 'b': ['x']} AS struct, MAP {'k': 1} AS map,
    '{"n": 9007199254740993, "a": [true, null]}'::JSON AS json, '"text"'::JSON AS json_text, '[]' AS plain`;
  expect(await textOf(sql, 'jsonl')).toBe(
    '{"list":[1,2],"struct":{"a":9007199254740993,"b":["x"]},"map":{"k":1},' +
      '"json":{"n":9007199254740993,"a":[true,null]},"json_text":"text","plain":"[]"}\n',
  );
});

test('json is one array of objects, whatever the number of rows', async () => {
  expect(await query('SELECT range AS n FROM range(3)', 'json')).toEqual({
    text: '[\n{"n":0},\n{"n":1},\n{"n":2}\n]\n',
    rows: 3,
  });
  const many = await query('SELECT range AS n FROM range(5000)', 'json');
  expect(many.rows).toBe(5000);
  expect(parseJson(many.text)).toHaveLength(5000);
});

test('an empty result is a valid document of its format', async () => {
  const sql = 'SELECT 1 AS n, 2 AS "a,b" WHERE false';
  expect(await query(sql, 'json')).toEqual({ text: '[]\n', rows: 0 });
  expect(await query(sql, 'jsonl')).toEqual({ text: '', rows: 0 });
  expect(await query(sql, 'csv')).toEqual({ text: 'n,"a,b"\n', rows: 0 });
  expect(await query(sql, 'markdown')).toEqual({ text: '| n | a,b |\n| --- | --- |\n', rows: 0 });
  expect((await query(sql, 'table')).text.split('\n')[0]).toBe('n  a,b');
});

test('csv quotes only where needed, and distinguishes NULL from empty text', async () => {
  const sql = `SELECT * FROM (VALUES ('a,b', 'say "x"', E'two\\nlines', '', NULL), (' s ', '1', 'é;', 'x', 'NULL')) v`;
  expect((await textOf(sql, 'csv')).split('\n').slice(1).join('\n')).toBe(
    '"a,b","say ""x""","two\nlines","",\n s ,1,é;,x,NULL\n',
  );
});

test('columns with the same name are distinguished', async () => {
  const sql = 'SELECT 1 AS n, 2 AS n, 3 AS m';
  const object = JSON.parse(await textOf(sql, 'jsonl')) as Record<string, number>;
  expect(Object.values(object)).toEqual([1, 2, 3]);
  expect((await textOf(sql, 'csv')).split('\n')[1]).toBe('1,2,3');
});

test('a table aligns numbers right, and shows how many rows it left out', async () => {
  expect(await textOf(`SELECT * FROM (VALUES ('long name', 1), ('s', 1000)) v (name, n)`, 'table')).toBe(
    'name          n\n─────────  ────\nlong name     1\ns          1000\n',
  );
  const long = await query('SELECT range AS n FROM range(1500)', 'table');
  expect(long.rows).toBe(1500);
  expect(long.text).toContain('… 500 more rows; --format csv, json or jsonl prints all');
});

test('a long or many-lined value stays on one line of a table', async () => {
  const text = await textOf(`SELECT repeat('x', 200) AS a, E'two\\nlines' AS b`, 'table');
  expect(text.split('\n')).toHaveLength(4);
  expect(text).toContain(`${'x'.repeat(79)}…  two lines`);
});

test('markdown escapes what would end a cell', async () => {
  expect(await textOf(`SELECT 'a|b' AS v, NULL AS n`, 'markdown')).toBe(
    '| v | n |\n| --- | --- |\n| a\\|b |  |\n',
  );
});

test('the writer waits for a slow reader', async () => {
  const { warehouse } = await someWarehouse();
  let busy = false;
  const rows = await warehouse.ask('SELECT range AS n FROM range(10000)', signal, (result) =>
    writeResult(result, { format: 'jsonl' }, async () => {
      expect(busy).toBe(false);
      busy = true;
      await new Promise((resolve) => setImmediate(resolve));
      busy = false;
    }),
  );
  expect(rows).toBe(10_000);
});

test('a table aligns by display width, and truncates between characters', async () => {
  const sql = `SELECT * FROM (VALUES ('日本語', 1), ('👍', 22), (repeat('語', 50), 3)) AS t (name, n)`;
  const lines = (await textOf(sql, 'table')).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    `name${' '.repeat(75)}   n`,
    `${'─'.repeat(79)}  ──`,
    `日本語${' '.repeat(73)}   1`,
    `👍${' '.repeat(77)}  22`,
  ]);
  expect(lines[4]).toBe(`${'語'.repeat(39)}…   3`);
});

test('the first rows equal those of the full result, and no more rows are read', async () => {
  const { warehouse } = await someWarehouse();
  // Rows come in chunks of 2,048, some of them ahead; the last one would fail.
  const sql =
    "SELECT CASE WHEN i < 9000000 THEN i ELSE error('read too far') END AS i FROM range(9000001) AS t(i)";
  for (const firstRows of [1, 2047, 2048, 2049, 4097]) {
    let text = '';
    const take = async (piece: string): Promise<void> => {
      text += piece;
    };
    const rows = await warehouse.ask(sql, signal, (result) =>
      writeResult(result, { format: 'jsonl', firstRows, rowLimit: 4097 }, take),
    );
    const lines = text.trim().split('\n');
    expect([rows, lines.length, lines.at(-1)]).toEqual([firstRows, firstRows, `{"i":${firstRows - 1}}`]);
  }
});

test('readable column names are unique, in each format', async () => {
  const sql = 'SELECT 3 AS depth, 4 AS crawl_depth, 5 AS nb_inlinks, \'x\' AS "Own name"';
  for (const format of ['csv', 'json', 'jsonl', 'markdown', 'table', 'record'] as const) {
    const { text } = await query(sql, format, 'people');
    const places = ['Crawl depth', 'Crawl depth (crawl_depth)', 'Inlinks', 'Own name'].map((name) =>
      text.indexOf(name),
    );
    expect([format, places.every((place) => place >= 0)]).toEqual([format, true]);
    expect(text).not.toContain('nb_inlinks');
  }
});
