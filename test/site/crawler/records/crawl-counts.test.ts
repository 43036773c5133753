import { expect, test, vi } from 'vitest';
import type { FetchStatus } from '../../../../src/client/resources/crawl-progress.ts';
import { CrawlCounts, type CrawlSample } from '../../../../src/site/crawler/records/crawl-counts.ts';

const sample = (
  url: string,
  fetch_status: FetchStatus = 'fetched_2xx',
  fetch_duration?: number,
): CrawlSample => ({
  ...{ url, fetch_date: '2026/03/01 06:00:00 UTC', fetch_status },
  ...(fetch_duration !== undefined && { fetch_duration }),
});

test('URLs are counted by status and depth, and those of an earlier process with them', () => {
  const counts = new CrawlCounts([
    { depth: 2, status: 'fetched_3xx', urls: 3 },
    { depth: 4, status: 'unfetched_robots_denied', urls: 2 },
  ]);
  expect([counts.urls, counts.fetched, counts.depth]).toEqual([5, 3, 2]);
  counts.add(0, sample('a'));
  counts.add(3, sample('b', 'fetched_4xx'));
  counts.add(null, sample('c', 'unfetched_robots_denied'));
  expect([counts.urls, counts.fetched, counts.depth]).toEqual([8, 5, 3]);
  expect(counts.total).toMatchObject({
    fetched_2xx: 1,
    fetched_3xx: 3,
    fetched_4xx: 1,
    unfetched_robots_denied: 3,
  });
  expect(counts.byDepth()).toMatchObject([
    { depth: 0, fetched_2xx: 1, fetched_3xx: 0 },
    { depth: 2, fetched_3xx: 3 },
    { depth: 3, fetched_4xx: 1 },
    { depth: 4, unfetched_robots_denied: 2 },
  ]);
});

test('the last five URLs of each status are samples, and the slowest answer is kept', () => {
  const counts = new CrawlCounts([]);
  expect(counts.slowest).toBeNull();
  counts.add(0, sample('unanswered', 'unfetched_robots_denied'));
  expect(counts.slowest).toBeNull();
  for (const [index, duration] of [30, 70, 70, 10, 20, 40].entries())
    counts.add(0, sample(`page ${index}`, 'fetched_2xx', duration));
  expect(counts.slowest?.url).toBe('page 1');
  const urls = counts.samples().map(({ url }) => url);
  expect(urls.toSorted()).toEqual(['page 1', 'page 2', 'page 3', 'page 4', 'page 5', 'unanswered']);
});

test('findings are counted, the most frequent first; checked pages only after an earlier process', () => {
  const whole = new CrawlCounts([]);
  whole.look(['missing_h1']);
  whole.look(['noindex', 'missing_h1']);
  whole.look([]);
  expect([whole.looked, whole.findings()]).toEqual([
    null,
    [
      ['missing_h1', 2],
      ['noindex', 1],
    ],
  ]);
  const resumed = new CrawlCounts([{ depth: 0, status: 'fetched_2xx', urls: 1 }]);
  expect(resumed.looked).toBe(0);
  resumed.look(['noindex']);
  resumed.look([]);
  expect(resumed.looked).toBe(2);
});

test('the speed is that of the last five whole seconds, or of fewer at the beginning', () => {
  const clock = vi.spyOn(performance, 'now');
  try {
    const at = (second: number): void => void clock.mockReturnValue(second * 1000 + 500);
    at(100);
    const counts = new CrawlCounts([]);
    for (let n = 0; n < 4; n++) counts.add(0, sample('x'));
    expect(counts.speed()).toBe(0);
    at(101);
    expect(counts.speed()).toBe(4);
    counts.add(0, sample('x'));
    counts.add(0, sample('x'));
    at(102);
    expect(counts.speed()).toBe(3);
    at(105);
    expect(counts.speed()).toBe(6 / 5);
    at(106);
    expect(counts.speed()).toBe(2 / 5);
    at(120);
    expect(counts.speed()).toBe(0);
  } finally {
    clock.mockRestore();
  }
});
