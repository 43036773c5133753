import { describe, expect, test } from 'vitest';
import type { Oql } from '../../../../src/client/oql/oql.ts';
import { FieldsResponse } from '../../../../src/client/resources/fields.ts';
import { SearchResponse } from '../../../../src/client/resources/search.ts';
import { field, importFolder, type Json, service, sharedService } from '../../support.ts';

const actions = (...names: string[]): { actions: string[] } => ({ actions: names });
const FIELDS = [
  field('url', 'string'),
  field('status', 'natural'),
  field('score', 'float'),
  field('ok', 'bool'),
  field('kind', 'enum', 'one', actions('equals', 'not_equals', 'has_value', 'has_no_value')),
  field('seen', 'datetime'),
  field('day', 'date'),
  field('tags', 'string', 'many'),
  field('sizes', 'natural', 'many'),
  field('extra', 'object', 'one', { can_filter: false, can_sort: false }),
  field('hidden', 'string', 'one', { can_display: false }),
  field('big', 'natural'),
];
const ROWS: Json[] = [
  {
    url: 'https://a.example/Home',
    status: 200,
    score: 0.5,
    ok: true,
    kind: 'x',
    seen: '2025/01/01 10:00:00 UTC',
    day: '2025-01-01',
    tags: ['red', 'Blue'],
    sizes: [1, 10],
    hidden: 'h',
  },
  {
    url: 'https://a.example/b',
    status: 404,
    score: 1.5,
    ok: false,
    kind: 'y',
    seen: '2025/01/02 00:00:00 UTC',
    day: '2025-01-02',
    tags: ['green'],
    sizes: [5],
    extra: { a: 1 },
  },
  {
    url: 'https://a.example/c',
    status: 500,
    score: 2.25,
    ok: true,
    kind: null,
    seen: '2025/01/03 23:59:59 UTC',
    day: '2025-01-03',
    tags: [],
    sizes: null,
  },
  {
    url: 'https://b.example/',
    status: null,
    score: null,
    ok: null,
    kind: 'x',
    seen: null,
    day: null,
    tags: null,
    sizes: [20, 30],
  },
];
const BIG = ['9007199254740992', '9007199254740993', '36893488147419103232', '3.7'];
const dir = await importFolder('site-2025-01-05', {
  pages: {
    fields: FIELDS,
    rows: ROWS.map((row, index) => JSON.stringify(row).replace(/}$/, `,"big":${BIG[index]}}`)),
  },
});
const it = await sharedService({ importDirs: [dir], generate: ['pages=12000,columns=3'] });
const crawl = String((await it.crawls()).find((found) => found.fetched_urls === 4)?.id);
const generated = String((await it.crawls()).find((found) => found.fetched_urls !== 4)?.id);

async function found(oql: unknown): Promise<number[]> {
  const { status, json } = await it.search(crawl, 'pages', { oql, fields: ['url'] });
  expect(status, JSON.stringify(json)).toBe(200);
  const urls = ROWS.map((row) => row.url);
  return SearchResponse.parse(json).urls?.map((row) => urls.indexOf(row.url)) ?? [];
}

test('fields are returned as they were imported', async () => {
  const { json } = await it.api(`/data/crawl/${crawl}/pages/fields`);
  expect(FieldsResponse.parse(json).fields).toEqual(FIELDS);
});

test('a data type without a file has the catalog fields and no rows', async () => {
  const { json } = await it.api(`/data/crawl/${crawl}/links/fields`);
  expect(FieldsResponse.parse(json).fields.map(({ name }) => name)).toContain('origin');
  expect((await it.search(crawl, 'links', {})).json.meta).toMatchObject({ total_hits: 0 });
  expect((await it.search(crawl, 'links', { oql: { field: ['intern', 'equals', true] } })).status).toBe(200);
});

test('a search returns meta, the applied OQL, and the rows under urls', async () => {
  const oql = { field: ['status', 'gte', 400] };
  const { json } = await it.search(crawl, 'pages', { oql, fields: ['status', 'url'], limit: 1 });
  expect(json).toEqual({
    meta: { columns: ['status', 'url'], total_hits: 2, total_pages: 2 },
    oql,
    urls: [{ status: 404, url: 'https://a.example/b' }],
  });
});

test('without fields, every displayable field is returned', async () => {
  const { json } = await it.search(crawl, 'pages', {});
  expect((json.meta as Json).columns).toEqual(
    FIELDS.map(({ name }) => name).filter((name) => name !== 'hidden'),
  );
});

