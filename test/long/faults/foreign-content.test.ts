import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { s3 } from '../../../src/core/stores/s3/s3.ts';
import { folderName } from '../../../src/etl/project/model/column-name.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { awsEnvironment } from '../../core/stores/store-server.ts';
import { DataExportDesk } from '../../support/data-exports.ts';
import { writeForeignParquet } from '../../support/foreign-parquet.ts';
import { published, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { proxied } from '../../support/proxied.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const ROWS = 3;
const { signal } = new AbortController();
const generate = [`projects=1,crawls=1,pages=${ROWS},links=5,clusters=${ROWS},columns=4,seed=61`];
const FIELDS = ['url', 'status_code', 'fetched', 'title'];

const page = (n: number) => ({ url: `https://x.example/${n}`, status_code: 200, fetched: true, title: 't' });
const pages = (more: (n: number) => object = page): string =>
  [1, 2, 3].map((n) => `${JSON.stringify(more(n))}\n`).join('');
const csv = (names: readonly string[], delimiter = ';'): string =>
  [names, ...[1, 2, 3].map((n) => names.map((name) => `${page(n)[name as 'url'] ?? n}`))]
    .map((cells) => `${cells.join(delimiter)}\n`)
    .join('');

interface Answer {
  readonly format: 'csv' | 'json';
  readonly body: string;
  readonly status?: number;
  readonly type?: string;
}

/** A run in which the export of pages (or of another data type) is answered by this. */
async function answered(sandbox: Sandbox, { format, body, status = 200, type }: Answer, of = 'pages') {
  const answer = (response: ServerResponse): void => {
    const usual = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    response.writeHead(status, { 'content-type': type ?? usual }).end(body);
  };
  const baseUrl = await proxied(sandbox.baseUrl, ({ path }) =>
    path.includes(`/${of}?export=true`) ? { answer } : null,
  );
  const folder = await rawProjectFolder();
  const options = { pipelines: [`crawl_${of}`, 'crawl_links'], route: 'stream', format } as const;
  const environment = { CRAWLHOUSE_BASE_URL: baseUrl };
  const { exitCode, report, errors } = await runProject(folder, sandbox, { ...options, environment });
  const statusOf = (dataset: string) => report.units.find((unit) => unit.dataset === dataset)?.status;
  // What is wrong with one unit harms no other.
  expect(statusOf('crawl_links')).toBe('loaded');
  return { folder, exitCode, status: statusOf(`crawl_${of}`), code: errors[0]?.code, errors };
}

const BROKEN: readonly (readonly [string, Answer, string])[] = [
  [
    'a CSV with another delimiter',
    { format: 'csv', body: csv(FIELDS, ',') },
    'pages.csv: none of the 4 requested fields is there; it has "url,status_code,fetched,title"',
  ],
  [
    'a CSV of other columns',
    { format: 'csv', body: csv(['a', 'b']) },
    'pages.csv: none of the 4 requested fields is there; it has "a", "b"',
  ],
  [
    'a CSV without a field that was asked for',
    { format: 'csv', body: csv(['url', 'fetched', 'title']) },
    'pages.csv: "status_code" of the requested fields is missing; it has "url", "fetched", "title"',
  ],
  [
    'rows of other keys',
    { format: 'json', body: pages((n) => ({ id: n })) },
    'pages.jsonl: none of the 4 requested fields is there; it has "id"',
  ],
  [
    'a page of HTML',
    { format: 'json', body: '<!doctype html>\n<title>Bye</title>\n\n' },
    'pages.jsonl: received an HTML or XML page instead of JSON lines: "<!doctype html>\\n<title>Bye</title>\\n\\n"',
  ],
  [
    'a page of HTML in place of a CSV',
    { format: 'csv', body: '\ufeff  <html>\n1\n2\n3\n' },
    'pages.csv: received an HTML or XML page instead of CSV: "<html>\\n1\\n2\\n3\\n"',
  ],
  [
    'another content type',
    { format: 'csv', body: csv(FIELDS), type: 'application/json; charset=utf-8' },
    'pages.csv: received application/json instead of CSV',
  ],
  [
    'a part of a file',
    { format: 'json', body: pages(), status: 206 },
    'POST /data/crawl/.*/pages\\?export=true&file_type=json answered 206',
  ],
];

test.for(BROKEN)('%s is refused', async ([, answer, message]) => {
  const sandbox = await sandboxFor({ generate });
  const outcome = await answered(sandbox, answer);
  expect(outcome).toMatchObject({ exitCode: 4, status: 'refused', code: 'contract_broken' });
  const plain = message.includes('.*') ? message : message.replaceAll(/[.?()[\]\\]/g, '\\$&');
  expect(outcome.errors[0]?.message).toMatch(new RegExp(plain));
});

const ERROR = { type: 'internal_error', message: 'no luck' };

test.for([
  ['json', `${JSON.stringify(ERROR)}\n`],
  ['json', JSON.stringify(ERROR, null, 2)],
  ['csv', JSON.stringify(ERROR)],
  ['csv', `${JSON.stringify(ERROR, null, 2)}\n`],
] as const)('an error object instead of rows (%s, %s) is that error', async ([format, body]) => {
  const sandbox = await sandboxFor({ generate });
  const outcome = await answered(sandbox, { format, body, type: 'application/octet-stream' });
  expect(outcome).toMatchObject({ exitCode: 3, status: 'failed', code: 'service_unavailable' });
  expect(outcome.errors[0]?.message).toMatch(/^the export pages\.\w+ answered 200 internal_error: no luck$/);
});

test.for([
  ['an error object among the rows', { ...ERROR }, null, 'has none of the requested fields'],
  [
    'an error that shares a field with the rows',
    { status_code: 500, error: 'x' },
    'url',
    'is missing, and every row has one',
  ],
  ['a page without a URL', { ...page(2), url: null }, 'url', 'is missing, and every row has one'],
] as const)('%s is a reject with its line', async ([, row, field, reason]) => {
  const sandbox = await sandboxFor({ generate });
  const body = pages((n) => (n === 2 ? row : page(n)));
  const { folder, ...outcome } = await answered(sandbox, { format: 'json', body });
  expect(outcome).toMatchObject({ exitCode: 4, status: 'refused', code: 'rejected_values' });
  const connection = await temporaryConnection(await temporaryFolder());
  const rejects = await published(connection, folder, 'SELECT file, line, field, reason FROM ops.rejects');
  expect(rejects).toEqual([{ file: 'pages.jsonl', line: '2', field, reason }]);
});

test('an error object among rows without a required field is also a reject', async () => {
  // Of three pages none repeats another, so a generated crawl of them has no clusters.
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=40,links=40,clusters=10,columns=4,seed=61'],
  });
  const desk = new DataExportDesk(sandbox);
  const answer = await desk.service.api(`/data/crawl/${await desk.service.crawlId()}/clusters?export=true`, {
    body: { file_type: 'json', fields: await clusterFields(desk) },
  });
  const lines = answer.text.split('\n');
  lines[1] = JSON.stringify(ERROR);
  const { folder, ...outcome } = await answered(
    sandbox,
    { format: 'json', body: lines.join('\n') },
    'clusters',
  );
  expect(outcome).toMatchObject({ exitCode: 4, code: 'rejected_values' });
  const connection = await temporaryConnection(await temporaryFolder());
  const rejects = await published(connection, folder, 'SELECT line, reason FROM ops.rejects');
  expect(rejects).toEqual([{ line: '2', reason: 'has none of the requested fields' }]);
});

