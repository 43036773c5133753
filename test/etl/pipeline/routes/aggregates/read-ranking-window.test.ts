import { expect, test } from 'vitest';
import type { RankingQuery } from '../../../../../src/client/resources/ranking-performance.ts';
import {
  PAGE_ROWS,
  readRankingWindow,
} from '../../../../../src/etl/pipeline/routes/aggregates/ranking-windows.ts';
import { sendJson, testClient, testService } from '../../../../client/test-service.ts';

const { signal } = new AbortController();
const DAYS = ['2025-01-01', '2025-01-02', '2025-01-03'] as const;
const COLUMNS = ['date', 'url', 'clicks', 'impressions', 'position'];

/** What a service tells of these days: so many rows of each, of one impression each, and these sums. */
async function read(counts: readonly number[], sums: readonly number[] = counts) {
  const service = await testService(({ body }, response) => {
    const { aggs } = JSON.parse(body) as { aggs: RankingQuery[] };
    const rows = DAYS.flatMap((day, at) =>
      Array.from({ length: counts[at] ?? 0 }, (_none, row) => [day, `u${row}`, 0, 1, 1]),
    );
    sendJson(response, 200, {
      aggs: aggs.map(({ fields, limit }) =>
        fields?.length === 1
          ? { cols: ['date', 'clicks', 'impressions'], rows: DAYS.map((day, at) => [day, 0, sums[at]]) }
          : { cols: COLUMNS, rows: rows.slice(0, limit) },
      ),
    });
  });
  const request = { projectId: 'p', dimensions: ['date', 'url'], oql: null };
  const found = await readRankingWindow(testClient(service), request, DAYS, signal);
  return { days: [...found.days].map(([day, rows]) => [day, rows.length]), fitting: found.fitting };
}

test('complete days are returned with their rows, including days without rows', async () => {
  expect(await read([2, 0, 3])).toEqual({
    days: [
      [DAYS[0], 2],
      [DAYS[1], 0],
      [DAYS[2], 3],
    ],
    fitting: PAGE_ROWS * (3 / 5),
  });
});

test('a full page omits the day that it is cut in and the following days', async () => {
  // The rest of the page adds up to what the service says of the day.
  expect((await read([10, PAGE_ROWS, 5], [10, PAGE_ROWS - 10, 5])).days).toEqual([[DAYS[0], 10]]);
});

test('a day whose rows do not add up to its sum is left out', async () => {
  expect((await read([2, 2, 2], [2, 3, 2])).days).toEqual([
    [DAYS[0], 2],
    [DAYS[2], 2],
  ]);
});

test.for([
  [['2025-01-02', '2025-01-01'], 'row 2: date 2025-01-01 comes after 2025-01-02'],
  [['2025-01-01', '2025-01-09'], 'row 2: date 2025-01-09 is not among the requested days'],
] as const)(
  'days in the order %o are refused, because a cut page would contain half a day',
  async ([dates, problem]) => {
    const service = await testService((_seen, response) =>
      sendJson(response, 200, {
        aggs: [
          { cols: ['date', 'clicks', 'impressions'], rows: [] },
          { cols: COLUMNS, rows: dates.map((date) => [date, 'u', 0, 0, 1]) },
        ],
      }),
    );
    const request = { projectId: 'p', dimensions: ['date', 'url'], oql: null };
    await expect(readRankingWindow(testClient(service), request, DAYS, signal)).rejects.toMatchObject({
      code: 'contract_broken',
      message: `POST /data/project/p/ranking_performance/aggs: ${problem}`,
    });
  },
);