describe('OQL', () => {
  test.each<[string, unknown, number[]]>([
    ['has_value', ['status', 'has_value', ''], [0, 1, 2]],
    ['has_no_value', ['status', 'has_no_value', ''], [3]],
    ['has_value of an empty list', ['tags', 'has_value', ''], [0, 1]],
    ['has_no_value of an empty list', ['tags', 'has_no_value', ''], [2, 3]],
    ['contains', ['url', 'contains', '.example/'], [0, 1, 2, 3]],
    ['contains is case-sensitive', ['url', 'contains', 'home'], []],
    ['contains with ci', ['url', 'contains', 'home', { ci: true }], [0]],
    ['startswith', ['url', 'startswith', 'https://a'], [0, 1, 2]],
    ['endswith', ['url', 'endswith', '/c'], [2]],
    ['equals', ['url', 'equals', 'https://a.example/b'], [1]],
    ['equals with ci', ['url', 'equals', 'HTTPS://A.EXAMPLE/B', { ci: true }], [1]],
    ['startswith with an empty regex', ['url', 'startswith', '', { regex: true }], [0, 1, 2, 3]],
    ['contains with a regex of ends', ['url', 'contains', '^^', { regex: true }], [0, 1, 2, 3]],
    ['equals with regex matches the whole', ['url', 'equals', 'https://./?', { regex: true }], []],
    ['equals with regex', ['url', 'equals', 'https://.\\.example/[bc]', { regex: true }], [1, 2]],
    ['contains with regex and ci', ['url', 'contains', 'h.ME', { regex: true, ci: true }], [0]],
    ['startswith with regex', ['url', 'startswith', 'https://(b|x)', { regex: true }], [3]],
    ['endswith with regex', ['url', 'endswith', '/|c', { regex: true }], [2, 3]],
    ['not_equals holds where there is no value', ['kind', 'not_equals', 'x'], [1, 2]],
    ['not_equals of a many-valued field', ['tags', 'not_equals', 'green'], [0, 2, 3]],
    ['equals of a many-valued field', ['tags', 'equals', 'Blue'], [0]],
    ['contains of a many-valued field', ['tags', 'contains', 'RE', { ci: true }], [0, 1]],
    ['numbers in lists', ['sizes', 'gt', 9], [0, 3]],
    ['between on numbers in lists', ['sizes', 'between', [5, 10]], [1]],
    ['gt', ['status', 'gt', 404], [2]],
    ['gte', ['status', 'gte', 404], [1, 2]],
    ['lt', ['status', 'lt', 404], [0]],
    ['lte', ['status', 'lte', 404], [0, 1]],
    ['between leaves the upper bound out', ['status', 'between', [200, 500]], [0, 1]],
    ['floats', ['score', 'between', [1.5, 2.25]], [1]],
    ['a fraction against whole numbers', ['status', 'gt', 403.5], [1, 2]],
    ['booleans', ['ok', 'equals', true], [0, 2]],
    ['booleans as text', ['ok', 'equals', 'false'], [1]],
    ['datetimes', ['seen', 'gte', '2025/01/02 00:00:00 UTC'], [1, 2]],
    ['a datetime without a time is midnight', ['seen', 'between', ['2025-01-01', '2025-01-02']], [0]],
    ['dates', ['day', 'lt', '2025-01-02'], [0]],
    ['fractions among whole numbers', ['big', 'equals', 3.7], [3]],
  ])('%s', async (_name, leaf, expected) => {
    expect(await found({ field: leaf })).toEqual(expected);
  });

  test('integers beyond 2^53 are compared exactly', async () => {
    const ask = async (text: string): Promise<unknown> => {
      const raw = `{"fields":["url"],"oql":{"field":["big","equals",${text}]}}`;
      const { json } = await it.api(`/data/crawl/${crawl}/pages`, { raw });
      return (json.meta as Json).total_hits;
    };
    for (const text of BIG.slice(0, 3)) expect(await ask(text)).toBe(1);
    expect(await ask('9007199254740994')).toBe(0);
  });

  test('compounds nest, and an empty one matches all or none', async () => {
    const status: Oql = { field: ['status', 'gt', 300] };
    expect(await found({ and: [status, { or: [{ field: ['ok', 'equals', true] }, { and: [] }] }] })).toEqual([
      1, 2,
    ]);
    expect(await found({ and: [] })).toEqual([0, 1, 2, 3]);
    expect(await found({ or: [] })).toEqual([]);
  });

  test('values are bound, not inserted into the SQL', async () => {
    expect(await found({ field: ['url', 'contains', "' OR 1=1 --"] })).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['an unknown field', { field: ['nope', 'equals', 1] }, 'oql.field[0]'],
    ['a field that cannot be filtered by', { field: ['extra', 'has_value', ''] }, 'oql.field[0]'],
    ['an unknown filter', { and: [{ field: ['url', 'like', 'x'] }] }, 'oql.and[0].field[1]'],
    ['a filter that is not among the actions', { field: ['kind', 'contains', 'x'] }, 'oql.field[1]'],
    [
      'a string where a number belongs',
      { or: [{ and: [{ field: ['status', 'gt', '4'] }] }] },
      'oql.or[0].and[0].field[2]',
    ],
    ['an order on strings', { field: ['url', 'gt', 'a'] }, 'oql.field[2]'],
    ['one bound for between', { field: ['status', 'between', [1]] }, 'oql.field[2]'],
    ['has_no_value with a value', { field: ['status', 'has_no_value', 1] }, 'oql.field[2]'],
    ['options on a number', { field: ['status', 'gt', 1, { ci: true }] }, 'oql.field[3]'],
    ['an unknown option', { field: ['url', 'equals', 'x', { fuzzy: true }] }, 'oql.field[3]'],
    ['a broken regular expression', { field: ['url', 'equals', '(', { regex: true }] }, 'oql.field[2]'],
    [
      'a pattern of 1,001 characters',
      { field: ['url', 'equals', 'a'.repeat(1001), { regex: true }] },
      'oql.field[2]',
    ],
    [
      'a pattern that would grow too large',
      { field: ['url', 'equals', '(a{1000}){1000}', { regex: true }] },
      'oql.field[2]',
    ],
    [
      'more than 20 patterns',
      { or: Array.from({ length: 21 }, () => ({ field: ['url', 'equals', 'a', { regex: true }] })) },
      'oql.or[20].field',
    ],
    ['a regex on a number', { field: ['status', 'equals', 1, { regex: true }] }, 'oql.field[2]'],
    ['a day that is in no calendar', { field: ['day', 'gt', '2025-02-30'] }, 'oql.field[2]'],
    ['an invalid name', { field: [[1], 'equals', 'x'] }, 'oql.field[0]'],
    ['a node of two kinds', { and: [], or: [] }, 'oql'],
    ['a leaf of two', { field: ['url', 'equals'] }, 'oql.field'],
    ['a date of another form', { field: ['seen', 'gt', '1.2.2025'] }, 'oql.field[2]'],
  ])('%s is refused, with its position in the tree', async (_name, oql, place) => {
    const { status, json } = await it.search(crawl, 'pages', { oql });
    expect(status).toBe(400);
    expect(json.type).toBe('invalid_request_parameters');
    expect((json.fields as Json[]).map((problem) => problem.name)).toEqual([place]);
  });

  test('a tree that is too deep is refused, without a stack overflow', async () => {
    const raw = `{"oql":${'{"and":['.repeat(20_000)}${']}'.repeat(20_000)}}`;
    expect((await it.api(`/data/crawl/${crawl}/pages`, { raw })).status).toBe(400);
  });
});

