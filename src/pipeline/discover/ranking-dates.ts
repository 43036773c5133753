import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { ServiceClient } from '../../service/api/client/client.ts';
import type { Oql } from '../../service/api/oql/oql.ts';
import { aggregateRows } from '../../service/api/resources/aggregates.ts';

const DAY = 86_400_000;
/** How far back days are looked for where the whole is too much for the quota: spans of a month, two years of them. */
const SPAN_DAYS = 31;
const SPANS = 24;
/** Days that one answer brings: thirteen years of them. */
const MOST_DAYS = 5_000;

/** Days that have data, both inclusive, `YYYY-MM-DD`. */
export interface DataDays {
  readonly from: string;
  readonly to: string;
}

/**
 * The first and the last day of a project's ranking performance: the service does not list them, so they are requested
 * as aggregates. A query over more days costs more. If all days are too much for the quota, they are requested month by
 * month, and then by halves of a month down to a day.
 *
 * @param now UTC milliseconds
 * @throws CrawlhouseError `quota` when what is left does not even do for a day
 */
export async function rankingDays(
  client: ServiceClient,
  projectId: string,
  now: number,
  signal: AbortSignal,
): Promise<DataDays | undefined> {
  const edges = async (oql: Oql | null): Promise<DataDays | undefined> => {
    const sort = { field: 'date', order: 'asc' } as const;
    const query = { fields: ['date'], sort, limit: MOST_DAYS, ...(oql ? { oql } : {}) };
    const { aggs } = await client.call(
      'aggregateRanking',
      { project_id: projectId, body: { aggs: [query] } },
      signal,
    );
    const path = `/data/project/${projectId}/ranking_performance/aggs`;
    const days = aggregateRows(aggs[0], ['date'], path).map(({ date }) => String(date));
    const wrong = days.find((day) => !/^\d{4}-\d{2}-\d{2}$/.test(day));
    if (wrong !== undefined || days.length > MOST_DAYS) {
      const problem = wrong === undefined ? `${days.length} days` : `a date ${wrong}`;
      throw new CrawlhouseError('contract_broken', `POST ${path} answered with ${problem}`);
    }
    // Whatever their order.
    const sorted = days.toSorted();
    const [from, to] = [sorted[0], sorted.at(-1)];
    return from === undefined || to === undefined ? undefined : { from, to };
  };
  /** Of so many days from a day on. */
  const within = async (start: number, days: number): Promise<DataDays | undefined> => {
    try {
      return await edges({
        and: [{ field: ['date', 'gte', dayOf(start)] }, { field: ['date', 'lt', dayOf(start + days * DAY)] }],
      });
    } catch (error) {
      if (!isQuota(error) || days === 1) throw error;
      const half = Math.ceil(days / 2);
      return joined(await within(start, half), await within(start + half * DAY, days - half));
    }
  };
  try {
    return await edges(null);
  } catch (error) {
    if (!isQuota(error)) throw error;
  }
  let found: DataDays | undefined;
  for (let span = 1; span <= SPANS; span++)
    found = joined(await within(now + DAY - span * SPAN_DAYS * DAY, SPAN_DAYS), found);
  return found;
}

function joined(earlier: DataDays | undefined, later: DataDays | undefined): DataDays | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later;
  return { from: earlier.from, to: later.to };
}

function isQuota(error: unknown): boolean {
  return error instanceof CrawlhouseError && error.code === 'quota';
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
