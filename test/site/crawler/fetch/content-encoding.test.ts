import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeContent } from '../../../../src/site/crawler/fetch/content-encoding.ts';

const TEXT = Buffer.from('a page of some words, '.repeat(1_000));
const LIMIT = 100_000;
const named = (encoding: string | undefined): [string, string][] =>
  encoding === undefined ? [] : [['content-encoding', encoding]];

test.each([
  ['gzip', gzipSync(TEXT)],
  ['x-gzip', gzipSync(TEXT)],
  ['GZIP ', gzipSync(TEXT)],
  ['deflate', deflateSync(TEXT)],
  ['deflate', deflateRawSync(TEXT)],
  ['br', brotliCompressSync(TEXT)],
  ['zstd', zstdCompressSync(TEXT)],
  ['identity', TEXT],
  [undefined, TEXT],
  ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
])('%s is decoded', (encoding, body) => {
  const { body: plain, isTruncated } = decodeContent(body, named(encoding), LIMIT);
  expect(Buffer.from(plain ?? []).equals(TEXT)).toBe(true);
  expect(isTruncated).toBe(false);
});

test('a body that ends early keeps its decoded part', () => {
  const body = gzipSync(
    Buffer.from(Array.from({ length: 5_000 }, (_, index) => `word${index * 7919} `).join('')),
  );
  const { body: plain } = decodeContent(body.subarray(0, body.length - 2_000), named('gzip'), LIMIT);
  expect(Buffer.from(plain ?? []).toString()).toMatch(/^word0 word7919 /);
});

test.each(['rot13', 'UTF-8', 'none', 'aws-chunked', 'gzip, utf-8', 'binary'])(
  'with the unknown encoding %s, a body stays unchanged',
  (encoding) => {
    expect(decodeContent(TEXT, named(encoding), LIMIT).body).toBe(TEXT);
  },
);

test.each(['gzip', 'br', 'zstd', 'deflate', 'identity, gzip'])(
  'a plain body declared as %s yields nothing',
  (encoding) => {
    expect(decodeContent(TEXT, named(encoding), LIMIT).body).toBeNull();
  },
);

test('all encoding headers apply', () => {
  const headers = [...named('gzip'), ['etag', '"a"'] as const, ...named('br')];
  expect(Buffer.from(decodeContent(brotliCompressSync(gzipSync(TEXT)), headers, LIMIT).body ?? [])).toEqual(
    TEXT,
  );
});

test('a body is cut at the limit', () => {
  const { body, isTruncated } = decodeContent(gzipSync(Buffer.alloc(5_000_000, 'ab')), named('gzip'), LIMIT);
  expect(isTruncated).toBe(true);
  expect(body?.length).toBeLessThanOrEqual(LIMIT);
  expect(body?.length).toBeGreaterThan(0);
});
