import { describe, expect, test } from 'vitest';
import { AggregateResponse } from '../../../src/client/resources/aggregates.ts';
import { field, importFolder, type Json, sharedService } from '../support.ts';

const dir = await importFolder('site-2025-03-05', {
  pages: {
    fields: [
      field('url', 'string'),
      field('depth', 'natural', 'one', { agg_metric_methods: ['min', 'max', 'avg', 'sum', 'cardinality'] }),
      field('load_time', 'natural'),
      field('score', 'float'),
      field('big', 'natural'),
      field('tags', 'string', 'many'),
      field('sizes', 'natural', 'many'),
      field('ok', 'bool'),
      field('seen', 'datetime'),
      field('a:b', 'natural'),
      field('note', 'string', 'one', { agg_dimension: false, agg_metric_methods: [] }),
    ],
    rows: [
      '{"url":"a","depth":1,"load_time":100,"score":0.5,"big":9007199254740993,"tags":["x","y","x"],"sizes":[1,20],"ok":true,"seen":"2025/01/02 00:00:00 UTC","a:b":7}',
      '{"url":"b","depth":2,"load_time":200,"score":1.5,"big":9007199254740993,"tags":["y"],"sizes":[5],"ok":false,"seen":"2025/01/01 00:00:00 UTC"}',
      '{"url":"c","depth":2,"load_time":3112253,"score":null,"big":1,"tags":[],"sizes":null,"ok":true,"seen":null}',
      '{"url":"d","depth":null,"load_time":null,"score":null,"big":null,"tags":null,"sizes":[7,8],"ok":null,"seen":null}',
    ],
  },
});
const it = await sharedService({ importDirs: [dir], generate: ['pages=12000,columns=3'] });
const crawl = String((await it.crawls()).find((found) => found.fetched_urls === 4)?.id);
const generated = String((await it.crawls()).find((found) => found.fetched_urls !== 4)?.id);

/** The tables as text: `3112553.0` and whole numbers beyond 2^53 would be others as JavaScript numbers. */
async function tables(...aggs: Json[]): Promise<string> {
  const { status, text } = await it.api(`/data/crawl/${crawl}/pages/aggs`, { body: { aggs } });
  expect(status, text).toBe(200);
  return text;
}
const table = (cols: string[], rows: string): string =>
  `{"aggs":[{"cols":${JSON.stringify(cols)},"rows":${rows}}]}`;

test('without fields and value, all rows are counted as page_count', async () => {
  expect(await tables({})).toBe(table(['page_count'], '[[4]]'));
});

test('a bucket by value has one row per value in order, and rows without a value last', async () => {
  expect(await tables({ fields: [{ name: 'depth' }] })).toBe(
    table(['depth', 'page_count'], '[[1,1],[2,2],[null,1]]'),
  );
  expect(await tables({ fields: [{ name: 'ok' }] })).toBe(
    table(['ok', 'page_count'], '[[false,1],[true,2],[null,1]]'),
  );
});

test('a many-valued field counts a row once under each value', async () => {
  expect(await tables({ fields: [{ name: 'tags' }] })).toBe(
    table(['tags', 'page_count'], '[["x",1],["y",2],[null,2]]'),
  );
});

test('a bucket without values to measure stays in the result', async () => {
  expect(await tables({ fields: [{ name: 'depth' }], value: 'tags:value_count' })).toBe(
    table(['depth', 'tags:value_count'], '[[1,3],[2,1],[null,0]]'),
  );
  expect(await tables({ fields: [{ name: 'url' }], value: 'sizes:sum' })).toBe(
    table(['url', 'sizes:sum'], '[["a",21.0],["b",5.0],["c",0.0],["d",15.0]]'),
  );
});

test('ranges include their lower bound, exclude their upper bound, and may overlap', async () => {
  const ranges = [
    { name: 'below', to: 200 },
    { name: 'from 200', from: 200 },
    { name: 'some', from: 100, to: 201 },
    { name: 'never', from: 5_000_000 },
    { name: 'any' },
  ];
  expect(await tables({ fields: [{ name: 'load_time', ranges }] })).toBe(
    table(['load_time', 'page_count'], '[["below",1],["from 200",2],["some",2],["any",3]]'),
  );
});

test('a row with two values in one range counts once', async () => {
  const ranges = [
    { name: 'small', from: 0, to: 10 },
    { name: 'large', from: 10 },
  ];
  expect(await tables({ fields: [{ name: 'sizes', ranges }] })).toBe(
    table(['sizes', 'page_count'], '[["small",3],["large",1]]'),
  );
});

test('several buckets combine, after the filter', async () => {
  const oql = { field: ['depth', 'has_value', ''] };
  expect(await tables({ oql, fields: [{ name: 'depth' }, { name: 'tags' }], value: 'load_time:sum' })).toBe(
    table(
      ['depth', 'tags', 'load_time:sum'],
      '[[1,"x",100.0],[1,"y",100.0],[2,"y",200.0],[2,null,3112253.0]]',
    ),
  );
});

