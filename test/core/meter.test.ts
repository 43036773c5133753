import { expect, test } from 'vitest';
import { describeProgress, Meter } from '../../src/core/meter.ts';

test('the progress says units, rows, bytes, pace and what is left', () => {
  expect(describeProgress({ done: 10, due: 40, rows: 250_000, bytes: 96e6, seconds: 50 })).toBe(
    '10 of 40 units · 250,000 rows · 96.0 MB · 5,000 rows/s · about 3 min left',
  );
});

test('nothing is foretold before a unit is through, nor once all are', () => {
  expect(describeProgress({ done: 0, due: 2, rows: 0, bytes: 0, seconds: 3 })).toBe(
    '0 of 2 units · 0 rows · 0 B',
  );
  expect(describeProgress({ done: 2, due: 2, rows: 10, bytes: 10, seconds: 5 })).toBe(
    '2 of 2 units · 10 rows · 10 B · 2 rows/s',
  );
});

test('a meter prints its progress after each change', () => {
  const printed: string[] = [];
  const meter = new Meter(2, (text) => printed.push(text));
  meter.received(30);
  meter.unitDone('crawl_pages/a loaded', 500);
  expect(printed).toEqual([
    expect.stringMatching(/^0 of 2 units · 30 rows · 0 B · /),
    expect.stringMatching(/^1 of 2 units · 30 rows · 500 B · .* left · crawl_pages\/a loaded$/),
  ]);
});
