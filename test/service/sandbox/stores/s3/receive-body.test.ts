import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { receiveBody, receiveText } from '../../../../../src/service/sandbox/stores/s3/receive-body.ts';
import { codeOf, requestsOf } from './requests.ts';

const CHUNKED = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const digest = (name: string, text: string): string => createHash(name).update(text).digest('base64');
const SHA = createHash('sha256').update('text').digest('hex');

test.each<[string, Readonly<Record<string, string>>, string?]>([
  ['none', {}],
  ['none', { 'content-md5': digest('md5', 'text'), 'x-amz-checksum-sha1': digest('sha1', 'text') }],
  ['none', {}, SHA],
  ['none', { 'x-amz-checksum-mode': 'ENABLED', 'x-amz-checksum-type': 'x', 'x-amz-checksum-algorithm': 'x' }],
  ['IncompleteBody', { 'content-length': '5' }],
  ['IncompleteBody', { 'content-length': '3' }],
  ['XAmzContentSHA256Mismatch', {}, SHA.replace(/^./, '0')],
  ['BadDigest', { 'content-md5': digest('md5', 'other') }],
  ['BadDigest', { 'x-amz-checksum-sha256': digest('sha256', 'other') }],
  ['NotImplemented', { 'x-amz-checksum-crc64nvme': 'x' }],
  ['NotImplemented', {}, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'],
])('a body ends with %s for %j %s', async (code, headers, payloadHash = 'UNSIGNED-PAYLOAD') => {
  const { request, dir } = requestsOf();
  expect(await codeOf(() => receiveBody(request({ body: 'text', headers, payloadHash })))).toBe(code);
  expect(readdirSync(join(dir, 'objects'))).toHaveLength(code === 'none' ? 1 : 0);
  expect(readdirSync(join(dir, 'incoming'))).toEqual([]);
});

test('a body has a length or a transfer encoding', async () => {
  const { request } = requestsOf();
  const without = (headers: Readonly<Record<string, string>>) => {
    const call = request({ body: 'text' });
    return { ...call, request: { ...call.request, headers } };
  };
  expect(await codeOf(() => receiveBody(without({})))).toBe('MissingContentLength');
  expect(await codeOf(() => receiveBody(without({ 'transfer-encoding': 'chunked' })))).toBe('none');
  const chunked = { ...without({}), payloadHash: CHUNKED };
  expect(await codeOf(() => receiveBody(chunked))).toBe('IncompleteBody');
});

/** What a store has received of a body in chunks, or the error, whatever its pieces. */
async function chunked(body: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { request, folder } = requestsOf();
  const answers = new Set<string>();
  for (const pieces of [[body], [...body.slice(0, 20), body.slice(20)], [body.slice(0, 4), body.slice(4)]]) {
    const code = await codeOf(async () => {
      const received = await receiveBody(request({ body: pieces, headers, payloadHash: CHUNKED }));
      const text = (await Array.fromAsync(await folder.read(received, undefined))).map(String).join('');
      answers.add(JSON.stringify([text, received.checksums]));
    });
    if (code !== 'none') answers.add(code);
  }
  return answers.size === 1 ? [...answers][0] : [...answers];
}

test('the chunks of a body are joined, and checksums in its trailers are checked', async () => {
  const trailer = 'x-amz-checksum-crc32';
  const body = `4\r\ntext\r\nA;chunk-signature=x\r\n0123456789\r\n0\r\n${trailer}:0Ym5NQ==\r\n\r\n`;
  expect(await chunked('4\r\ntext\r\n0\r\n\r\n')).toBe(JSON.stringify(['text', {}]));
  expect(await chunked('0\r\n\r\n')).toBe(JSON.stringify(['', {}]));
  expect(await chunked(body, { 'x-amz-trailer': trailer })).toBe('BadDigest');
  const sha = digest('sha256', 'text');
  const good = `4\r\ntext\r\n0\r\n X-Amz-Checksum-SHA256 : ${sha} \r\n:none\r\n\r\n`;
  const headers = { 'x-amz-trailer': 'X-Amz-Checksum-SHA256, other', 'x-amz-decoded-content-length': '4' };
  expect(await chunked(good, headers)).toBe(JSON.stringify(['text', { sha256: sha }]));
  expect(await chunked(good, { ...headers, 'x-amz-decoded-content-length': '5' })).toBe('IncompleteBody');
});

test.each([
  '4\r\ntext\r\n',
  '4\r\nte',
  '4\r\ntextra\r\n0\r\n\r\n',
  'x\r\ntext\r\n0\r\n\r\n',
  '\r\n',
  '01234567890\r\n',
  'a'.repeat(16 * 1024 + 1),
])('chunks that are broken (%#) are refused', async (body) => {
  expect(await chunked(body)).toBe('IncompleteBody');
});

test('a line of a chunk may be long, to its limit', async () => {
  const { request } = requestsOf();
  const message = async (length: number) => {
    const body = [`4;${'x'.repeat(length - 2)}`, '\r\ntext\r\n0\r\n\r\n'];
    return receiveBody(request({ body, payloadHash: CHUNKED })).then(
      () => 'received',
      (error: Error) => error.message,
    );
  };
  expect(await message(16 * 1024)).toBe('received');
  expect(await message(16 * 1024 + 1)).toBe('The body is not aws-chunked: a line is too long');
});

test('a text is read with its checks, up to 4 MiB, and leaves no file', async () => {
  const { request, dir } = requestsOf();
  expect(await receiveText(request({ body: 'tëxt' }))).toBe(Buffer.from('tëxt', 'latin1').toString());
  const most = 'x'.repeat(4 * 1024 * 1024);
  expect(await receiveText(request({ body: most }))).toHaveLength(most.length);
  expect(await codeOf(() => receiveText(request({ body: `${most}x` })))).toBe('MalformedXML');
  expect(readdirSync(join(dir, 'objects'))).toEqual([]);
});
