import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeContent } from '../../../src/service/crawler/content-encoding.ts';

const TEXT = Buffer.from('a page of some words, '.repeat(1_000));
const LIMIT = 100_000;

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
])('%s is taken off', (encoding, body) => {
  const { body: plain, isTruncated } = decodeContent(body, encoding, LIMIT);
  expect(Buffer.from(plain ?? []).equals(TEXT)).toBe(true);
  expect(isTruncated).toBe(false);
});

test('a body that ends early gives what came of it', () => {
  const body = gzipSync(
    Buffer.from(Array.from({ length: 5_000 }, (_, index) => `word${index * 7919} `).join('')),
  );
  const { body: plain } = decodeContent(body.subarray(0, body.length - 2_000), 'gzip', LIMIT);
  expect(Buffer.from(plain ?? []).toString()).toMatch(/^word0 word7919 /);
});

test('an unknown encoding and a broken body give nothing', () => {
  expect(decodeContent(TEXT, 'rot13', LIMIT).body).toBeNull();
  expect(decodeContent(TEXT, 'gzip', LIMIT).body).toBeNull();
});

test('a body is cut at the limit', () => {
  const { body, isTruncated } = decodeContent(gzipSync(Buffer.alloc(5_000_000, 'ab')), 'gzip', LIMIT);
  expect(isTruncated).toBe(true);
  expect(body?.length).toBeLessThanOrEqual(LIMIT);
  expect(body?.length).toBeGreaterThan(0);
});
