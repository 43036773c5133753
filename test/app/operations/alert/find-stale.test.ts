import { expect, test } from 'vitest';
import { expectedBy, findStale } from '../../../../src/app/operations/alert/find-stale.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-02T04:00:00Z');
const daily = (days: readonly number[]): number[] => days.map((day) => START + day * DAY);

test('fewer than four crawls define no usual interval', () => {
  expect(expectedBy([])).toBeNull();
  expect(expectedBy(daily([0, 1, 2]))).toBeNull();
  expect(expectedBy(daily([0, 1, 1, 2]))).toBeNull();
});

test('a daily crawl is late after a day and a half, a weekly one after ten days and a half', () => {
  expect(expectedBy(daily([3, 1, 0, 2]))).toBe(START + 4.5 * DAY);
  expect(expectedBy(daily([0, 7, 14, 21]))).toBe(START + 31.5 * DAY);
});

test('weekends without a crawl are part of the usual interval', () => {
  const workdays = daily([0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18]);
  for (const [count, last] of [
    [10, 11],
    [15, 18],
  ] as const)
    expect(expectedBy(workdays.slice(0, count))).toBe(START + last * DAY + 1.25 * 3 * DAY);
});

test('one past outage does not lengthen the usual interval', () => {
  expect(expectedBy(daily([0, 1, 2, 3, 17, 18, 19, 20, 21, 22, 23]))).toBe(START + 24.5 * DAY);
});

test('old crawls do not affect the usual interval', () => {
  const monthly = daily([-300, -270, -240, -210]);
  expect(expectedBy([...monthly, ...daily([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])])).toBe(START + 11.5 * DAY);
});

test('crawls minutes apart have at least an hour until they are late', () => {
  expect(expectedBy([0, 60_000, 120_000, 180_000])).toBe(180_000 + HOUR);
});

test('a stale project is reported with its last crawl and the expected time', () => {
  const shop = { project_id: 'p1', name: 'shop', ends: daily([0, 1, 2, 3]) };
  const blog = { project_id: 'p2', name: 'blog', ends: daily([0, 7, 14, 21]) };
  expect(findStale([shop, blog], START + 4.5 * DAY)).toEqual([]);
  expect(findStale([shop, blog], START + 4.5 * DAY + 1)).toEqual([
    {
      key: 'stale/p1',
      event: 'stale',
      title: 'shop: no new crawl since 2026-03-05 04:00 UTC',
      details: ['expected by 2026-03-06 16:00 UTC, from its usual interval'],
      project_id: 'p1',
      began: '2026-03-06T16:00:00.000Z',
      hint: expect.stringContaining('check in the service'),
      wait: false,
    },
  ]);
});

test('a project that has been inactive for long raises no new alert', () => {
  const shop = { project_id: 'p1', name: 'shop', ends: daily([0, 1, 2, 3]) };
  expect(findStale([shop], START + 33 * DAY)[0]?.wait).toBe(false);
  expect(findStale([shop], START + 33 * DAY + 1)[0]?.wait).toBe(true);
  const monthly = { ...shop, ends: daily([0, 30, 60, 90]) };
  expect(findStale([monthly], START + 300 * DAY)[0]?.wait).toBe(false);
});
