import { expect, test } from 'vitest';
import { quoteNumbers, ROUNDED_TO_WHOLE } from '../../../../src/etl/pipeline/stage/exact-json.ts';

test('numbers with a point or an exponent become strings with the same spelling, other text stays', () => {
  expect(quoteNumbers('{"a": 1.50,"b":[1e2,-3,"4.5",true , null]}')).toBe(
    '{"a": "1.50","b":["1e2",-3,"4.5",true , null]}',
  );
  expect(quoteNumbers('{"a\\"1.5":"\\\\","b":2.0}')).toBe('{"a\\"1.5":"\\\\","b":"2.0"}');
});

test('an invalid JSON word is found, except inside a string', () => {
  for (const word of ['NaN', '-Infinity', 'nan', '+1', '0x10', '1.'])
    expect(quoteNumbers(`{"a":${word}}`)).toBeNull();
  expect(quoteNumbers('{"a":"NaN"}')).toBe('{"a":"NaN"}');
});

test('a string of megabytes is skipped', () => {
  for (const text of ['x'.repeat(16_000_000), '\\"'.repeat(5_000_000)]) {
    expect(quoteNumbers(`{"a":"${text}","b":1.5}`)?.slice(-12)).toBe('","b":"1.5"}');
  }
});

test('the search for rounded numbers finds each number that only a double makes an integer', () => {
  const found = new RegExp(ROUNDED_TO_WHOLE);
  for (let power = 0; power < 16; power++) {
    for (const whole of [10n ** BigInt(power), 9n * 10n ** BigInt(power) - 1n]) {
      if (whole >= 2n ** 53n) continue;
      for (let zeros = 0; zeros < 20; zeros++) {
        for (const number of [`${whole}.${'0'.repeat(zeros)}1`, `${whole}.${'9'.repeat(zeros + 1)}`]) {
          if (Number.isInteger(Number(number)))
            expect([number, found.test(`{"n":${number}}`)]).toEqual([number, true]);
        }
      }
    }
  }
  expect(found.test('{"n":12.0,"r":0.25,"s":[3112553.0,1e3]}')).toBe(false);
});