describe('the body', () => {
  test.each<[string, Json, string[]]>([
    ['an unknown property', { feilds: ['url'] }, ['feilds']],
    ['an unknown field', { fields: ['url', 'nope'] }, ['fields[1]']],
    ['a field twice', { fields: ['url', 'url'] }, ['fields[1]']],
    ['a field that cannot be displayed', { fields: ['hidden'] }, ['fields[0]']],
    ['a field that cannot be sorted by', { sort: [{ field: 'tags', order: 'asc' }] }, ['sort[0].field']],
    ['an invalid order', { sort: [{ field: 'url', order: 'up' }] }, ['sort[0].order']],
    ['a negative limit', { limit: -1 }, ['limit']],
    ['a file type', { file_type: 'csv' }, ['file_type']],
  ])('%s is refused by name', async (_name, body, names) => {
    const { status, json } = await it.search(crawl, 'pages', body);
    expect(status).toBe(400);
    expect(json.type).toBe('invalid_request_parameters');
    expect((json.fields as Json[]).map((problem) => problem.name)).toEqual(names);
  });

  test.each<[string, string, Record<string, string>]>([
    ['broken JSON', '{"limit":', { 'content-type': 'application/json' }],
    ['another content type', 'limit=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['an array', '[]', { 'content-type': 'application/json' }],
  ])('%s gets the error object', async (_name, raw, headers) => {
    const { status, json } = await it.api(`/data/crawl/${crawl}/pages`, { raw, headers });
    expect(status).toBe(400);
    expect(json.type).toMatch(/^invalid_request/);
  });

  test('an unknown query parameter is refused', async () => {
    const { json } = await it.api(`/data/crawl/${crawl}/pages?exprot=true`, { body: {} });
    expect(json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name: 'exprot' }] });
  });
});

