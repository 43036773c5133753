import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../../../src/core/logs/logger.ts';
import { ServedGcs } from '../../../../../src/service/sandbox/stores/gcs/served-gcs.ts';
import { ObjectFolder } from '../../../../../src/service/sandbox/stores/object-folder.ts';

const MD5 = createHash('md5').update('text').digest('base64');
const CRC32C = 'L1MZ4Q==';
const OBJECTS = '/storage/v1/b/bucket/o';
const UPLOAD = `/upload${OBJECTS}`;

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly body?: string | readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A store with one bucket on the disk, and its answers to requests. */
function store() {
  const dir = mkdtempSync(join(tmpdir(), 'crawlhouse-gcs-'));
  const folder = new ObjectFolder(dir);
  onTestFinished(() => {
    folder[Symbol.dispose]();
    rmSync(dir, { recursive: true });
  });
  folder.ensureBucket('bucket');
  const logged: string[] = [];
  const served = new ServedGcs(
    folder,
    createLogger('debug', (line) => logged.push(line)),
  );
  const ask = async ({ method = 'GET', path = OBJECTS, query = '', body = '', headers = {} }: Sent) => {
    const pieces = (typeof body === 'string' ? [body] : body).map((piece) => Buffer.from(piece));
    const request = {
      ...{ method, path, rawQuery: query, query: new URLSearchParams(query) },
      headers: { host: 'store:1', ...headers },
      body: (async function* () {
        yield* pieces;
      })(),
    };
    const answer = await served.answer(request).catch((error: unknown) => served.refusal(error, request));
    const said = typeof answer.body === 'object' ? await text(answer.body) : (answer.body ?? '');
    const json = answer.headers?.['content-type']?.startsWith('application/json') ? JSON.parse(said) : null;
    return {
      status: answer.status,
      headers: answer.headers ?? {},
      said,
      json,
      message: json?.error?.message,
    };
  };
  const files = () => readdirSync(join(dir, 'objects')).length + readdirSync(join(dir, 'incoming')).length;
  const put = (name: string, body = 'text') =>
    ask({ method: 'POST', path: UPLOAD, query: `uploadType=media&name=${name}`, body });
  return { ask, put, files, folder, logged, served };
}

test.each<[number, Sent]>([
  [404, { path: '/storage/v2/b' }],
  [404, { path: '/storage/v1/b/none/o' }],
  [400, { path: '/storage/v1/b/%zz' }],
  [400, { path: `${OBJECTS}/%zz` }],
  [404, { path: `${OBJECTS}/none` }],
  [501, { method: 'PATCH', path: `${OBJECTS}/k` }],
  [501, { method: 'POST' }],
  [501, { method: 'DELETE', path: '/storage/v1/b/bucket' }],
  [405, { method: 'DELETE', path: '/storage/v1/b' }],
  [400, { method: 'POST', path: '/storage/v1/b', body: '{"name":"A"}' }],
  [409, { method: 'POST', path: '/storage/v1/b', body: '{"name":"bucket"}' }],
  [400, { query: 'maxResults=-1' }],
  [400, { query: 'maxResults=x' }],
  [405, { path: UPLOAD, query: 'uploadType=media&name=k' }],
  [400, { method: 'POST', path: UPLOAD, query: 'uploadType=other&name=k' }],
  [400, { method: 'POST', path: UPLOAD, query: 'uploadType=media' }],
  [400, { method: 'POST', path: UPLOAD, query: 'uploadType=media&name=a%0Ab' }],
  [400, { method: 'POST', path: UPLOAD, query: `uploadType=media&name=${'é'.repeat(513)}` }],
  [200, { method: 'POST', path: UPLOAD, query: `uploadType=media&name=${'é'.repeat(512)}` }],
  [
    400,
    {
      method: 'POST',
      path: UPLOAD,
      query: 'uploadType=media&name=k',
      headers: { 'x-goog-hash': 'crc32c=AAAAAQ==' },
    },
  ],
  [412, { method: 'POST', path: UPLOAD, query: 'uploadType=media&name=k&ifGenerationMatch=1' }],
  [412, { method: 'POST', path: UPLOAD, query: 'uploadType=media&name=k&ifGenerationNotMatch=0' }],
  [412, { method: 'POST', path: UPLOAD, query: 'uploadType=resumable&name=k&ifGenerationMatch=1' }],
  [410, { method: 'PUT', path: UPLOAD, query: 'upload_id=none' }],
])('%i answers request %#', async (status, sent) => {
  const { ask, files } = store();
  const answer = await ask(sent);
  expect(answer.status).toBe(status);
  expect(files()).toBe(status === 200 ? 1 : 0);
  if (status !== 200)
    expect(answer.json.error).toMatchObject({ code: status, errors: [{ domain: 'global' }] });
});

