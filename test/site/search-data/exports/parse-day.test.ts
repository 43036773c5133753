import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DayOrder, DayProof, parseDay } from '../../../../src/site/search-data/exports/parse-day.ts';

/** The order that a column of days proves. */
function provenOrder(texts: readonly string[]): DayOrder | undefined {
  const proof = new DayProof();
  for (const text of texts) proof.add(text);
  return proof.order('dates.csv');
}

test('a day is a calendar day', () => {
  for (const text of ['2026-02-28', ' 2026-02-28T00:00:00Z ', '2026-2-28', '2026/2/28', '2026. 2. 28.'])
    expect(parseDay(text), text).toBe('2026-02-28');
  for (const text of [
    '28 Feb 2026',
    '28-Feb-2026',
    'Feb 28, 2026',
    'February 28, 2026 12:00:00 AM',
    '28-Feb-26',
    'Saturday, February 28, 2026',
  ])
    expect(parseDay(text), text).toBe('2026-02-28');
  for (const text of ['2026-02-29', '2026-13-01', '1.2.2026', '20260101', '', '30 Feb 2026', '1 Foo 2026'])
    expect(parseDay(text), text).toBeUndefined();
});

test.each([
  ['28/2/2026', 'dmy', '2026-02-28'],
  ['2/28/2026', 'mdy', '2026-02-28'],
  ['28.02.26', 'dmy', '2026-02-28'],
  ['2/28/2026 12:00:00 AM', 'mdy', '2026-02-28'],
  ['2/28/2026', 'dmy', undefined],
  ['30/2/2026', 'dmy', undefined],
] as const)('%s read as %s is %s', (text, order, day) => {
  expect(parseDay(text, order)).toBe(day);
});

test.each([
  [['7/1/2026', '7/13/2026'], 'mdy'],
  [['13.1.2026', '1.7.2026'], 'dmy'],
  [['7/1/2026', '7/2/2026', '7/4/2026', '7/5/2026'], 'mdy'],
  [['1/7/2026', '2/7/2026', '3/7/2026'], 'dmy'],
  [['2026-07-01'], undefined],
  [['shoes'], undefined],
] as const)('%j proves the order %s', (texts, order) => {
  expect(provenOrder(texts)).toBe(order);
});

test.each([[['7/1/2026']], [['1/7/2026', '7/1/2026']], [['1/2/2026', '3/4/2026']]])(
  '%j is ambiguous, and the order is asked for',
  (texts) => {
    expect(() => provenOrder(texts)).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining('--date-order') }),
    );
  },
);

test.each([
  [['2026-07-01', '7/2/2026'], '"7/2/2026" and "2026-07-01"'],
  [['7/13/2026', '13/7/2026'], '"13/7/2026" and "7/13/2026"'],
  [['1/7/2026', '7/13/2026', '13/7/2026'], '"1/7/2026" and "7/13/2026"'],
])('%j have mixed formats, and the order is asked for', (texts, days) => {
  expect(() => provenOrder(texts)).toThrow(`its days have several formats, such as ${days}`);
});

test('a table of successive days is read in its written order', () => {
  const days = fc.record({
    start: fc.integer({ min: 10_957, max: 25_000 }),
    length: fc.integer({ min: 3, max: 400 }),
  });
  fc.assert(
    fc.property(days, fc.constantFrom<DayOrder>('dmy', 'mdy'), ({ start, length }, order) => {
      const isoDays = Array.from({ length }, (_, at) =>
        new Date((start + at) * 86_400_000).toISOString().slice(0, 10),
      );
      const written = isoDays.map((day) => {
        const [year, month, date] = day.split('-').map(Number);
        return order === 'dmy' ? `${date}/${month}/${year}` : `${month}/${date}/${year}`;
      });
      expect(provenOrder(written)).toBe(order);
      expect(written.map((text) => parseDay(text, order))).toEqual(isoDays);
    }),
  );
});
