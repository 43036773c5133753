import { expect, test } from 'vitest';
import { Bucket, Endpoint, Prefix } from '../../../src/core/text/setting-types.ts';

test.each([
  ['https://a.example/b', true],
  ['http://127.0.0.1:9000', true],
  [undefined, true],
  ['ftp://a.example', false],
  ['https://user@a.example', false],
  ['https://:password@a.example', false],
  ['https://user:password@a.example', false],
  ['', false],
])('%s is an endpoint: %s', (text, isValid) => {
  expect(Endpoint.safeParse(text).success).toBe(isValid);
});

test('a prefix loses the slashes at its ends, and a bucket has a name', () => {
  expect(['//a/b/', undefined].map((text) => Prefix.parse(text))).toEqual(['a/b', '']);
  expect(['b', '', 1].map((text) => Bucket.safeParse(text).success)).toEqual([true, false, false]);
});
