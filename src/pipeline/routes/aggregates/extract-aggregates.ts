import { createHash } from 'node:crypto';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { Download, RawPart } from '../../../project/model/raw-part.ts';
import type { ServiceClient } from '../../../service/api/client/client.ts';
import type { Oql } from '../../../service/api/oql/oql.ts';
import { type AggregateRow, aggregateRows } from '../../../service/api/resources/aggregates.ts';
import { writeRecords } from '../download/write-records.ts';

/** The request for ranking performance: one row for each set of values of the dimensions. */
export interface AggregatesRequest {
  readonly projectId: string;
  readonly dimensions: readonly string[];
  readonly oql: Oql | null;
}

/** The name of a unit's rows in messages and rejects. */
export const RANKING_FILE = 'ranking_performance.jsonl';

/** Rows a request: an answer is held in memory whole. */
export const PAGE_ROWS = 5_000;

/**
 * The metrics of a row. Clicks and impressions add up. The position is weighted by impressions. SQL computes the rate
 * of clicks, for any rows.
 */
export const RANKING_VALUES = [
  { field: 'clicks', method: 'sum', alias: 'clicks' },
  { field: 'impressions', method: 'sum', alias: 'impressions' },
  { field: 'position', method: 'weighted_average', alias: 'position' },
] as const;
/** Metrics whose parts add up to the whole. */
export const ADDITIVE = ['clicks', 'impressions'] as const;
export const SUMS = RANKING_VALUES.filter((value) => value.method === 'sum');

/**
 * Brings ranking performance by pages of aggregates, in the order of the dimensions, which no two rows share. The
 * service reports no number of rows, so the sums of the pages are compared with one aggregate of everything
 * (spec-notes.md 32).
 *
 * @throws CrawlhouseError `cut_short` when the sums differ, `quota` when the project's quota is used up
 */
export function extractAggregates(
  client: ServiceClient,
  request: AggregatesRequest,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<RawPart, Download> {
  return writeRecords(pages(client, request, signal), RANKING_FILE, folder);
}

async function* pages(
  client: ServiceClient,
  { projectId, dimensions, oql }: AggregatesRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly AggregateRow[]> {
  const filter = oql ? { oql } : {};
  const ask = async (query: object, columns: readonly string[]): Promise<readonly AggregateRow[]> => {
    const { aggs } = await client.call(
      'aggregateRanking',
      { project_id: projectId, body: { aggs: [{ ...filter, ...query }] } },
      signal,
    );
    return aggregateRows(aggs[0], columns, rankingPath(projectId));
  };
  const [whole] = await ask({ value: SUMS }, ADDITIVE);
  const sums = { clicks: 0, impressions: 0 };
  const refuse = (why: string): never => {
    throw new CrawlhouseError('cut_short', `ranking performance of project ${projectId}: ${why}`);
  };
  const sort = dimensions.map((field) => ({ field, order: 'asc' }));
  let before = '';
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const query = { fields: dimensions, value: RANKING_VALUES, sort, limit: PAGE_ROWS, offset };
    const rows = await ask(query, rankingColumns(dimensions));
    const content = hashOf(rows);
    if (content === before) refuse(`the page after ${offset} rows repeats the page before it`);
    before = content;
    const page = rankingSums(rows);
    for (const name of ADDITIVE) sums[name] += page[name];
    const isLast = rows.length < PAGE_ROWS;
    for (const name of ADDITIVE) {
      const [parts, all] = [sums[name], Number(whole?.[name] ?? 0)];
      // Without an end the pages would go on beyond the whole.
      if (isLast ? parts !== all : parts > all)
        refuse(`the pages add up to ${parts} ${name}, the whole has ${all}`);
    }
    yield rows;
    if (isLast) return;
  }
}

/** The name of the aggregate in messages. */
export function rankingPath(projectId: string): string {
  return `/data/project/${projectId}/ranking_performance/aggs`;
}

/** The columns of a table of ranking performance. */
export function rankingColumns(dimensions: readonly string[]): string[] {
  return [...dimensions, ...RANKING_VALUES.map(({ alias }) => alias)];
}

function hashOf(rows: readonly AggregateRow[]): string {
  return createHash('sha256').update(stringifyJson(rows)).digest('hex');
}

/** The sums of rows. */
export function rankingSums(rows: readonly AggregateRow[]): Record<(typeof ADDITIVE)[number], number> {
  const sum = (name: string): number => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
  return { clicks: sum('clicks'), impressions: sum('impressions') };
}
