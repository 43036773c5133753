import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filesFor, sliceBounds } from '../../../../src/service/sandbox/exports/write-files.ts';

test('slices contain every row once, evenly, and none is empty unless there are no rows', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 50 }), (first, rows, slices) => {
      const bounds = sliceBounds(first, first + rows, slices);
      expect(bounds).toHaveLength(Math.max(1, Math.min(slices, rows)));
      expect(bounds[0]?.[0]).toBe(first);
      expect(bounds.at(-1)?.[1]).toBe(first + rows);
      for (const [index, [from, to]] of bounds.entries()) {
        expect(bounds[index + 1]?.[0] ?? to).toBe(to);
        expect(Math.abs(to - from - rows / bounds.length)).toBeLessThan(1);
      }
    }),
  );
});

test('only wide data needs more Parquet files than requested', () => {
  expect(filesFor(100_000_000, 90)).toBe(1);
  expect(filesFor(0, 750)).toBe(0);
  expect(filesFor(60_000, 750)).toBe(23);
});
