import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECURRENCES } from '../../../src/client/resources/scheduled-crawls.ts';
import { firing, firingFrom } from '../../../src/service/crawls/due.ts';

const at = (text: string): number => Date.parse(text);
const said = (time: number | undefined): string => new Date(time ?? Number.NaN).toISOString();

test('a monthly firing on the 31st uses the last day of shorter months', () => {
  const start = at('2027-12-31T22:30:15.250Z');
  expect([0, 1, 2, 3, 4].map((n) => said(firing(start, 'month', n)))).toEqual([
    '2027-12-31T22:30:15.250Z',
    '2028-01-31T22:30:15.250Z',
    '2028-02-29T22:30:15.250Z',
    '2028-03-31T22:30:15.250Z',
    '2028-04-30T22:30:15.250Z',
  ]);
});

test('days and weeks are whole UTC days, also across clock changes elsewhere', () => {
  const start = at('2027-03-27T01:30:00Z');
  expect(said(firing(start, 'day', 2))).toBe('2027-03-29T01:30:00.000Z');
  expect(said(firing(start, 'week', 1))).toBe('2027-04-03T01:30:00.000Z');
  expect(said(firing(start, '2weeks', 1))).toBe('2027-04-10T01:30:00.000Z');
});

test('without a recurrence, a schedule fires once', () => {
  expect(firing(5, null, 0)).toBe(5);
  expect(firing(5, null, 1)).toBeUndefined();
  expect(firingFrom(5, null, 5)).toBe(0);
  expect(firingFrom(5, null, 6)).toBeUndefined();
});

const START = fc.integer({ min: 0, max: at('2100-01-01') });

test('each month has one firing at the same time, on the start day or the last day', () => {
  fc.assert(
    fc.property(START, fc.integer({ min: 0, max: 600 }), (start, n) => {
      const first = new Date(start);
      const found = new Date(firing(start, 'month', n) ?? Number.NaN);
      const months = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
      expect(months(found) - months(first)).toBe(n);
      expect(found.getTime() % 86_400_000).toBe(start % 86_400_000);
      const next = new Date(found.getTime() + 86_400_000);
      if (found.getUTCDate() !== first.getUTCDate()) {
        expect(next.getUTCDate()).toBe(1);
        expect(found.getUTCDate()).toBeLessThan(first.getUTCDate());
      }
    }),
  );
});

test('the first firing after a time is not before it, and its predecessor is', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...RECURRENCES),
      START,
      fc.integer({ min: -1e9, max: 4e12 }),
      (recurrence, start, wait) => {
        const from = start + wait;
        const n = firingFrom(start, recurrence, from) ?? Number.NaN;
        expect(firing(start, recurrence, n)).toBeGreaterThanOrEqual(from);
        if (n > 0) expect(firing(start, recurrence, n - 1)).toBeLessThan(from);
      },
    ),
  );
});
