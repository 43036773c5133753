import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/client/http/retry-after.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');

test.for([
  [undefined, undefined],
  ['2', 2000],
  [' 0 ', 0],
  [['3', '9'], 3000],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  ['-1 second', undefined],
  ['', undefined],
] as const)('a Retry-After of %j means %j milliseconds', ([header, expected]) => {
  expect(retryAfterMs(typeof header === 'object' ? [...header] : header, NOW)).toBe(expected);
});
