import { expect, test } from 'vitest';
import { strftimeReader, type TimeParts } from '../../../../../src/service/site/logs/formats/strftime.ts';

test('a time format whose parts may be divided in very many ways is refused', () => {
  for (const one of ['%q', '%q-', '%B', '%A'])
    expect(() => strftimeReader(`%d${one.repeat(4)}`)).toThrow('more than 3 parts of any length');
});

test('a time format with a few unknown conversions reads a time, and no text that is longer than one', () => {
  const read = strftimeReader('%q %Y-%m-%d %q');
  const parts: TimeParts = {};
  expect(read('week 2026-11-26 x', parts)).toBe(true);
  expect(parts).toEqual({ year: '2026', month: '11', day: '26' });
  expect(read(`week 2026-11-26 ${'x'.repeat(200)}`, {})).toBe(false);
});
