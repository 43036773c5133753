import { expect, test } from 'vitest';
import { fromEngine } from '../../../../src/app/answers/query/engine-warehouse.ts';
import { stringifyJson } from '../../../../src/core/text/json.ts';

test.each([
  ['BIGINT', 9223372036854775807n, '9223372036854775807'],
  ['HUGEINT', 170141183460469231731687303715884105727n, '170141183460469231731687303715884105727'],
  ['DOUBLE', 1.5, '1.5'],
  ['DOUBLE', 2n, '2'],
  ['DOUBLE', Number.NaN, 'null'],
  ['DECIMAL(38,2)', '12345678901234567890.10', '12345678901234567890.10'],
  ['TIMESTAMP WITH TIME ZONE', '2026-01-02T03:04:05.000000Z', '"2026-01-02T03:04:05Z"'],
  ['TIMESTAMP WITH TIME ZONE', '2026-01-02T03:04:05.060000Z', '"2026-01-02T03:04:05.060Z"'],
  ['TIMESTAMP WITH TIME ZONE', '1969-12-31T23:59:59.999999Z', '"1969-12-31T23:59:59.999999Z"'],
  ['TIMESTAMP', '2026-01-02T03:04:05', '"2026-01-02T03:04:05Z"'],
  ['DATE', '1582-10-15', '"1582-10-15"'],
  ['JSON', '{"a": [1, 12345678901234567890]}', '{"a":[1,12345678901234567890]}'],
  ['VARCHAR[]', ['a', null], '["a",null]'],
  ['TIMESTAMP WITH TIME ZONE[]', ['2026-01-02T03:04:05.000000Z'], '["2026-01-02T03:04:05Z"]'],
  ['BOOLEAN', true, 'true'],
  ['VARCHAR', null, 'null'],
  ['JSON', null, 'null'],
] as const)('a %s of Trino equals the value of DuckDB: %s', (type, value, text) => {
  expect(stringifyJson(fromEngine(type)(value))).toBe(text);
});