async function clusterFields(desk: DataExportDesk): Promise<string[]> {
  const path = `/data/crawl/${await desk.service.crawlId()}/clusters/fields`;
  const fields = (await desk.service.api(path)).json.fields as { name: string }[];
  return fields.map(({ name }) => name);
}

test('a field without any value is loaded, and distinguished from a null', async () => {
  const sandbox = await sandboxFor({ generate });
  const body = pages((n) => ({ url: page(n).url, ...(n === 3 ? { title: 'last' } : {}), fetched: null }));
  const { folder, ...outcome } = await answered(sandbox, { format: 'json', body });
  expect([outcome.exitCode, outcome.errors]).toEqual([0, []]);
  const connection = await temporaryConnection(await temporaryFolder());
  const fields = "SELECT field FROM ops.unit_fields WHERE unit LIKE 'crawl_pages/%' ORDER BY field";
  expect((await published(connection, folder, fields)).map(({ field }) => field)).toEqual([
    'fetched',
    'title',
    'url',
  ]);
});

test.for([
  ['csv', 'status_code;title\n200;t\n', '"url" of the requested fields is missing'],
  ['csv', 'a;b\n1;2\n3;4\n5;6\n', 'none of the 4 requested fields is there; it has "a", "b"'],
  ['json', pages((n) => ({ page: n })), 'none of the 4 requested fields is there; it has "page"'],
  ['parquet', null, 'none of the 4 requested fields is there; it has "page", "code"'],
] as const)('an object of a data export with other content (%s) is refused', async ([format, body, why]) => {
  const sandbox = await sandboxFor({ generate });
  const desk = new DataExportDesk(sandbox);
  const crawlId = await desk.service.crawlId();
  const { access_key, secret_key, bucket, region, endpoint } = sandbox.ready.store_b;
  awsEnvironment(access_key, secret_key);
  const record = await desk.put(crawlId, `${folderName(`crawl_pages/${crawlId}`)}/an-attempt/`, format);
  const file = join(await temporaryFolder(), 'object');
  if (body !== null) await writeFile(file, body);
  else
    await writeForeignParquet(
      file,
      { page: 'UTF8', code: 'INT64' },
      [1, 2, 3].map((code) => ({ page: 'x', code })),
    );
  await using store = await s3.open({ bucket, region, endpoint });
  const [object] = await Array.fromAsync(
    store.list(String(record.target_parameters?.store_b_prefix), signal),
  );
  await store.put(object?.key ?? '', file, signal);
  const way = { route: 'export', format, store: 'store_b', pipelines: ['crawl_pages'] } as const;
  const { exitCode, errors } = await runProject(await rawProjectFolder(), sandbox, way);
  expect([exitCode, errors[0]?.code]).toEqual([4, 'contract_broken']);
  expect(errors[0]?.message).toContain(why);
});
