import { expect, test } from 'vitest';
import { findExpired } from '../../../src/etl/pipeline/retention.ts';

const crawl = (id: string, project_id: string, endedAt: number) => ({
  source: { kind: 'crawl' as const, id, project_id },
  endedAt,
});

test('keep: {crawls: N} retains the N last ended crawls of each project; the oldest expires first', () => {
  const units = [crawl('c', 'p', 30), crawl('a', 'p', 40), crawl('b', 'p', 10), crawl('x', 'q', 1)];
  expect(findExpired(units, 1).map((one) => one.source.id)).toEqual(['b', 'c']);
  expect(findExpired(units, 3)).toEqual([]);
});

test('of two crawls that ended at the same time, the same one is always retained', () => {
  const units = [crawl('a', 'p', 5), crawl('b', 'p', 5)];
  expect(findExpired(units, 1)).toEqual([units[0]]);
  expect(findExpired(units.toReversed(), 1)).toEqual([units[0]]);
});
