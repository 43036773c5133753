import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { field, importFolder, type Json, lines, parseCsv, sharedService } from '../../support.ts';

const dir = await importFolder('small-2025-02-01', {
  pages: {
    fields: [
      field('name', 'string'),
      field('n', 'natural'),
      field('ok', 'bool'),
      field('tags', 'string', 'many'),
      field('o', 'object'),
    ],
    rows: [
      { name: 'plain', n: 1, ok: true, tags: ['a', 'b'], o: { k: [1, { z: null }] } },
      { name: '', n: null, ok: false, tags: ['lone'], o: null },
      { name: 'a;b "c"\nd', n: 0, ok: null, tags: [], o: {} },
      { n: 3, tags: null },
    ],
  },
});
const it = await sharedService({ importDirs: [dir], generate: ['pages=2000,links=60000,columns=40'] });
const small = String((await it.crawls()).find((crawl) => crawl.fetched_urls === 4)?.id);
const large = String((await it.crawls()).find((crawl) => crawl.fetched_urls !== 4)?.id);

test('CSV has a header, semicolons, True and False, an empty cell for null and quotes for an empty string', async () => {
  const { text, headers } = await it.export(small, 'pages', 'csv');
  expect(headers['content-type']).toMatch(/^text\/csv/);
  expect(text).toBe(
    [
      'name;n;ok;tags;o',
      'plain;1;True;"[""a"",""b""]";"{""k"":[1,{""z"":null}]}"',
      '"";;False;"[""lone""]";',
      '"a;b ""c""\nd";0;;"[]";{}',
      ';3;;;',
      '',
    ].join('\n'),
  );
});

test('JSONL has a single value for a list of one', async () => {
  const { text } = await it.export(small, 'pages', 'json');
  expect(lines(text).map((line) => JSON.parse(line) as Json)).toEqual([
    { name: 'plain', n: 1, ok: true, tags: ['a', 'b'], o: { k: [1, { z: null }] } },
    { name: '', n: null, ok: false, tags: 'lone', o: null },
    { name: 'a;b "c"\nd', n: 0, ok: null, tags: [], o: {} },
    { name: null, n: 3, ok: null, tags: null, o: null },
  ]);
});

test('the file type comes from query or body, and is refused if they differ', async () => {
  const ask = (query: string, body: Json) =>
    it.api(`/data/crawl/${small}/pages?export=true${query}`, { body });
  expect((await ask('', {})).headers['content-type']).toMatch(/csv/);
  expect((await ask('', { file_type: 'json' })).headers['content-type']).toMatch(/ndjson/);
  expect((await ask('&file_type=json', { file_type: 'json' })).status).toBe(200);
  const refused = await ask('&file_type=json', { file_type: 'csv' });
  expect(refused.json).toMatchObject({ type: 'invalid_request_parameters', fields: [{ name: 'file_type' }] });
  expect((await ask('&file_type=parquet', {})).status).toBe(400);
});

test('fields, OQL and sort also apply to exports', async () => {
  const body = {
    fields: ['n', 'name'],
    oql: { field: ['n', 'has_value', ''] },
    sort: [{ field: 'n', order: 'desc' }],
  };
  const { text } = await it.export(small, 'pages', 'csv', { body });
  expect(parseCsv(text)).toEqual([
    ['n', 'name'],
    ['3', null],
    ['1', 'plain'],
    ['0', 'a;b "c"\nd'],
  ]);
  expect((await it.export(small, 'pages', 'csv', { body: { fields: ['nope'] } })).status).toBe(400);
});

test('an export has no row limit and matches the count of a search, in both file types', async () => {
  const counted = (await it.search(large, 'links', { limit: 0 })).json.meta;
  expect(counted).toMatchObject({ total_hits: 60_000 });
  const json = lines((await it.export(large, 'links', 'json')).text);
  const csv = parseCsv((await it.export(large, 'links', 'csv')).text);
  expect(json).toHaveLength(60_000);
  expect(csv).toHaveLength(60_001);
  const last = JSON.parse(json.at(-1) ?? '') as Json;
  expect(csv[0]).toEqual(Object.keys(last));
  expect(csv.at(-1)?.[0]).toBe(last.origin);
});

test('a data type without rows exports only a header, or nothing', async () => {
  expect((await it.export(small, 'links', 'csv')).text).toMatch(/^origin;target;.*\n$/);
  expect((await it.export(small, 'links', 'json')).text).toBe('');
});

test('gzip is sent only if it is accepted', async () => {
  const plain = await it.export(large, 'pages', 'json');
  expect(plain.headers['content-encoding']).toBeUndefined();
  for (const accepted of ['gzip', 'br;q=1, gzip;q=0.5', '*']) {
    const zipped = await it.export(large, 'pages', 'json', { headers: { 'accept-encoding': accepted } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
  }
  for (const refused of ['identity', 'gzip;q=0', 'br']) {
    const answer = await it.export(large, 'pages', 'json', { headers: { 'accept-encoding': refused } });
    expect(answer.headers['content-encoding']).toBeUndefined();
  }
});

test('a disconnected client stops the query, and the sandbox continues', async () => {
  for (let round = 0; round < 5; round++) {
    const controller = new AbortController();
    const answer = await request(`${it.sandbox.baseUrl}/api/v2/data/crawl/${large}/links?export=true`, {
      method: 'POST',
      signal: controller.signal,
      headers: { authorization: `Bearer ${it.sandbox.accessToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
    answer.body.on('error', () => {});
    await new Promise((resolve) => answer.body.once('readable', resolve));
    controller.abort();
  }
  expect((await it.search(large, 'links', { limit: 1 })).status).toBe(200);
});
