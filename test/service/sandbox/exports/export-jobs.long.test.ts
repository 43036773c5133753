import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageQuery } from '../../../../src/client/http/pagination.ts';
import type { DataExportInput } from '../../../../src/client/resources/data-exports.ts';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import { Resources } from '../../../../src/service/resources/resources.ts';
import { exportTarget } from '../../../../src/service/sandbox/exports/export-jobs.ts';
import { startSandbox } from '../../../../src/service/sandbox/start-sandbox.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/until.ts';
import { Exports } from '../../data-export-suite.ts';
import { field, importFolder, type Json, Service, service, sharedService } from '../../support.ts';

const it = await sharedService({ generate: ['pages=30,links=20,columns=10,seed=5'], exportGzip: true });
const exports = new Exports(it);
const crawl = await it.crawlId();
const workspace = await it.workspace();

/** A whole, right request with changes; `undefined` takes a key away. */
async function request(changes: Json = {}): Promise<Json> {
  return {
    data_type: 'page',
    resource_id: crawl,
    output_format: 'csv',
    ...(await exports.target('store_b', 'p')),
    ...changes,
  };
}

async function ask(changes: Json, service = it): Promise<Json & { status: number }> {
  const answer = await service.api(`/workspaces/${await service.workspace()}/data_exports`, {
    body: { data_export: await request(changes) },
  });
  return { status: answer.status, ...answer.json } as Json & { status: number };
}

/** The one object of an export, and what it is made of. */
async function exported(
  of: Exports,
  input: Partial<DataExportInput>,
  crawlId: string,
): Promise<{ readonly key: string; readonly bytes: Buffer; readonly rows: number }> {
  const prefix = `one/${Math.random()}/`;
  const done = await of.run({
    data_type: 'page',
    resource_id: crawlId,
    output_format: 'csv',
    ...(await of.target('store_a', prefix)),
    include_all_page_group_lists: true,
    ...input,
  } as DataExportInput);
  expect(done).toMatchObject({ status: 'DONE' });
  const [[key, bytes] = ['', Buffer.alloc(0)]] = await of.objects('store_a', prefix);
  return { key, bytes, rows: Number(done.output_row_count) };
}

test('csv and json are compressed on request, parquet never', async () => {
  for (const format of ['csv', 'json'] as const) {
    const { key, bytes, rows } = await exported(exports, { output_format: format }, crawl);
    expect(key).toMatch(format === 'csv' ? /-00001\.csv\.gz$/ : /-00001\.jsonl\.gz$/);
    const streamed = await it.export(crawl, 'pages', format);
    expect(gunzipSync(bytes).equals(streamed.bytes)).toBe(true);
    expect(rows).toBe(30);
  }
  const parquet = await exported(exports, { output_format: 'parquet' }, crawl);
  expect(parquet.key).toMatch(/-00001\.parquet$/);
  expect(parquet.bytes.subarray(0, 4).toString()).toBe('PAR1');
});

