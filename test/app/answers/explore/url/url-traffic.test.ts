import { expect, test } from 'vitest';
import type { UrlPlace } from '../../../../../src/app/answers/explore/url/url-place.ts';
import { readDemand, readHits } from '../../../../../src/app/answers/explore/url/url-traffic.ts';

/** A place whose queries return these rows, one after the other. */
const place = (...answers: (readonly object[])[]) =>
  ({ rows: async () => answers.shift() ?? [] }) as unknown as UrlPlace;
const hits = (day: string, more: object = {}) => ({
  day,
  hits: 0,
  search_bot_hits: 0,
  google_bot_hits: 0,
  bing_bot_hits: 0,
  ai_bot_hits: 0,
  unverified_bot_hits: 0,
  visits: 0,
  last_status_code: null,
  ...more,
});

test('days without log files are between those with some, and their hits are unknown', async () => {
  const logged = [hits('2026-03-01', { hits: 3 }), hits('2026-03-03')];
  const bots = [{ bot_class: 'search', engine: 'google', hits: 3, last_day: '2026-03-01' }];
  const { found, why } = await readHits(place(logged, bots));
  expect(why).toBeNull();
  expect(found).toMatchObject({ from: '2026-03-01', to: '2026-03-03', bots });
  expect(found?.days.map(({ day, hits, has_logs }) => [day, hits, has_logs])).toEqual([
    ['2026-03-01', 3, true],
    ['2026-03-02', null, false],
    ['2026-03-03', 0, true],
  ]);
});

test('a URL without hits has a reason', async () => {
  expect((await readHits(place([], [{ day: null }]))).why).toBe('the project has no log files');
  expect((await readHits(place([], []))).why).toBe('the project has no log files');
  expect((await readHits(place([], [{ day: '2026-02-01' }]))).why).toBe(
    'the project has log files up to 2026-02-01, none on the days of the crawl',
  );
  expect((await readHits(place([hits('2026-03-01')]))).why).toBe(
    'log files from 2026-03-01 to 2026-03-01 contain no request for this page',
  );
});

const demand = (day: string, clicks: number, impressions: number) => ({
  day,
  clicks,
  impressions,
  position: 1,
});

test('search results are summed over their days', async () => {
  const queries = [{ query: 'a', clicks: 1, impressions: 2, position: 1 }];
  const days = [demand('2026-03-01', 1, 10), demand('2026-03-02', 2, 20)];
  expect(await readDemand(place(days, queries))).toEqual({
    found: { from: '2026-03-01', to: '2026-03-02', clicks: 3, impressions: 30, days, queries },
    why: null,
  });
  expect((await readDemand(place([demand('2026-03-01', 0, 1)], []))).why).toBeNull();
  expect((await readDemand(place([demand('2026-03-01', 0, 0)]))).why).toBe(
    'search results from 2026-03-01 to 2026-03-01 did not show this page',
  );
});

test('totals of a period replace missing days', async () => {
  const total = { from_date: '2026-02-01', to_date: '2026-02-28', clicks: 3, impressions: 30 };
  expect(await readDemand(place([], [total]))).toEqual({
    found: { from: '2026-02-01', to: '2026-02-28', clicks: 3, impressions: 30, days: [], queries: [] },
    why: null,
  });
  for (const none of [{ clicks: null }, { impressions: null }])
    expect(await readDemand(place([], [{ ...total, ...none }]))).toMatchObject({
      found: null,
      why: 'search results from 2026-02-01 to 2026-02-28 did not show this page',
    });
  expect((await readDemand(place([], [], [{ day: null }]))).why).toBe('the project has no search results');
});
