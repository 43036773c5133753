import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { PageQuery } from '../../../src/client/http/pagination.ts';
import { ServiceClient } from '../../../src/client/http/service-client.ts';
import { fileForm, type IngestFile } from '../../../src/client/resources/ingest-files.ts';
import { startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { type Json, sharedService } from '../support.ts';

const it = await sharedService({ generate: ['projects=2,crawls=1,pages=1'] });
const { baseUrl, accessToken } = it.sandbox;
const client = new ServiceClient({ baseUrl, accessToken });
afterAll(() => client[Symbol.asyncDispose]());
const projects = await Array.fromAsync(client.list('projects', { workspace_id: await it.workspace() }));
const [id, other] = projects.map((project) => project.id) as [string, string];
let files = 0;

/** Uploads a file under a name of its own; what it says once it was processed. */
async function upload(
  content: string | Uint8Array,
  name = `file-${files++}.csv`,
  to = id,
): Promise<IngestFile> {
  await client.call('uploadIngestFile', {
    project_id: to,
    body: fileForm({ name, content: new Blob([content as string]) }),
  });
  return processed(client, to, name);
}

function processed(client: ServiceClient, projectId: string, name: string): Promise<IngestFile> {
  return until(async () => {
    const files = await Array.fromAsync(client.list('ingestFiles', { project_id: projectId }));
    const file = files.find((one) => one.name === name);
    return file && ['PROCESSED', 'ERROR'].includes(file.status) ? file : undefined;
  });
}

test('a processed file lists its fields, and counts its lines by error', async () => {
  const rows = [
    'url;sales;price;sold;since;note',
    'https://tea.example/a;10;1.5;true;2025-01-31;"a;b"',
    'https://tea.example/ü;0;-2;FALSE;2024-02-29;',
    '',
    'tea.example/c;1;1;true;2025-01-01;x',
    ';1;1;true;2025-01-01;x',
    'https://tea.example/d;1;1',
  ];
  const text = `${rows.join('\r\n')}\r\n`;
  const file = await upload(text, 'sales.csv');
  expect(file).toEqual({
    id: expect.any(String),
    project_id: id,
    name: 'sales.csv',
    status: 'PROCESSED',
    kind: 'ingest',
    created_at: expect.any(Number),
    error_message: null,
    fields: { url: 'string', sales: 'natural', price: 'float', sold: 'bool', since: 'date', note: 'string' },
    valid_lines: 2,
    invalid_lines: 3,
    detailed_invalid_lines: { invalid_url: 1, missing_url: 1, column_count: 1 },
    lines_errors_messages: {
      invalid_url: ['line 5: "tea.example/c" is not an absolute http or https URL'],
      missing_url: ['line 6: has no url'],
      column_count: ['line 7: has 3 columns, not 6'],
    },
    size: text.length,
  });
  expect(await client.call('ingestFile', { project_id: id, ingest_file_id: file.id })).toEqual(file);
  await client.call('deleteIngestFile', { project_id: id, ingest_file_id: file.id });
  await expect(client.call('ingestFile', { project_id: id, ingest_file_id: file.id })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test.each([
  ['tabs', 'url\ta\nhttps://x.example/\t1\n', { url: 'string', a: 'natural' }, 'ingest'],
  [
    'commas and a byte order mark',
    '\ufeff"url","a"\nhttps://x.example/,1.0\n',
    { url: 'string', a: 'float' },
    'ingest',
  ],
  [
    'values of many types',
    'url,a\nhttps://x.example/,1\nhttps://x.example/2,true\n',
    { url: 'string', a: 'string' },
    'ingest',
  ],
  ['an invalid day', 'url,a\nhttps://x.example/,2025-02-30\n', { url: 'string', a: 'string' }, 'ingest'],
  ['leading zeros', 'url,a\nhttps://x.example/,007\n', { url: 'string', a: 'string' }, 'ingest'],
  [
    'empty cells',
    'url,a,b\nhttps://x.example/,,\nhttps://x.example/2,5,\n',
    { url: 'string', a: 'natural', b: 'string' },
    'ingest',
  ],
  ['nothing but urls', 'url\nhttps://x.example/,;\n', { url: 'string' }, 'seed'],
  ['urls without a header', 'https://x.example/a,b\nhttps://x.example/2', { url: 'string' }, 'seed'],
])('a file with %s is accepted', async (_, text, fields, kind) => {
  const file = await upload(text);
  const last = text.startsWith('url\nhttps://x.example/,;') ? { invalid_lines: 1 } : { invalid_lines: 0 };
  expect(file).toMatchObject({ status: 'PROCESSED', kind, fields, ...last });
});

test.each([
  ['is empty', '', 'the file is empty'],
  ['has another first column', 'link,a\n', 'the first line must be a header'],
  ['has no header', 'https://x.example/\t5\n', 'the first line must be a header'],
  ['names a column twice', 'url,a,a\n', 'the column "a" twice'],
  ['has a column without a name', 'url,,b\n', 'the column 2 of the header has no name'],
  ['is a zip archive', Buffer.from('PK\x03\x04rest', 'latin1'), 'a zip archive'],
  ['is in UTF-16', Buffer.from('\ufeffurl\n', 'utf16le'), 'UTF-16'],
  ['is in Latin-1', Buffer.from('url,ü\nhttps://x.example/,1\n', 'latin1'), 'not text in UTF-8'],
  ['contains NUL bytes', 'url\n\0\n', 'NUL bytes'],
])('a file that %s ends with that error', async (_, content, said) => {
  const file = await upload(content);
  expect(file.status).toBe('ERROR');
  expect(file.error_message).toContain(said);
  expect(file).toMatchObject({ valid_lines: 0, fields: {} });
});

test('an unclosed quote costs the following lines, and messages are limited', async () => {
  const good = 'https://x.example/,a "quoted" word\n';
  const file = await upload(
    `url,a\n${good.repeat(3)}${'bad,1\n'.repeat(30)}https://x.example/,"open\nhttps://x.example/,lost\n`,
  );
  expect(file).toMatchObject({
    valid_lines: 3,
    detailed_invalid_lines: { invalid_url: 30, malformed_csv: 1 },
  });
  expect(file.lines_errors_messages?.invalid_url).toHaveLength(10);
});

test('files are listed newest first, sorted and filtered as specified', async () => {
  await upload('url\n', 'b.csv', other);
  await upload('nothing', 'a.csv', other);
  await upload('url,x\n', 'c.csv', other);
  const names = async (query: PageQuery) =>
    (await Array.fromAsync(client.list('ingestFiles', { project_id: other, query }))).map(({ name }) => name);
  expect(await names({})).toEqual(['c.csv', 'a.csv', 'b.csv']);
  expect(await names({ sort: { name: 'name', order: 'asc' } })).toEqual(['a.csv', 'b.csv', 'c.csv']);
  expect(await names({ filters: { field: ['status', 'equals', 'ERROR'] } })).toEqual(['a.csv']);
  expect(await names({ filters: { field: ['kind', 'equals', 'seed'] } })).toEqual(['b.csv']);
});

test('a second file with the same name is refused while the first is valid', async () => {
  await upload('nothing', 'a.csv');
  expect(
    await client.call('uploadIngestFile', {
      project_id: id,
      body: fileForm({ name: 'a.csv', content: new Blob(['url\n']) }),
    }),
  );
  const again = client.call('uploadIngestFile', {
    project_id: id,
    body: fileForm({ name: 'a.csv', content: new Blob(['url\n']) }),
  });
  await expect(again).rejects.toThrow('already');
});

test('an upload that is not a form with one file part is refused, and leaves nothing', async () => {
  const path = `/projects/${id}/ingest_files`;
  const known = (await it.api(`${path}?limit=1000`)).json.user_files as Json[];
  const before = new Set(known.map((one) => one.id));
  const send = async (body: FormData): Promise<Json> => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const answer = await fetch(`${baseUrl}/api/v2${path}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(400);
    return (await answer.json()) as Json;
  };
  const form = (...parts: [string, string | Blob][]): FormData => {
    const data = new FormData();
    for (const [name, value] of parts) data.append(name, value as string);
    return data;
  };
  const file = new Blob(['url\n']);
  expect((await it.api(path, { body: { file: 'url' } })).json.type).toBe('invalid_request');
  expect((await it.api(path, { method: 'POST' })).json.type).toBe('invalid_request');
  expect(await send(form())).toMatchObject({ fields: [{ name: 'file', type: 'required' }] });
  expect(await send(form(['data', file]))).toMatchObject({ fields: [{ name: 'data', type: 'unknown' }] });
  expect(await send(form(['file', 'text']))).toMatchObject({ fields: [{ name: 'file' }] });
  expect(await send(form(['file', file], ['note', 'x']))).toMatchObject({ fields: [{ name: 'note' }] });
  expect((await it.api('/projects/none/ingest_files')).status).toBe(404);
  const left = (await it.api(`${path}?limit=1000`)).json.user_files as Json[];
  expect(left.filter((one) => !before.has(one.id))).toEqual([]);
});

test('an upload that is cut off is an error, and its name stays available', async () => {
  const begun = Promise.withResolvers<void>();
  const ending = new AbortController();
  const body = (async function* () {
    const head = 'Content-Disposition: form-data; name="file"; filename="cut.csv"\r\n\r\n';
    yield Buffer.from(`--b\r\n${head}url\n${'https://x.example/\n'.repeat(10_000)}`);
    begun.resolve();
    await sleep(60_000, undefined, { signal: ending.signal });
  })();
  const sent = fetch(`${baseUrl}/api/v2/projects/${id}/ingest_files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: ReadableStream.from(body) as never,
    duplex: 'half',
    signal: ending.signal,
  } as RequestInit).catch(() => undefined);
  await begun.promise;
  const status = async () =>
    (await Array.fromAsync(client.list('ingestFiles', { project_id: id }))).find(
      ({ name }) => name === 'cut.csv',
    );
  await until(async () => ((await status())?.status === 'UPLOADING' ? true : undefined));
  ending.abort();
  await sent;
  const cut = await processed(client, id, 'cut.csv');
  expect(cut).toMatchObject({ status: 'ERROR', error_message: 'the upload was cut off' });
  await client.call('uploadIngestFile', {
    project_id: id,
    body: fileForm({ name: 'cut.csv', content: new Blob(['url\n']) }),
  });
});

test('files unprocessed when the sandbox ended are processed at its next start', async () => {
  const stateDir = await temporaryFolder();
  const generate = ['pages=1'];
  const first = await startSandbox({ stateDir, generate });
  await using one = new ServiceClient(first);
  const [workspace] = await Array.fromAsync(one.list('workspaces', {}));
  const [{ id: project } = { id: '' }] = await Array.fromAsync(
    one.list('projects', { workspace_id: workspace?.id ?? '' }),
  );
  await one.call('uploadIngestFile', {
    project_id: project,
    body: fileForm({ name: 'a.csv', content: new Blob(['url\nhttps://x.example/\n']) }),
  });
  const file = await processed(one, project, 'a.csv');
  await fetch(`${first.baseUrl}/_sandbox/ingest_files/${file.id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"status":"PROCESSING","valid_lines":0}',
  });
  await first.close();
  await using second = await startSandbox({ stateDir, generate });
  await using again = new ServiceClient(second);
  expect(await processed(again, project, 'a.csv')).toMatchObject({ status: 'PROCESSED', valid_lines: 1 });
});
