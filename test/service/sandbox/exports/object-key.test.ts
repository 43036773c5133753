import { expect, test } from 'vitest';
import { failureReason, objectKey } from '../../../../src/service/sandbox/exports/export-jobs.ts';

test.each([
  ['', 'csv', false, 'id-00007.csv'],
  ['a/b', 'csv', true, 'a/b/id-00007.csv.gz'],
  ['a/b/', 'json', false, 'a/b/id-00007.jsonl'],
  ['/a', 'parquet', false, '/a/id-00007.parquet'],
] as const)('under the prefix %j a %s has its key', (prefix, format, gzip, key) => {
  expect(objectKey({ prefix, exportId: 'id', format, gzip }, 7)).toBe(key);
});

test('a failure reason names the store and its message, on one line, without the secret', () => {
  const error = Object.assign(new Error('The key\n tea-and-cake is wrong'), { name: 'AccessDenied' });
  const reason = failureReason(error, 'store_b bucket', 'tea-and-cake');
  expect(reason).toBe('the upload to store_b bucket failed: AccessDenied: The key [redacted] is wrong');
  const refused = Object.assign(new Error('Not found'), { code: 404 });
  expect(failureReason(refused, 'store_a bucket', undefined)).toBe(
    'the upload to store_a bucket failed: 404: Not found',
  );
  expect(failureReason(new Error('x'.repeat(9000)), 't', undefined).length).toBe(500);
});
