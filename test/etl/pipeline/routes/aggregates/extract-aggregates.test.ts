import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { RankingQuery } from '../../../../../src/client/resources/ranking-performance.ts';
import {
  extractAggregates,
  PAGE_ROWS,
} from '../../../../../src/etl/pipeline/routes/aggregates/ranking-windows.ts';
import { sendJson, testClient, testService } from '../../../../client/test-service.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const { signal } = new AbortController();
const DIMENSIONS = ['date', 'url'];
const COLUMNS = ['date', 'url', 'clicks', 'impressions', 'position'];
const request = { projectId: 'p', dimensions: DIMENSIONS, oql: null };

type Table = { readonly cols: readonly string[]; readonly rows: readonly (readonly unknown[])[] };

/** A service whose sums are these, and whose pages `page` makes. */
function rankings(sums: readonly [number, number], page: (query: RankingQuery) => Table | object) {
  const answer = ({ body }: { readonly body: string }, response: ServerResponse): void => {
    const { aggs } = JSON.parse(body) as { aggs: RankingQuery[] };
    const tables = aggs.map((query) =>
      query.fields ? page(query) : { cols: ['clicks', 'impressions'], rows: [sums] },
    );
    sendJson(response, 200, { aggs: tables });
  };
  return testService(answer);
}

function rowsFrom(first: number, count: number, clicks = 0): unknown[][] {
  return Array.from({ length: count }, (_none, index) => ['2025-01-01', `u${first + index}`, clicks, 1, 1]);
}

async function extracted(service: { readonly baseUrl: string }): Promise<number> {
  let rows = 0;
  const parts = extractAggregates(testClient(service), request, await temporaryFolder(), signal);
  for await (const part of parts) rows += part.rows;
  return rows;
}

test('endless pages end once they exceed the total', async () => {
  const service = await rankings([0, 12_000], ({ offset = 0 }) => ({
    cols: COLUMNS,
    rows: rowsFrom(offset, PAGE_ROWS),
  }));
  await expect(extracted(service)).rejects.toMatchObject({
    code: 'cut_short',
    message:
      'ranking performance of project p: the pages add up to 15000 impressions, but the total is 12000',
  });
  expect(service.seen).toHaveLength(4);
});

test('a repeated page is an error, whatever the sums', async () => {
  const service = await rankings([0, 1e9], () => ({ cols: COLUMNS, rows: rowsFrom(0, PAGE_ROWS) }));
  await expect(extracted(service)).rejects.toMatchObject({
    code: 'cut_short',
    message: `ranking performance of project p: the page after ${PAGE_ROWS} rows repeats the previous page`,
  });
});

test.for([
  [
    { cols: ['date', 'page', 'clicks', 'impressions', 'position'], rows: [] },
    'url is not there exactly once',
  ],
  [{ cols: [...COLUMNS, 'url'], rows: [] }, 'url is not there exactly once'],
  [{ cols: COLUMNS, rows: [['2025-01-01', 'u']] }, 'row 1 has 2 values for 5 columns'],
  [{ error: 'too many buckets' }, 'without a table: "too many buckets"'],
] as const)('a table %o is not the requested one', async ([table, problem]) => {
  const service = await rankings([0, 0], () => table);
  await expect(extracted(service)).rejects.toMatchObject({
    code: 'contract_broken',
    message: expect.stringContaining(problem),
  });
});

test('an aggregate with an error of the service is that error', async () => {
  const error = { type: 'quota_error', message: 'used up' };
  const service = await rankings([0, 0], () => ({ error }));
  await expect(extracted(service)).rejects.toMatchObject({
    code: 'quota',
    message: 'POST /data/project/p/ranking_performance/aggs answered 200 quota_error: used up',
  });
});
