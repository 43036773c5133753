import { expect, test } from 'vitest';
import { literal } from '../../../../../src/etl/engines/trino/client/literal.ts';

test.each([
  [null, 'NULL'],
  [true, 'true'],
  ["it's", "'it''s'"],
  [2n ** 63n - 1n, "BIGINT '9223372036854775807'"],
  [-(2n ** 63n), "BIGINT '-9223372036854775808'"],
  [2n ** 63n, "DECIMAL '9223372036854775808'"],
  [-(2n ** 63n) - 1n, "DECIMAL '-9223372036854775809'"],
  [10n ** 38n - 1n, `DECIMAL '${'9'.repeat(38)}'`],
  [-(10n ** 38n) + 1n, `DECIMAL '-${'9'.repeat(38)}'`],
  [0, "DOUBLE '0'"],
  [-0, "DOUBLE '-0.0'"],
  [1e300, "DOUBLE '1e+300'"],
  [Number.NaN, "DOUBLE 'NaN'"],
  [new Date(0), "TIMESTAMP '1970-01-01 00:00:00.000 UTC'"],
  [new Uint8Array([0, 255]), "X'00ff'"],
  [[1n, null, ['x']], "ARRAY[BIGINT '1', NULL, ARRAY['x']]"],
])('%s is written %s', (value, written) => {
  expect(literal(value)).toBe(written);
});

test.each([
  ['\ud800', '"\\ud800" has half of a character'],
  ['a\0', '"a\\u0000" has the character NUL, which no SQL can name'],
  [10n ** 38n, `1${'0'.repeat(38)} has more than 38 digits`],
])('%s is refused', (value, message) => {
  expect(() => literal(value)).toThrow(message);
});
