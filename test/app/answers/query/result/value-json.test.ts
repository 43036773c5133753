import {
  ARRAY,
  BIGINT,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBValue,
  VARCHAR,
} from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { isoTime, valueToJson } from '../../../../../src/app/answers/query/result/value-json.ts';
import { stringifyJson } from '../../../../../src/core/text/json.ts';

const JSON_TEXT = { ...VARCHAR, alias: 'JSON' } as unknown as typeof VARCHAR;

test.each<[name: string, value: DuckDBValue, json: string]>([
  ['NULL', null, 'null'],
  ['a text', '{"a": 1}', '"{\\"a\\": 1}"'],
  ['a boolean', false, 'false'],
  ['a whole number', 9007199254740993n, '9007199254740993'],
  ['a number', 1.5, '1.5'],
  ['NaN', Number.NaN, 'null'],
  ['infinity', Number.NEGATIVE_INFINITY, 'null'],
  ['a decimal', new DuckDBDecimalValue(12345678901234567890n, 20, 2), '123456789012345678.90'],
  ['a timestamp', new DuckDBTimestampValue(1n), '"1970-01-01T00:00:00.000001Z"'],
  ['a timestamp with time zone', new DuckDBTimestampTZValue(-1n), '"1969-12-31T23:59:59.999999Z"'],
  ['a date', new DuckDBDateValue(1), '"1970-01-02"'],
  ['a time', new DuckDBTimeValue(1_000_000n), '"00:00:01"'],
  ['a list', new DuckDBListValue([1n, null, new DuckDBListValue(['x'])]), '[1,null,["x"]]'],
  [
    'a struct',
    new DuckDBStructValue({ a: Number.NaN, b: new DuckDBDateValue(0) }),
    '{"a":null,"b":"1970-01-01"}',
  ],
  ['a map', new DuckDBMapValue([{ key: 7n, value: new DuckDBListValue([true]) }]), '{"7":[true]}'],
  ['bytes', new DuckDBBlobValue(new Uint8Array([0, 255])), '"AP8="'],
])('%s', (_name, value, json) => {
  expect(stringifyJson(valueToJson(value, VARCHAR))).toBe(json);
});

test('a text of type JSON stays JSON, and no other value of that type is parsed', () => {
  expect(stringifyJson(valueToJson('{"a": [1, 9007199254740993]}', JSON_TEXT))).toBe(
    '{"a":[1,9007199254740993]}',
  );
  expect(valueToJson(null, JSON_TEXT)).toBeNull();
  expect(valueToJson(5n, { ...BIGINT, alias: 'JSON' } as unknown as typeof BIGINT)).toBe(5n);
  expect(valueToJson('[1]', ARRAY(VARCHAR, 1))).toBe('[1]');
});

test.each([
  [0n, '1970-01-01T00:00:00Z'],
  [1_000n, '1970-01-01T00:00:00.001Z'],
  [500_000n, '1970-01-01T00:00:00.500Z'],
  [1_000_012n, '1970-01-01T00:00:01.000012Z'],
  [1_500_000n, '1970-01-01T00:00:01.500Z'],
  [-1_000n, '1969-12-31T23:59:59.999Z'],
  [-1_001n, '1969-12-31T23:59:59.998999Z'],
  [-1_000_000n, '1969-12-31T23:59:59Z'],
  [9_223_372_036_854_775_807n, '9223372036854775807 microseconds since 1970'],
])('%d microseconds are %s', (micros, iso) => {
  expect(isoTime(micros)).toBe(iso);
});