test.each([
  ['can_display', { fields: ['url', 'hidden'] }, 'fields[1]', 'not_displayable'],
  ['can_filter', { oql: { field: ['extra', 'has_value', ''] } }, 'oql.field[0]', 'not_filterable'],
  ['can_sort', { sort: [{ field: 'extra', order: 'asc' }] }, 'sort[0].field', 'not_sortable'],
])('%s applies to searches and exports', async (_name, body, name, type) => {
  for (const way of ['', '?export=true']) {
    const { status, json } = await it.api(`/data/crawl/${crawl}/pages${way}`, { body });
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name, type }] });
  }
});

test('a field that cannot be displayed can be filtered and sorted, and is not exported', async () => {
  const body = { oql: { field: ['hidden', 'equals', 'h'] }, sort: [{ field: 'hidden', order: 'asc' }] };
  expect((await it.search(crawl, 'pages', body)).json.meta).toMatchObject({ total_hits: 1 });
  expect((await it.export(crawl, 'pages', 'json', { body })).text).not.toContain('hidden');
});

test('rows of a crawl without displayable fields are empty objects', async () => {
  const hidden = field('url', 'string', 'one', { can_display: false });
  const folder = await importFolder('hidden', { pages: { fields: [hidden], rows: [{ url: 'a' }] } });
  const other = await service({ importDirs: [folder] });
  const { json } = await other.search(await other.crawlId(), 'pages', { limit: 1 });
  expect(json).toMatchObject({ meta: { columns: [], total_hits: 1 }, urls: [{}] });
});

test('integers beyond 2^53 are sorted exactly', async () => {
  const body = { fields: ['big'], sort: [{ field: 'big', order: 'desc' }] };
  const { text } = await it.search(crawl, 'pages', body);
  expect([...text.matchAll(/"big":([\d.]+)/g)].map((match) => match[1])).toEqual([
    BIG[2],
    BIG[1],
    BIG[0],
    BIG[3],
  ]);
});

test('rows are sorted with nulls last in both directions', async () => {
  const order = async (direction: string): Promise<unknown[]> => {
    const body = { fields: ['status'], sort: [{ field: 'status', order: direction }] };
    return ((await it.search(crawl, 'pages', body)).json.urls as Json[]).map((row) => row.status);
  };
  expect(await order('asc')).toEqual([200, 404, 500, null]);
  expect(await order('desc')).toEqual([500, 404, 200, null]);
});

test('a search ends at 10,000 results', async () => {
  const last = await it.search(generated, 'pages', { offset: 9_990, limit: 10, fields: ['url'] });
  expect(last.json.urls).toHaveLength(10);
  expect(last.json.meta).toMatchObject({ total_hits: 12_000 });
  const beyond = await it.search(generated, 'pages', { offset: 9_991, limit: 10 });
  expect(beyond.status).toBe(400);
  expect(beyond.json.type).toBe('invalid_request');
});

test('a crawl has data only when it is done, and links only while they are live', async () => {
  const set = (changes: Json): Promise<unknown> =>
    it.ask(`/_sandbox/crawls/${generated}`, { method: 'PATCH', body: changes });
  const status = async (dataType: string, path = ''): Promise<number> =>
    (await it.api(`/data/crawl/${generated}/${dataType}${path}`, { body: {} })).status;
  for (const state of ['running', 'archived', 'unarchiving', 'cancelled']) {
    await set({ status: state });
    expect(await status('pages')).toBe(409);
    expect(await status('pages', '?export=true')).toBe(409);
  }
  await set({ status: 'done', link_status: 'archived' });
  expect(await status('pages')).toBe(200);
  expect(await status('links')).toBe(409);
  await set({ status: 'done', link_status: 'live', end_reason: 'user_cancelled' });
  expect(await status('pages')).toBe(409);
  await set({ end_reason: 'ok' });
  expect(await status('links')).toBe(200);
});
