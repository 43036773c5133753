import fc from 'fast-check';
import { expect, test } from 'vitest';
import { weekLabel, windowFilter, windowsOf } from '../../../../src/etl/pipeline/discover/windows.ts';

test.for([
  // ISO: the year of the week's Thursday.
  ['2024-12-30', 'iso', '2025-W01'],
  ['2020-12-28', 'iso', '2020-W53'],
  ['2021-01-04', 'iso', '2021-W01'],
  ['2026-11-16', 'iso', '2026-W47'],
  // From Sunday: the week that holds the first of January is the first.
  ['2024-12-29', 'sunday_start', '2025-W01'],
  ['2025-01-05', 'sunday_start', '2025-W02'],
  ['2023-01-01', 'sunday_start', '2023-W01'],
] as const)('the week that begins on %s (%s) is %s', ([day, weeks, label]) => {
  expect(weekLabel(day, weeks)).toBe(label);
});

test('windows contain their first and last day completely', () => {
  const days = { from: '2026-01-31', to: '2026-02-01' };
  expect(windowsOf('day', days, 'iso')).toEqual([
    { from: '2026-01-31', to: '2026-02-01' },
    { from: '2026-02-01', to: '2026-02-02' },
  ]);
  expect(windowsOf('week', days, 'iso')).toEqual([{ from: '2026-01-26', to: '2026-02-02' }]);
  expect(windowsOf('week', days, 'sunday_start')).toEqual([
    { from: '2026-01-25', to: '2026-02-01' },
    { from: '2026-02-01', to: '2026-02-08' },
  ]);
  expect(windowsOf('month', days, 'iso')).toEqual([
    { from: '2026-01-01', to: '2026-02-01' },
    { from: '2026-02-01', to: '2026-03-01' },
  ]);
});

test('a window label is parsed back to the same day, week or month', () => {
  const window = { from: '2024-12-30', to: '2025-01-06' };
  expect(windowFilter('day', 'day', window, 'iso')).toEqual({ field: ['day', 'equals', '2024-12-30'] });
  expect(windowFilter('week', 'week', window, 'iso')).toEqual({ field: ['week', 'equals', '2025-W01'] });
  expect(windowFilter('month', 'month', window, 'iso')).toEqual({ field: ['month', 'equals', '2024-12'] });
});

test('windows are contiguous, contain every day once, and have unique week labels', () => {
  const day = fc
    .integer({ min: 0, max: 40_000 })
    .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
  const spans = fc.constantFrom('day', 'week', 'month');
  const weeks = fc.constantFrom('iso', 'sunday_start');
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 900 }), spans, weeks, (from, length, span, definition) => {
      const to = new Date(Date.parse(from) + length * 86_400_000).toISOString().slice(0, 10);
      const windows = windowsOf(span as 'day', { from, to }, definition as 'iso');
      expect((windows[0]?.from ?? '') <= from && to < (windows.at(-1)?.to ?? '')).toBe(true);
      for (const [index, window] of windows.entries()) {
        expect(window.from < window.to).toBe(true);
        if (index > 0) expect(window.from).toBe(windows[index - 1]?.to);
      }
      if (span === 'week') {
        const labels = windows.map((window) => weekLabel(window.from, definition as 'iso'));
        expect(new Set(labels).size).toBe(labels.length);
        expect(labels.toSorted()).toEqual(labels);
      }
    }),
  );
});
