import { expect, test } from 'vitest';
import { isFarApart, likelyYear, plausibleTime } from '../../../src/core/time/plausible-days.ts';

const NOW = Date.UTC(2026, 10, 28, 23, 59);
const RANGE = plausibleTime(NOW);

test('days are plausible from 1995 to the day after tomorrow', () => {
  const day = (second: number): string => new Date(second * 1000).toISOString();
  expect([day(RANGE.first), day(RANGE.end)]).toEqual([
    '1995-01-01T00:00:00.000Z',
    '2026-12-01T00:00:00.000Z',
  ]);
  expect(day(plausibleTime(NOW, '2020-02-29').first)).toBe('2020-02-29T00:00:00.000Z');
});

test.for([
  [2569, '2026 is 2569 in the Buddhist calendar'],
  [1448, '2026 is 1448 in the Hijri calendar'],
  [1405, '2026 is 1405 in the Persian calendar'],
  [115, '2026 is 115 in the Minguo calendar'],
  [26, '2026 is 26 in two digits'],
  [9999, null],
  [1970, null],
] as const)('%s: %s', ([year, likely]) => {
  expect(likelyYear(year, RANGE)).toBe(likely);
});

test.for([
  [20, '2020 is 20 in two digits'],
  [1390, '2011 is 1390 in the Persian calendar'],
] as const)('of several calendars, the latest year of %s is likely', ([year, likely]) => {
  expect(likelyYear(year, plausibleTime(NOW, '1900-01-01'))).toBe(likely);
});

test.for([
  [0, 31, false],
  [0, 32, true],
  [10, 51, false],
  [10, 52, true],
] as const)('%i days with data in a span of %i are far apart: %s', ([days, span, isFar]) => {
  expect(isFarApart(days, span)).toBe(isFar);
});
