import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  deleteObject,
  deleteObjects,
  getObject,
  keptHeaders,
  putObject,
} from '../../../../../src/service/sandbox/stores/s3/object-requests.ts';
import { codeOf, requestsOf } from './requests.ts';

const ETAG = '"1cb251ec0d568de6a929b520c4aed8d1"';

async function stored(headers: Readonly<Record<string, string>> = {}) {
  const store = requestsOf();
  const put = await putObject(store.request({ body: 'text', headers }));
  const get = async (query = '', headers = {}, method = 'GET') => {
    const { body, ...answer } = await getObject(store.request({ query, headers, method }));
    return { ...answer, text: body === undefined ? null : await text(body as never) };
  };
  return { ...store, put, get };
}

test('an object is served with its headers, whole, in part, and for HEAD without its bytes', async () => {
  const { put, get } = await stored({ 'content-type': 'text/csv', 'x-amz-meta-unit': 'u', 'x-other': 'x' });
  expect(put).toEqual({ status: 200, headers: { etag: ETAG } });
  const whole = await get();
  expect(whole).toEqual({
    status: 200,
    text: 'text',
    headers: {
      'content-type': 'text/csv',
      'x-amz-meta-unit': 'u',
      etag: ETAG,
      'last-modified': expect.stringMatching(/GMT$/),
      'accept-ranges': 'bytes',
      'content-length': '4',
    },
  });
  expect(await get('', {}, 'HEAD')).toEqual({ ...whole, text: null });
  expect(await get('', { range: 'bytes=1-2' })).toMatchObject({
    ...{ status: 206, text: 'ex', headers: { 'content-length': '2', 'content-range': 'bytes 1-2/4' } },
  });
  expect(await get('partNumber=1')).toMatchObject({ status: 206, headers: { 'x-amz-mp-parts-count': '1' } });
  expect(await codeOf(() => get('', { range: 'bytes=4-' }))).toBe('InvalidRange');
  expect(await codeOf(() => get('partNumber=2'))).toBe('InvalidRange');
});

test('an empty object has no bytes and no part', async () => {
  const { request } = requestsOf();
  await putObject(request({}));
  for (const query of ['', 'partNumber=1'])
    expect(await getObject(request({ query }))).toMatchObject({
      status: 200,
      headers: { 'content-length': '0' },
    });
  expect(await getObject(request({}))).not.toHaveProperty('body');
});

test('a checksum is served on request, with a whole object', async () => {
  const sha1 = createHash('sha1').update('text').digest('base64');
  const { put, get } = await stored({ 'x-amz-checksum-sha1': sha1 });
  const sums = { 'x-amz-checksum-sha1': sha1, 'x-amz-checksum-type': 'FULL_OBJECT' };
  expect(put.headers).toEqual({ etag: ETAG, ...sums });
  const mode = { 'x-amz-checksum-mode': 'enabled' };
  expect((await get('', mode)).headers).toMatchObject(sums);
  for (const headers of [{}, { ...mode, range: 'bytes=0-1' }])
    expect((await get('', headers)).headers).not.toHaveProperty('x-amz-checksum-sha1');
});

test('conditions compare the ETag', async () => {
  const { get, request } = await stored();
  for (const match of [ETAG, '*', `"other", W/${ETAG}`]) {
    expect((await get('', { 'if-match': match })).status).toBe(200);
    expect(await get('', { 'if-none-match': match })).toMatchObject({ status: 304, text: null });
  }
  expect(await codeOf(() => get('', { 'if-match': '"other"' }))).toBe('PreconditionFailed');
  expect((await get('', { 'if-none-match': '"other"' })).status).toBe(200);
  const create = { 'if-none-match': '*' };
  expect(await codeOf(() => putObject(request({ headers: create })))).toBe('PreconditionFailed');
  expect(await codeOf(() => putObject(request({ key: 'new', headers: create })))).toBe('none');
  expect(await codeOf(() => putObject(request({ headers: { 'if-none-match': ETAG } })))).toBe('none');
});

test('a deleted object is gone, and a missing one can be deleted', async () => {
  const { get, request, folder } = await stored();
  for (let time = 0; time < 2; time++) expect(await deleteObject(request({}))).toEqual({ status: 204 });
  expect(await codeOf(() => get())).toBe('NoSuchKey');
  await putObject(request({ key: 'a&b' }));
  await putObject(request({ key: 'c' }));
  const xml = (quiet: boolean): string =>
    `<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>d</Key></Object><Quiet>${quiet}</Quiet></Delete>`;
  const answer = await deleteObjects(request({ body: xml(false) }));
  expect(answer.body).toContain('<Deleted><Key>a&amp;b</Key></Deleted><Deleted><Key>d</Key></Deleted>');
  expect((await deleteObjects(request({ body: xml(true) }))).body).not.toContain('<Deleted>');
  expect([...folder.index.objects('b', '')].map(({ key }) => key)).toEqual(['c']);
  const many = (count: number): string => '<Object><Key>x</Key></Object>'.repeat(count);
  expect(await codeOf(() => deleteObjects(request({ body: '<Delete/>' })))).toBe('MalformedXML');
  expect(await codeOf(() => deleteObjects(request({ body: many(1000) })))).toBe('none');
  expect(await codeOf(() => deleteObjects(request({ body: many(1001) })))).toBe('MalformedXML');
});

test('an object keeps its type and encoding, without that of the upload', () => {
  expect(keptHeaders({})).toEqual({ 'content-type': 'binary/octet-stream' });
  expect(keptHeaders({ 'content-encoding': 'gzip, aws-chunked', date: 'x' })).toEqual({
    ...{ 'content-type': 'binary/octet-stream', 'content-encoding': 'gzip' },
  });
  expect(keptHeaders({ 'content-encoding': 'aws-chunked' })).not.toHaveProperty('content-encoding');
});
