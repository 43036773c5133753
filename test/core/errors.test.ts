import { expect, test } from 'vitest';
import { CrawlhouseError, toCrawlhouseError } from '../../src/core/errors.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: it did not work`), { code });
}

test('the code of an error decides its kind and exit code', () => {
  const codes = ['internal', 'usage', 'cut_short', 'unreconciled', 'unauthorized', 'wrong_state'] as const;
  expect(codes.map((code) => new CrawlhouseError(code, 'no').exitCode)).toEqual([1, 2, 3, 4, 5, 0]);
  expect(new CrawlhouseError('interrupted', 'no').exitCode).toBe(130);
});

test('an error of ours stays the same object', () => {
  const error = new CrawlhouseError('usage', 'no', { hint: 'yes' });
  expect(toCrawlhouseError(error)).toBe(error);
});

test('what the file system refuses is an error of the disk', () => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES']) {
    expect(toCrawlhouseError(systemError(code)).code).toBe('disk');
  }
  expect(toCrawlhouseError(new Error('IO Error: Could not write file "x"')).code).toBe('disk');
});

test('an abort is an interruption, or the error that it was given as its reason', async () => {
  expect(toCrawlhouseError(AbortSignal.abort().reason).code).toBe('interrupted');
  const reason = new CrawlhouseError('interrupted', 'interrupted by SIGTERM');
  const thrown = Object.assign(new Error('aborted', { cause: reason }), { name: 'AbortError' });
  expect(toCrawlhouseError(thrown)).toBe(reason);
});

test('anything else is a fault of ours that keeps its cause', () => {
  const cause = new TypeError('x is not a function');
  const error = toCrawlhouseError(cause);
  expect([error.code, error.exitCode, error.message]).toEqual(['internal', 1, 'x is not a function']);
  expect(error.cause).toBe(cause);
  expect(toCrawlhouseError('just a text').message).toBe('just a text');
  expect(toCrawlhouseError(undefined).code).toBe('internal');
});
