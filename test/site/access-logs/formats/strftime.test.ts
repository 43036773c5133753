import { expect, test } from 'vitest';
import {
  isoOfParts,
  strftimeReader,
  type TimeParts,
} from '../../../../src/site/access-logs/formats/strftime.ts';

test('a time format with too many ambiguous parts is refused', () => {
  for (const one of ['%q', '%q-', '%B', '%A'])
    expect(() => strftimeReader(`%d${one.repeat(4)}`)).toThrow('more than 3 parts of any length');
});

test('a time format with few unknown conversions reads a time, and no longer text', () => {
  const read = strftimeReader('%q %Y-%m-%d %q');
  const parts: TimeParts = {};
  expect(read('week 2026-11-26 x', parts)).toBe(true);
  expect(parts).toEqual({ year: '2026', month: '11', day: '26' });
  expect(read(`week 2026-11-26 ${'x'.repeat(200)}`, {})).toBe(false);
});

test.for([
  ['%c', 'Tue Nov  3 02:30:00 2026', '2026-11-03T02:30:00'],
  ['%F %r', '2026-11-03 02:30:00 PM', '2026-11-03T14:30:00'],
  ['%F %I:%M%p', '2026-11-03 12:30am', '2026-11-03T00:30:00'],
  ['%F %I:%M%p', '2026-11-03 12:30pm', '2026-11-03T12:30:00'],
] as const)('%s parses %s', ([format, text, iso]) => {
  const parts: TimeParts = {};
  expect([strftimeReader(format)(text, parts), isoOfParts(parts)]).toEqual([true, iso]);
});
