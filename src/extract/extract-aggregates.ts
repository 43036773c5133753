import type { Aggregate } from '../api/aggregates.ts';
import type { DataClient } from '../api/data-client.ts';
import type { Oql } from '../api/oql.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Download, RawPart } from '../model/raw-part.ts';
import { writeRecords } from './write-records.ts';

/** What ranking performance is asked for: one row for each set of values of the dimensions. */
export interface AggregatesRequest {
  readonly projectId: string;
  readonly dimensions: readonly string[];
  readonly oql: Oql | null;
}

export type RankingRow = Readonly<Record<string, unknown>>;

/** What the rows of a unit are called in messages and rejects. */
export const RANKING_FILE = 'ranking_performance.jsonl';

/** Rows a request: an answer is held in memory whole. */
export const PAGE_ROWS = 5_000;

/**
 * The metrics of a row. Clicks and impressions add up; the position is weighted by impressions, and the rate of clicks
 * is left to SQL, where it can be had of any rows.
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
 * service reports no number of rows: the sums of the pages are held against one aggregate of everything
 * (spec-notes.md 32).
 *
 * @throws CrawlhouseError `cut_short` when the sums differ, `quota` when the project's quota is used up
 */
export function extractAggregates(
  client: DataClient,
  request: AggregatesRequest,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<RawPart, Download> {
  return writeRecords(pages(client, request, signal), RANKING_FILE, folder);
}

async function* pages(
  client: DataClient,
  { projectId, dimensions, oql }: AggregatesRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly RankingRow[]> {
  const filter = oql ? { oql } : {};
  const ask = async (query: object): Promise<readonly RankingRow[]> => {
    const { aggs } = await client.aggregateRanking(projectId, { aggs: [{ ...filter, ...query }] }, signal);
    return rankingTable(aggs[0] ?? {}, projectId);
  };
  const [whole] = await ask({ value: SUMS });
  const sums = { clicks: 0, impressions: 0 };
  const sort = dimensions.map((field) => ({ field, order: 'asc' }));
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const query = { fields: dimensions, value: RANKING_VALUES, sort, limit: PAGE_ROWS, offset };
    const rows = await ask(query);
    const page = rankingSums(rows);
    for (const name of ADDITIVE) sums[name] += page[name];
    yield rows;
    if (rows.length < PAGE_ROWS) break;
  }
  for (const name of ADDITIVE) {
    const [parts, all] = [sums[name], Number(whole?.[name] ?? 0)];
    if (parts === all) continue;
    throw new CrawlhouseError(
      'cut_short',
      `ranking performance of project ${projectId}: the pages add up to ${parts} ${name}, the whole has ${all}`,
    );
  }
}

/** What rows add up to. */
export function rankingSums(rows: readonly RankingRow[]): Record<(typeof ADDITIVE)[number], number> {
  const sum = (name: string): number => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
  return { clicks: sum('clicks'), impressions: sum('impressions') };
}

/** A table of columns and rows as records. */
export function rankingTable(table: Aggregate, projectId: string): RankingRow[] {
  const { cols, rows } = table;
  if (cols === undefined || rows === undefined) {
    throw new CrawlhouseError(
      'contract_broken',
      `ranking performance of project ${projectId} answered an aggregate without a table: ${JSON.stringify(table.error)}`,
    );
  }
  return rows.map((row) => Object.fromEntries(cols.map((name, index) => [name, row[index]])));
}