test('the record goes from REQUESTED to DONE, and the list can filter by every specified name', async () => {
  const own = await service({ generate: ['pages=30,links=20,columns=10,seed=5'] });
  const of = new Exports(own);
  await using client = of.client();
  const target = await of.target('store_a', 'p');
  const input = { resource_id: crawl, output_format: 'csv', ...target } as const;
  const asked = await client.call('createDataExport', {
    workspace_id: workspace,
    body: { data_export: { data_type: 'page', ...input } },
  });
  expect(asked).toEqual({
    id: expect.any(String),
    data_type: 'page',
    resource_id: crawl,
    output_format: 'csv',
    output_format_parameters: { csv_delimiter: ';' },
    output_row_count: null,
    output_size_in_bytes: null,
    requested_at: expect.any(Number),
    expiration_date: null,
    status: 'REQUESTED',
    export_failure_reason: null,
    target: 'store_a',
    target_parameters: target.target_parameters,
  });
  const pages = await until(async () => {
    const one = await client.call('dataExport', { workspace_id: workspace, data_export_id: asked.id });
    return one.status === 'DONE' ? one : undefined;
  });
  const links = await of.run({ data_type: 'link', ...input, output_format: 'json' });
  expect(pages).toMatchObject({
    ...asked,
    status: 'DONE',
    output_row_count: 30,
    output_size_in_bytes: expect.any(Number),
  });
  const ids = async (query: PageQuery) =>
    (await Array.fromAsync(client.list('dataExports', { workspace_id: workspace, query }))).map(
      ({ id }) => id,
    );
  const [older, newer] = [pages.id, links.id];
  expect(await ids({})).toEqual([newer, older]);
  expect(await ids({ sort: { name: 'row_count', order: 'desc' } })).toEqual([older, newer]);
  expect(await ids({ sort: { name: 'created_at', order: 'asc' } })).toEqual([older, newer]);
  for (const filters of [
    { field: ['row_count', 'gte', 30] },
    { field: ['size_bytes', 'equals', pages.output_size_in_bytes] },
    { field: ['requested_at', 'equals', pages.requested_at] },
    { field: ['created_at', 'lt', links.requested_at] },
    { field: ['data_type', 'equals', 'page'] },
    { field: ['output_format', 'equals', 'csv'] },
    { and: [{ field: ['resource_id', 'equals', crawl] }, { field: ['id', 'equals', older] }] },
    { and: [{ field: ['status', 'equals', 'DONE'] }, { field: ['id', 'equals', older] }] },
  ]) {
    expect(await ids({ filters: filters as never }), JSON.stringify(filters)).toEqual([older]);
  }
  await expect(ids({ filters: { field: ['target', 'equals', 'store_a'] } })).rejects.toThrow('target');
  const listed = (await own.api(`/workspaces/${workspace}/data_exports`)).json.account as Json[];
  expect(Object.keys(listed[0] ?? {})).toEqual(Object.keys(asked));
  await expect(
    client.call('dataExport', { workspace_id: workspace, data_export_id: 'none' }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test.each([
  ['an unknown target', { target: 'store_c' }, 'target'],
  ["the other target's parameters", { target: 'store_a' }, 'target_parameters.store_a_bucket'],
  ['no format', { output_format: undefined }, 'output_format'],
  ['a data type of another endpoint', { data_type: 'pages' }, 'data_type'],
  [
    'another delimiter',
    { output_format_parameters: { csv_delimiter: '|' } },
    'output_format_parameters.csv_delimiter',
  ],
  ['an unknown key', { fields: ['url'] }, 'fields'],
])('%s is refused by its name', async (_, changes, name) => {
  const refused = await ask(changes);
  expect(refused).toMatchObject({ status: 400, type: 'invalid_request_parameters' });
  expect((refused.fields as Json[]).map((one) => one.name)).toContain(name);
});

test('a delimiter is refused for another format', async () => {
  const changes = { output_format: 'json', output_format_parameters: { csv_delimiter: ',' } };
  expect(await ask(changes)).toMatchObject({ status: 400, type: 'invalid_request' });
});

test('the objects named in a request must exist', async () => {
  const { target_parameters } = await exports.target('store_b', 'p');
  const withSecret = (uri: string) => ({
    target_parameters: { ...target_parameters, store_b_credentials: uri },
  });
  for (const changes of [
    { resource_id: 'none' },
    withSecret(`secrets://${workspace}/none`),
    { page_group_lists_included: ['none'] },
  ])
    expect(await ask(changes)).toMatchObject({ status: 404, type: 'resource_not_found' });
  const named = { fields: [{ name: 'target_parameters.store_b_credentials' }] };
  expect(await ask(withSecret('secrets://other/sandbox-store-b'))).toMatchObject({ status: 400, ...named });
  expect(await ask(withSecret('sandbox-store-b'))).toMatchObject({ status: 400, ...named });
  await it.api(`/workspaces/${workspace}/secrets`, {
    body: {
      secret: { name: 'google', type: 'store_a_credentials', value: Buffer.from('{}').toString('base64') },
    },
  });
  expect(await ask(withSecret(`secrets://${workspace}/google`))).toMatchObject({ status: 400, ...named });
  const prefix = { target_parameters: { ...target_parameters, store_b_prefix: 'p'.repeat(901) } };
  expect(await ask(prefix)).toMatchObject({ status: 400 });
  expect((await it.api(`/workspaces/none/data_exports`)).status).toBe(404);
});

test('only a done, unarchived crawl is exported, and links only while they are live', async () => {
  const own = await service({ generate: ['pages=3,links=3,columns=3,seed=5'] });
  const patch = (body: Json) => own.ask(`/_sandbox/crawls/${crawl}`, { method: 'PATCH', body });
  const parameters = new Exports(own);
  const target = await parameters.target('store_a', 'p');
  for (const state of [
    { status: 'running' },
    { status: 'archived' },
    { status: 'done', end_reason: 'user_cancelled' },
  ]) {
    await patch(state);
    expect(await ask({ ...target }, own)).toMatchObject({ status: 409, type: 'invalid_state_for_request' });
  }
  await patch({ status: 'done', end_reason: 'ok', link_status: 'archived' });
  expect(await ask({ ...target, data_type: 'link' }, own)).toMatchObject({ status: 409 });
  expect(await ask({ ...target }, own)).toMatchObject({ status: 200 });
  await own.ask(`/_sandbox/workspaces/${workspace}`, { method: 'PATCH', body: { role: 'user' } });
  expect(await ask({ ...target }, own)).toMatchObject({ status: 403, code: 'insufficient_role' });
  const features = { role: 'owner', subscription_features: ['crawl'] };
  await own.ask(`/_sandbox/workspaces/${workspace}`, { method: 'PATCH', body: features });
  expect(await ask({ ...target }, own)).toMatchObject({ status: 403, code: 'missing_feature' });
});

test('segmentations are exported only on request, one or all', async () => {
  const own = await service();
  const names = ['url', 'page_group_shop', 'page_group_casino main', 'title'];
  const row = Object.fromEntries(names.map((name) => [name, name]));
  await importFolder('groups-2025-01-01', {
    pages: { fields: names.map((name) => field(name, 'string')), rows: [row] },
  }).then((dir) => own.ask('/_sandbox/import', { body: { dir } }));
  const of = new Exports(own);
  const header = async (input: Partial<DataExportInput>) => {
    const { bytes } = await exported(
      of,
      { include_all_page_group_lists: false, ...input },
      await own.crawlId(),
    );
    return bytes.toString().split('\n')[0];
  };
  expect(await header({})).toBe('url;title');
  expect(await header({ page_group_lists_included: ['casino main'] })).toBe(
    'url;page_group_casino main;title',
  );
  expect(await header({ page_group_lists_included: ['page_group_shop'] })).toBe('url;page_group_shop;title');
  for (const page_group_lists_included of [[], ['shop'], ['none']])
    expect(await header({ include_all_page_group_lists: true, page_group_lists_included })).toBe(
      names.join(';'),
    );
});

test('without rows, there is one object: a header, nothing, or a file with its columns', async () => {
  const own = await service({ exportObjects: 4 });
  const fields = [field('url', 'string'), field('n', 'natural'), field('many', 'float', 'many')];
  const dir = await importFolder('empty-2025-01-01', { pages: { fields, rows: [] } });
  await own.ask('/_sandbox/import', { body: { dir } });
  const of = new Exports(own);
  const id = await own.crawlId();
  expect(String((await exported(of, { output_format: 'csv' }, id)).bytes)).toBe('url;n;many\n');
  expect(String((await exported(of, { output_format: 'json' }, id)).bytes)).toBe('');
  const { bytes } = await exported(of, { output_format: 'parquet' }, id);
  expect((await parquet(bytes)).types).toEqual({ url: 'VARCHAR', n: 'BIGINT', many: 'DOUBLE[]' });
});

test('parquet has the field types, or text if a value would not survive', async () => {
  const own = await service();
  const fields = [
    field('n', 'natural'),
    field('big', 'natural'),
    field('torn', 'natural'),
    field('f', 'float'),
    field('loose', 'float'),
    field('b', 'bool'),
    field('day', 'date'),
    field('no_day', 'date'),
    field('at', 'datetime'),
    field('tags', 'string', 'many'),
    field('sizes', 'natural', 'many'),
    field('mixed', 'natural', 'many'),
    field('o', 'object'),
    field('h', 'hash'),
    field('whole', 'float'),
    field('digits', 'string'),
    field('yes', 'string'),
  ];
  const rows = [
    '{"n":3112553.0,"big":9223372036854775807,"torn":3.7,"f":0.10,"loose":"x","b":true,"day":"2024-02-29","no_day":"soon","at":"2025/01/31 10:20:30 UTC","tags":["a","b"],"sizes":[1,2],"mixed":[1,"x"],"o":{"a":[1.5]},"h":"00ff","whole":3,"digits":5,"yes":true}',
    '{"n":7,"big":1,"torn":4,"f":2,"loose":1.5,"b":null,"day":null,"no_day":"2024-01-01","at":null,"tags":"lone","sizes":5,"mixed":null,"o":[1],"h":null,"whole":null,"digits":6,"yes":null}',
  ];
  await own.ask('/_sandbox/import', {
    body: { dir: await importFolder('types-2025-01-01', { pages: { fields, rows } }) },
  });
  const { bytes } = await exported(new Exports(own), { output_format: 'parquet' }, await own.crawlId());
  const file = await parquet(bytes);
  expect(file.types).toEqual({
    n: 'BIGINT',
    big: 'BIGINT',
    torn: 'VARCHAR',
    f: 'DOUBLE',
    loose: 'VARCHAR',
    b: 'BOOLEAN',
    day: 'DATE',
    no_day: 'VARCHAR',
    at: 'TIMESTAMP WITH TIME ZONE',
    tags: 'VARCHAR[]',
    sizes: 'BIGINT[]',
    mixed: 'VARCHAR',
    o: 'VARCHAR',
    h: 'VARCHAR',
    whole: 'DOUBLE',
    digits: 'VARCHAR',
    yes: 'VARCHAR',
  });
  expect(file.rows).toEqual([
    {
      n: '3112553',
      big: '9223372036854775807',
      torn: '3.7',
      f: 0.1,
      loose: 'x',
      b: true,
      day: '2024-02-29',
      no_day: 'soon',
      at: '2025-01-31 10:20:30+00',
      tags: ['a', 'b'],
      sizes: ['1', '2'],
      mixed: '[1,"x"]',
      o: '{"a":[1.5]}',
      h: '00ff',
      whole: 3,
      digits: '5',
      yes: 'true',
    },
    {
      n: '7',
      big: '1',
      torn: '4',
      f: 2,
      loose: '1.5',
      b: null,
      day: null,
      no_day: '2024-01-01',
      at: null,
      tags: ['lone'],
      sizes: ['5'],
      mixed: null,
      o: '[1]',
      h: null,
      whole: null,
      digits: '6',
      yes: null,
    },
  ]);
});

test('names that differ only in case are refused for parquet, and exported as csv', async () => {
  const own = await service();
  const fields = [field('Title', 'string'), field('title', 'string')];
  const pages = { fields, rows: [{ Title: 'A', title: 'b' }] };
  await own.ask('/_sandbox/import', { body: { dir: await importFolder('case-2025-01-01', { pages }) } });
  const id = await own.crawlId();
  const target = await new Exports(own).target('store_a', 'p');
  expect(await ask({ ...target, resource_id: id, output_format: 'parquet' }, own)).toMatchObject({
    status: 400,
    type: 'invalid_request',
  });
  expect(String((await exported(new Exports(own), {}, id)).bytes)).toBe('Title;title\nA;b\n');
});

test('any rows equal the streamed export, byte for byte, in the requested number of objects', async () => {
  const own = await service({ exportObjects: 3 });
  const of = new Exports(own);
  const value = fc.oneof(
    fc.constant(null),
    fc.string({ unit: fc.constantFrom('a', ';', ',', '\t', '"', '\n', '\r', ' ', 'ü', '\\', '0') }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
  );
  const types = fc.constantFrom('string', 'natural', 'float', 'bool', 'date', 'object', 'hash');
  const column = fc.record({ type: types, arity: fc.constantFrom('one', 'many') });
  let folders = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(column, { minLength: 1, maxLength: 4 }),
      fc.array(fc.array(value, { minLength: 4, maxLength: 4 }), { maxLength: 7 }),
      async (columns, rows) => {
        const fields = columns.map(({ type, arity }, index) => field(`f;${index}`, type, arity));
        const objects = rows.map((row) =>
          Object.fromEntries(fields.map(({ name }, index) => [name, row[index]])),
        );
        const name = `random${folders++}-2025-01-01`;
        const dir = await importFolder(name, { pages: { fields, rows: objects as Json[] } });
        const id = String((await own.ask('/_sandbox/import', { body: { dir } })).json.crawl_id);
        for (const format of ['csv', 'json'] as const) {
          const prefix = `${name}/${format}/`;
          const done = await of.run({
            data_type: 'page',
            resource_id: id,
            output_format: format,
            ...(await of.target('store_a', prefix)),
          });
          expect(done.export_failure_reason).toBeNull();
          expect(done.output_row_count).toBe(rows.length);
          const files = [...(await of.objects('store_a', prefix)).values()];
          expect(files.length).toBe(Math.max(1, Math.min(3, rows.length)));
          const streamed = await own.export(id, 'pages', format);
          const header = format === 'csv' ? streamed.text.slice(0, streamed.text.indexOf('\n') + 1) : '';
          const texts = files.map(String);
          expect(texts.every((file) => file.startsWith(header))).toBe(true);
          expect(header + texts.map((file) => file.slice(header.length)).join('')).toBe(streamed.text);
        }
      },
    ),
    { numRuns: 8 },
  );
});

test('an export running when the sandbox ended has failed at its next start', async () => {
  const stateDir = await temporaryFolder();
  const generate = ['pages=30,columns=4,seed=5'];
  const first = await startSandbox({ stateDir, generate });
  await new Service(first).fault({ match: { at: 'store_a' }, kind: 'stall' });
  const of = new Exports(new Service(first));
  await using client = of.client();
  const input = {
    data_type: 'page',
    output_format: 'parquet',
    ...(await of.target('store_a', 'p')),
  } as const;
  const { id } = await client.call('createDataExport', {
    workspace_id: workspace,
    body: { data_export: { ...input, resource_id: await of.service.crawlId() } },
  });
  await until(async () =>
    (await client.call('dataExport', { workspace_id: workspace, data_export_id: id })).status === 'UPLOADING'
      ? true
      : undefined,
  );
  await first.close();
  await using second = await startSandbox({ stateDir, generate });
  await using again = new Exports(new Service(second)).client();
  expect(await again.call('dataExport', { workspace_id: workspace, data_export_id: id })).toMatchObject({
    status: 'FAILED',
    export_failure_reason: 'the service was restarted while the export ran',
  });
});

test('a secret deleted while its export waits is reported as missing', async () => {
  using resources = new Resources(':memory:');
  const { target_parameters } = await exports.target('store_b', 'p');
  const asked = { ...(await request()), target_parameters } as never;
  const endpoints = { store_a: '', store_b: '' };
  expect(() => exportTarget(resources, endpoints, asked)).toThrow('sandbox-store-b does not exist');
});

/** A Parquet file's types and rows, as DuckDB reads them. */
async function parquet(bytes: Buffer): Promise<{ types: Record<string, unknown>; rows: Json[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-parquet-'));
  try {
    const file = join(folder, 'file.parquet');
    await writeFile(file, bytes);
    const connection = await temporaryConnection(folder);
    const described = await connection.jsonRows(`DESCRIBE SELECT * FROM read_parquet(${text(file)})`);
    const types = Object.fromEntries(described.map((one) => [String(one.column_name), one.column_type]));
    return {
      types,
      rows: (await connection.jsonRows(`SELECT * FROM read_parquet(${text(file)})`)) as Json[],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
