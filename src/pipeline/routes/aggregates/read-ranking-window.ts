import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { ServiceClient } from '../../../service/api/client/client.ts';
import { type AggregateRow, aggregateRows } from '../../../service/api/resources/aggregates.ts';
import {
  ADDITIVE,
  type AggregatesRequest,
  PAGE_ROWS,
  RANKING_VALUES,
  rankingColumns,
  rankingPath,
  rankingSums,
  SUMS,
} from './extract-aggregates.ts';

/** The answer of one request for several days. */
export interface RankingWindow {
  /** The rows of the days that came whole, in the order of the dimensions; a day without rows has none. */
  readonly days: ReadonlyMap<string, readonly AggregateRow[]>;
  /** Days that a page would hold at the same rows a day; 0 when not even the first of them came whole. */
  readonly fitting: number;
}

/**
 * Requests several days of ranking performance at once: one page of rows, days first, and the sums of each day. A full
 * page ends within a day. That day and the following ones are left out, and so is a day whose rows do not add up. The
 * caller requests them alone.
 *
 * @param request its `oql` leaves these days; `date` is one of its dimensions
 * @param days `YYYY-MM-DD`, ascending, without gaps
 * @throws CrawlhouseError `contract_broken` for rows of other days or out of their order, `quota` when the project's
 *   quota does not do for so many
 */
export async function readRankingWindow(
  client: ServiceClient,
  { projectId, dimensions, oql }: AggregatesRequest,
  days: readonly string[],
  signal: AbortSignal,
): Promise<RankingWindow> {
  const filter = oql ? { oql } : {};
  const sort = ['date', ...dimensions.filter((name) => name !== 'date')];
  const { aggs } = await client.call(
    'aggregateRanking',
    {
      project_id: projectId,
      body: {
        aggs: [
          { ...filter, fields: ['date'], value: SUMS, sort: ascending(['date']), limit: days.length },
          {
            ...filter,
            fields: [...dimensions],
            value: [...RANKING_VALUES],
            sort: ascending(sort),
            limit: PAGE_ROWS,
          },
        ],
      },
    },
    signal,
  );
  const path = rankingPath(projectId);
  const sums = new Map(aggregateRows(aggs[0], ['date', ...ADDITIVE], path).map((row) => [row.date, row]));
  const rows = aggregateRows(aggs[1], rankingColumns(dimensions), path);
  refuseDisorder(rows, days, path);
  const cutAt = rows.length < PAGE_ROWS ? null : String(rows.at(-1)?.date);
  const byDay = Map.groupBy(rows, (row) => row.date);
  const whole = days.filter((day) => cutAt === null || day < cutAt);
  const counted = whole.reduce((count, day) => count + (byDay.get(day)?.length ?? 0), 0);
  const addsUp = (day: string): boolean => {
    const parts = rankingSums(byDay.get(day) ?? []);
    return ADDITIVE.every((name) => parts[name] === Number(sums.get(day)?.[name] ?? 0));
  };
  return {
    days: new Map(whole.filter(addsUp).map((day) => [day, byDay.get(day) ?? []])),
    fitting: Math.floor((PAGE_ROWS * whole.length) / Math.max(counted, 1)),
  };
}

/** A page that is cut holds whole days only where they come in their order. */
function refuseDisorder(rows: readonly AggregateRow[], days: readonly string[], path: string): void {
  let last = '';
  for (const [index, { date }] of rows.entries()) {
    const day = String(date);
    if (!days.includes(day) || day < last) {
      const why = day < last ? `comes after ${last}` : 'is not among the requested days';
      throw new CrawlhouseError('contract_broken', `POST ${path}: row ${index + 1}: date ${day} ${why}`);
    }
    last = day;
  }
}

function ascending(fields: readonly string[]): { field: string; order: 'asc' }[] {
  return fields.map((field) => ({ field, order: 'asc' }));
}
