import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  estimateTogether,
  estimateUnit,
  type PastLoad,
} from '../../../../../src/etl/project/model/runs/plan-report.ts';

const STREAMED: PastLoad = {
  dataset: 'crawl_pages',
  route: 'stream',
  loads: 4,
  bytes_per_row: 500,
  seconds_per_row: 0.001,
  bytes_per_load: 50_000,
  least_seconds: 2,
};
const EXPORTED: PastLoad = { ...STREAMED, route: 'export', loads: 9, bytes_per_row: 100 };
const PAST = [STREAMED, EXPORTED];

test('a unit is estimated by the pace of its past rows, but not below the fastest unit', () => {
  expect(estimateUnit(PAST, 'crawl_pages', 'stream', 10_000)).toEqual({ bytes: 5_000_000, seconds: 10 });
  expect(estimateUnit(PAST, 'crawl_pages', 'stream', 10)).toEqual({ bytes: 5_000, seconds: 2 });
});

test('a route without a past uses the most used one, and a dataset without a past has no estimate', () => {
  expect(estimateUnit(PAST, 'crawl_pages', 'search', 10_000)).toEqual({ bytes: 1_000_000, seconds: 10 });
  expect(estimateUnit(PAST, 'crawl_links', 'stream', 10_000)).toEqual({ bytes: null, seconds: null });
});

test('a unit without a count is estimated by a past load', () => {
  expect(estimateUnit(PAST, 'crawl_pages', 'stream', null)).toEqual({ bytes: 50_000, seconds: 2 });
});

const unit = (project: string, seconds: number | null) => ({ project, seconds });

test.for([
  ['two at once of two projects', [unit('a', 10), unit('b', 10)], 2, 2, 10],
  ['two of one project that goes alone', [unit('a', 10), unit('a', 10)], 2, 1, 20],
  ['a long one beside short ones', [unit('a', 60), unit('b', 1), unit('b', 1)], 4, 2, 60],
  ['nothing', [], 2, 2, 0],
  ['one of which nothing is known', [unit('a', 10), unit('b', null)], 2, 2, null],
] as const)('%s', ([, units, concurrency, concurrency_per_project, seconds]) => {
  expect(estimateTogether(units, { concurrency, concurrency_per_project })).toBe(seconds);
});

test('the combined estimate is between the longest unit and the sum of all', () => {
  const units = fc.array(
    fc.record({ project: fc.constantFrom('a', 'b', 'c'), seconds: fc.integer({ min: 0, max: 100 }) }),
    { minLength: 1 },
  );
  const lanes = fc.record({
    concurrency: fc.integer({ min: 1, max: 5 }),
    concurrency_per_project: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(units, lanes, (some, limits) => {
      const together = estimateTogether(some, limits) ?? Number.NaN;
      expect(together).toBeGreaterThanOrEqual(Math.max(...some.map((one) => one.seconds)));
      expect(together).toBeLessThanOrEqual(some.reduce((sum, one) => sum + one.seconds, 0) + 1e-9);
    }),
  );
});