test.each<[string, string]>([
  ['load_time:sum', '3112553.0'],
  ['load_time:min', '100'],
  ['load_time:max', '3112253'],
  ['load_time:avg', '1037517.6666666666'],
  ['load_time:value_count', '3'],
  ['load_time:cardinality', '3'],
  ['big:sum', '18014398509481987.0'],
  ['big:max', '9007199254740993'],
  ['big:cardinality', '2'],
  ['score:sum', '2.0'],
  ['score:avg', '1.0'],
  ['sizes:sum', '41.0'],
  ['sizes:value_count', '5'],
  ['sizes:max', '20'],
  ['tags:value_count', '4'],
  ['tags:cardinality', '2'],
  ['seen:min', '"2025/01/01 00:00:00 UTC"'],
  ['a:b:max', '7'],
])('%s', async (value, expected) => {
  expect(await tables({ value })).toBe(table([value], `[[${expected}]]`));
});

test('without values the sum is 0.0, the counts are 0, and other operations are null', async () => {
  const oql = { field: ['url', 'equals', 'nowhere'] };
  for (const [method, expected] of Object.entries({
    sum: '0.0',
    value_count: '0',
    cardinality: '0',
    avg: 'null',
    min: 'null',
  }))
    expect(await tables({ oql, value: `load_time:${method}` })).toContain(`"rows":[[${expected}]]`);
  expect(await tables({ oql, fields: [{ name: 'depth' }] })).toContain('"rows":[]');
});

test('each query has its own table, in request order', async () => {
  const { aggs } = AggregateResponse.parse(JSON.parse(await tables({}, { value: 'depth:max' })));
  expect(aggs.map(({ cols, rows }) => ({ cols, rows }))).toEqual([
    { cols: ['page_count'], rows: [[4]] },
    { cols: ['depth:max'], rows: [[2]] },
  ]);
});

test('a data type without rows counts 0', async () => {
  const ask = async (query: Json): Promise<unknown> =>
    (await it.api(`/data/crawl/${crawl}/links/aggs`, { body: { aggs: [query] } })).json;
  expect(await ask({ oql: { field: ['intern', 'equals', true] } })).toEqual({
    aggs: [{ cols: ['page_count'], rows: [[0]] }],
  });
  expect(await ask({ fields: [{ name: 'origin' }] })).toEqual({
    aggs: [{ cols: ['origin', 'page_count'], rows: [] }],
  });
});

test('more than 10,000 rows are an error of only that aggregate', async () => {
  const { status, json } = await it.api(`/data/crawl/${generated}/pages/aggs`, {
    body: { aggs: [{ fields: [{ name: 'url' }] }, {}] },
  });
  expect(status).toBe(200);
  expect(json.aggs).toEqual([
    {
      error: {
        type: 'invalid_request',
        message: expect.stringContaining('aggs[0] has more than 10000 rows'),
      },
    },
    { cols: ['page_count'], rows: [[12_000]] },
  ]);
});

describe('a query that the fields do not allow is refused with its position', () => {
  const range = (more: Json): Json => ({ fields: [{ name: 'load_time', ranges: [{ name: 'r', ...more }] }] });
  test.each<[string, Json, string, string]>([
    ['an unknown bucket', { fields: [{ name: 'nope' }] }, 'aggs[1].fields[0].name', 'unknown_field'],
    [
      'a field that is not a dimension',
      { fields: [{ name: 'note' }] },
      'aggs[1].fields[0].name',
      'not_a_dimension',
    ],
    ['a bucket twice', { fields: [{ name: 'url' }, { name: 'url' }] }, 'aggs[1].fields[1].name', 'duplicate'],
    [
      'ranges of text',
      { fields: [{ name: 'url', ranges: [{ name: 'r' }] }] },
      'aggs[1].fields[0].ranges',
      'not_numeric',
    ],
    ['a range upside down', range({ from: 2, to: 2 }), 'aggs[1].fields[0].ranges[0].to', 'value'],
    [
      'a range without a name',
      { fields: [{ name: 'depth', ranges: [{ from: 1 }] }] },
      'aggs[1].fields[0].ranges[0].name',
      'required',
    ],
    [
      'a method that the field does not list',
      { value: 'depth:value_count' },
      'aggs[1].value',
      'method_not_allowed',
    ],
    ['a sum of text', { value: 'url:sum' }, 'aggs[1].value', 'method_not_allowed'],
    [
      'any method on a field that lists none',
      { value: 'note:cardinality' },
      'aggs[1].value',
      'method_not_allowed',
    ],
    ['a method of others', { value: 'depth:median' }, 'aggs[1].value', 'unknown_method'],
    ['a value without a method', { value: 'depth' }, 'aggs[1].value', 'format'],
    ['a value of no field', { value: 'nope:max' }, 'aggs[1].value', 'unknown_field'],
    [
      'a filter on no field',
      { oql: { and: [{ field: ['nope', 'equals', 1] }] } },
      'aggs[1].oql.and[0].field[0]',
      'unknown_field',
    ],
    [
      'a broken pattern',
      { oql: { field: ['url', 'equals', '(', { regex: true }] } },
      'aggs[1].oql.field[2]',
      'regex',
    ],
  ])('%s', async (_name, query, name, type) => {
    const { status, json } = await it.api(`/data/crawl/${crawl}/pages/aggs`, { body: { aggs: [{}, query] } });
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name, type }] });
  });
});