test('an object is served as its description, or as its bytes, whole and in part', async () => {
  const { ask, put, files } = store();
  const made = await put('k', 'text');
  expect(made.json).toMatchObject({ name: 'k', bucket: 'bucket', size: '4', md5Hash: MD5, crc32c: CRC32C });
  expect((await ask({ path: `${OBJECTS}/k` })).json).toEqual(made.json);
  const bytes = await ask({ path: `${OBJECTS}/k`, query: 'alt=media' });
  expect(bytes).toMatchObject({ status: 200, said: 'text' });
  expect(bytes.headers).toMatchObject({
    'content-length': '4',
    'x-goog-hash': `crc32c=${CRC32C},md5=${MD5}`,
    'x-goog-stored-content-encoding': 'identity',
  });
  expect(bytes.headers).not.toHaveProperty('content-range');
  const download = `/download${OBJECTS}/k`;
  expect(await ask({ path: download, method: 'HEAD' })).toMatchObject({ status: 200, said: '' });
  const part = await ask({ path: download, headers: { range: 'bytes=1-2' } });
  expect(part).toMatchObject({ status: 206, said: 'ex' });
  expect(part.headers).toMatchObject({ 'content-length': '2', 'content-range': 'bytes 1-2/4' });
  expect((await ask({ path: download, headers: { range: 'bytes=4-' } })).status).toBe(416);
  const { generation } = made.json;
  for (const [query, status] of [
    [`generation=${generation}`, 200],
    ['generation=1', 404],
    [`ifGenerationMatch=${generation}`, 200],
    ['ifGenerationMatch=1', 412],
    [`ifGenerationNotMatch=${generation}`, 412],
  ] as const)
    expect([query, (await ask({ path: download, query })).status]).toEqual([query, status]);
  expect((await ask({ method: 'DELETE', path: `${OBJECTS}/k` })).status).toBe(204);
  expect([(await ask({ path: download })).status, files()]).toEqual([404, 0]);
  await put('empty', '');
  expect(await ask({ path: `/download${OBJECTS}/empty` })).toMatchObject({ status: 200, said: '' });
});

test('buckets and objects are listed, with prefixes and pages', async () => {
  const { ask, put } = store();
  for (const name of ['a/1', 'a/2', 'b']) await put(encodeURIComponent(name));
  const listed = async (query: string) => {
    const { items, prefixes, nextPageToken } = (await ask({ query })).json;
    return { names: items.map(({ name }: { name: string }) => name), prefixes, nextPageToken };
  };
  expect(await listed('')).toEqual({ names: ['a/1', 'a/2', 'b'] });
  expect(await listed('prefix=a')).toEqual({ names: ['a/1', 'a/2'] });
  expect(await listed('delimiter=/')).toEqual({ names: ['b'], prefixes: ['a/'] });
  expect((await listed('maxResults=0')).names).toHaveLength(3);
  const first = await listed('maxResults=2');
  expect(first.names).toEqual(['a/1', 'a/2']);
  expect(await listed(`pageToken=${first.nextPageToken}`)).toEqual({ names: ['b'] });
  const made = await ask({ method: 'POST', path: '/storage/v1/b', body: '{"name":"new-bucket"}' });
  expect(made.json).toMatchObject({ kind: 'storage#bucket', name: 'new-bucket' });
  const { items } = (await ask({ path: '/storage/v1/b' })).json;
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['bucket', 'new-bucket']);
  expect((await ask({ path: '/storage/v1/b/bucket' })).json).toMatchObject({ name: 'bucket' });
});

const related = (media: string, end = '\r\n--x--'): string =>
  `--x\r\nContent-Type: application/json\r\n\r\n{"name":"m","md5Hash":"${MD5}"}\r\n--x\r\nContent-Type: text/csv\r\n\r\n${media}${end}`;

test('an upload of several parts has its name, type and checksum in its first part', async () => {
  for (const [boundary, end] of [
    ['x', '\r\n--x--'],
    ['"x"', '\r\n--x--\r\n'],
  ] as const) {
    const { ask } = store();
    const headers = { 'content-type': `multipart/related; boundary=${boundary}` };
    for (const body of [[related('text', end)], [...related('text', end)]]) {
      const made = await ask({ method: 'POST', path: UPLOAD, query: 'uploadType=multipart', headers, body });
      expect(made.json).toMatchObject({ name: 'm', size: '4', contentType: 'text/csv' });
    }
  }
});

