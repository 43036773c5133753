import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isDeeperThan,
  jsonOf,
  parseJson,
  parseJsonAsWritten,
  stringifyJson,
} from '../../../src/core/text/json.ts';

const whole = fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n });

test('integers of any size keep all their digits', () => {
  fc.assert(
    fc.property(whole, (number) => {
      expect(stringifyJson(parseJson(`{"n":[${number}]}`))).toBe(`{"n":[${number}]}`);
      expect(BigInt(parseJson(String(number)) as bigint | number)).toBe(number);
    }),
  );
});

test('any JSON value survives a round trip', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const expected: unknown = JSON.parse(JSON.stringify(value));
      expect(stringifyJson(parseJson(stringifyJson(value)))).toBe(JSON.stringify(expected));
    }),
  );
});

test('safe numbers stay numbers, and digit strings stay strings', () => {
  expect(parseJson('[1, 9007199254740991, 1.5, 1e3, "9007199254740993"]')).toEqual([
    1,
    9007199254740991,
    1.5,
    1000,
    '9007199254740993',
  ]);
  expect(parseJson('9007199254740993')).toBe(9007199254740993n);
});

test('dates are ISO 8601 in UTC, and an indent is kept', () => {
  expect(stringifyJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
  expect(stringifyJson({ n: 2n ** 64n }, 2)).toBe('{\n  "n": 18446744073709551616\n}');
});

test('numbers keep their spelling on request, and a date in a document is written', () => {
  const text = '{"a":12.0,"b":1e3,"c":9007199254740993,"d":1.5,"e":"12.0","f":[null,true]}';
  expect(stringifyJson(parseJsonAsWritten(text))).toBe(text);
  expect(parseJsonAsWritten('[1.5, "12.0"]')).toEqual([1.5, '12.0']);
});

test.each([
  ['[[1]]', 1, true],
  ['[[1]]', 2, false],
  ['{"a":[],"b":{"c":null}}', 1, true],
  ['[]', 0, true],
  ['null', 0, false],
  ['"[["', 0, false],
])('%s is deeper than %i levels: %s', (text, levels, isDeeper) => {
  expect(isDeeperThan(JSON.parse(text), levels)).toBe(isDeeper);
});

test('invalid JSON is undefined on request', () => {
  expect([jsonOf('{"a":1}'), jsonOf('{')]).toEqual([{ a: 1 }, undefined]);
});