test('an upload of several parts that is broken or does not have its checksum leaves nothing', async () => {
  const { ask, files } = store();
  const sent = async (body: string, type = 'multipart/related; boundary=x') =>
    (
      await ask({
        method: 'POST',
        path: UPLOAD,
        query: 'uploadType=multipart',
        headers: { 'content-type': type },
        body,
      })
    ).message;
  expect(await sent(related('text'), 'multipart/related')).toBe('multipart upload without a boundary');
  expect(await sent(related('text', ''))).toBe('the multipart upload ended early');
  expect(await sent(related('text').slice(0, 80))).toBe('the multipart upload ended early');
  expect(await sent('x'.repeat(1024 * 1024 + 1))).toBe('the metadata are too long');
  expect(await sent('x'.repeat(1024 * 1024))).toBe('the multipart upload ended early');
  expect(await sent(related('other'))).toBe(`Provided checksum ${MD5} doesn't match what was received.`);
  expect(files()).toBe(0);
});

/** A resumable upload, and the answers to its pieces. */
async function resumable(metadata = '', headers: Readonly<Record<string, string>> = {}) {
  const all = store();
  const begun = await all.ask({
    method: 'POST',
    path: UPLOAD,
    query: 'uploadType=resumable&name=r',
    body: metadata,
    headers,
  });
  const location = new URL(begun.headers.location ?? '');
  const query = location.search.slice(1);
  const send = async (range: string | undefined, body = '', method = 'PUT') => {
    const more = range === undefined ? {} : { 'content-range': range };
    const answer = await all.ask({ method, path: UPLOAD, query, body, headers: more });
    return [answer.status, answer.headers.range ?? answer.json?.size ?? answer.message];
  };
  return { ...all, send, location };
}

test('a resumable upload takes its bytes in any number of requests, each once', async () => {
  const { send, location, files, ask } = await resumable('', { 'x-upload-content-type': 'text/csv' });
  expect([location.host, location.pathname, location.searchParams.get('name')]).toEqual([
    'store:1',
    UPLOAD,
    'r',
  ]);
  expect(await send('bytes */*')).toEqual([308, undefined]);
  expect(await send('bytes 0-1/4', 'te')).toEqual([308, 'bytes=0-1']);
  expect(await send('bytes 3-3/4', 't')).toEqual([503, 'bytes from 2 on are missing']);
  expect(await send('bytes */4')).toEqual([308, 'bytes=0-1']);
  expect(await send('pieces 1', 'x')).toEqual([400, 'Content-Range "pieces 1" is not understood']);
  expect(await send(undefined, 'x', 'POST')).toEqual([405, 'Method Not Allowed']);
  expect(await send('bytes 1-3/4', 'ext')).toEqual([200, '4']);
  expect(await send('bytes */4')).toEqual([410, 'The requested upload no longer exists']);
  expect((await ask({ path: `${OBJECTS}/r` })).json).toMatchObject({ contentType: 'text/csv', md5Hash: MD5 });
  expect(files()).toBe(1);
});

test.each([
  [undefined, 'text', [200, '4']],
  ['bytes 0-*/*', 'text', [200, '4']],
  ['bytes 0-3/4', 'text', [200, '4']],
  ['bytes 0-3/*', 'text', [308, 'bytes=0-3']],
  ['bytes */0', '', [200, '0']],
  [undefined, '', [200, '0']],
  ['bytes 0-3/3', 'text', [400, '4 bytes have arrived, more than 3']],
])('a range of %s with %j ends with %j', async (range, body, expected) => {
  expect(await (await resumable()).send(range, body)).toEqual(expected);
});

test('a cancelled upload leaves nothing, and an upload belongs to its bucket', async () => {
  const { send, files, ask, folder, location } = await resumable();
  await send('bytes 0-1/4', 'te');
  expect(files()).toBe(1);
  folder.ensureBucket('other');
  const { search } = location;
  const path = '/upload/storage/v1/b/other/o';
  expect((await ask({ method: 'PUT', path, query: search.slice(1) })).status).toBe(410);
  expect(await send(undefined, '', 'DELETE')).toEqual([499, undefined]);
  expect([files(), await send('bytes */4')]).toEqual([0, [410, 'The requested upload no longer exists']]);
});

test('an internal error is logged, and a fault has its status', () => {
  const { served, logged } = store();
  const request = { method: 'GET', path: '/' } as never;
  expect(served.refusal(new Error('broken disk'), request).status).toBe(500);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('broken disk');
  const reason = (status: number) => JSON.parse(String(served.faulty(status).body)).error.errors[0].reason;
  expect([429, 418, 500, 599].map(reason)).toEqual([
    'rateLimitExceeded',
    'invalid',
    'internalError',
    'internalError',
  ]);
});
