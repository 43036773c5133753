import { hash } from 'node:crypto';
import type { ServiceClient } from '../../../../client/http/service-client.ts';
import type { Oql } from '../../../../client/oql/oql.ts';
import { type AggregateRow, aggregateRows } from '../../../../client/resources/aggregates.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import type { DownloadFacts, Part } from '../../../project/model/download.ts';
import type { Pipeline } from '../../../project/model/pipeline.ts';
import type { Task } from '../../../project/model/task.ts';
import { pipelineFilter } from '../../../project/model/unit-source.ts';
import { writeRecords } from '../download/write-records.ts';

/** The maximum number of days in one request. */
const MOST_DAYS = 31;
/** Maximum rows of days that wait for their units, over all projects. Beyond that, each day is requested separately. */
const MOST_WAITING = 50_000;

/** A project's days of one dataset. */
interface Series {
  /** Days that were not requested yet, each with the following day. */
  readonly due: Map<string, string>;
  /** Rows that were received together with other days. */
  readonly waiting: Map<string, readonly AggregateRow[]>;
  /** Days to request next; 0 once they do not fit in a page. */
  width: number;
  /** Maximum days that the quota allowed. */
  most: number;
  /**
   * Resolves when the current request ends. Requests run one at a time, because the response may contain the next
   * unit's day.
   */
  last: Promise<unknown>;
}

/**
 * Downloads ranking performance of many days in few requests, and divides the rows among the units of their days
 * (docs/decisions/service.md). The first day is requested separately, and shows how many days fit in one page. If the
 * quota is too small for them, half of them are requested, down to a day.
 */
export class RankingWindows {
  readonly #client: ServiceClient;
  readonly #series: ReadonlyMap<string, Series>;
  readonly #fields = new Map<string, Promise<ReadonlySet<string>>>();
  #waiting = 0;

  constructor(client: ServiceClient, tasks: readonly Task[]) {
    this.#client = client;
    const daily = tasks.filter(
      ({ unit }) => unit.source.kind === 'ranking_performance' && unit.window !== null,
    );
    this.#series = new Map(
      [...Map.groupBy(daily, keyOf)].map(([key, units]) => [
        key,
        {
          due: new Map(
            units.flatMap(({ unit }) => (unit.window ? [[unit.window.from, unit.window.to]] : [])),
          ),
          waiting: new Map(),
          width: 1,
          most: MOST_DAYS,
          last: Promise.resolve(),
        },
      ]),
    );
  }

  /**
   * Returns the rows of a day; null if they must be requested separately because the day has more than a page, does not
   * add up, or is requested again.
   *
   * @throws CrawlhouseError `quota` when the project's quota does not suffice for this day
   */
  async rowsOf(
    task: Task,
    dimensions: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly AggregateRow[] | null> {
    const { unit, pipeline } = task;
    const series = this.#series.get(keyOf(task));
    const day = unit.window?.from;
    if (!series || day === undefined || pipeline.window !== 'day' || !dimensions.includes('date'))
      return null;
    const taken = series.last.then(() => this.#take(series, task, day, dimensions, signal));
    // The callers that wait for that day get the error.
    series.last = taken.catch(() => {});
    return taken;
  }

  /** Returns the names of the service's fields for a project, requested once per run. */
  fieldsOf(projectId: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const cached = this.#fields.get(projectId);
    if (cached !== undefined) return cached;
    const asked = this.#client
      .call('rankingFields', { project_id: projectId }, signal)
      .then((fields) => new Set(fields.map(({ name }) => name)));
    this.#fields.set(projectId, asked);
    // The next unit requests them again.
    asked.catch(() => this.#fields.delete(projectId));
    return asked;
  }

  async #take(
    series: Series,
    { unit, pipeline }: Task,
    day: string,
    dimensions: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly AggregateRow[] | null> {
    if (!series.waiting.has(day)) {
      if (!series.due.has(day) || series.width === 0) return null;
      const ask = (days: readonly string[]): Promise<RankingWindow> => {
        const request = { projectId: unit.source.id, dimensions, oql: daysFilter(pipeline, days) };
        return readRankingWindow(this.#client, request, days, signal);
      };
      const width = this.#waiting < MOST_WAITING ? series.width : 1;
      const days = daysFrom(series.due, day, width);
      // Once only: after a failure, the day is requested separately.
      series.due.delete(day);
      const answer = await widest(days, ask);
      for (const [each, rows] of answer.days) {
        series.due.delete(each);
        series.waiting.set(each, rows);
        this.#waiting += rows.length;
      }
      if (answer.asked < days.length) series.most = answer.asked;
      series.width = Math.min(answer.fitting, series.most);
    }
    const rows = series.waiting.get(day);
    if (!rows) return null;
    series.waiting.delete(day);
    this.#waiting -= rows.length;
    return rows;
  }
}

/** Returns the rows of as many days as the quota allows, and at least the first day. */
async function widest(
  days: readonly string[],
  ask: (days: readonly string[]) => Promise<RankingWindow>,
): Promise<RankingWindow & { readonly asked: number }> {
  for (let asked = days.length; ; asked = Math.ceil(asked / 2)) {
    try {
      return { ...(await ask(days.slice(0, asked))), asked };
    } catch (error) {
      const isQuota = error instanceof CrawlhouseError && error.code === 'quota';
      if (!isQuota || asked === 1) throw error;
    }
  }
}

/** Returns up to `most` consecutive days. */
function daysFrom(due: ReadonlyMap<string, string>, first: string, most: number): string[] {
  const days = [first];
  for (;;) {
    const next = due.get(days.at(-1) ?? first);
    if (next === undefined || !due.has(next) || days.length >= most) return days;
    days.push(next);
  }
}

function daysFilter(pipeline: Pipeline, days: readonly string[]): Oql {
  const filter = pipelineFilter(pipeline);
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const span: Oql[] = [{ field: ['date', 'gte', first] }, { field: ['date', 'lte', last] }];
  return { and: filter === null ? span : [...span, filter] };
}

function keyOf({ unit, pipeline }: Task): string {
  return `${pipeline.dataset}/${unit.source.id}`;
}

/** The response of one request for several days. */
interface RankingWindow {
  /** The rows of complete days, in the order of the dimensions. A day without rows has none. */
  readonly days: ReadonlyMap<string, readonly AggregateRow[]>;
  /** Days that would fit in a page at the same rows per day; 0 when even the first one is incomplete. */
  readonly fitting: number;
}

/**
 * Requests several days of ranking performance together: one page of rows, sorted by day, and the sums of each day. If
 * a page is full, it ends within a day. That day, the following days, and days whose rows do not add up are omitted,
 * and the caller requests them separately.
 *
 * @param request its `oql` selects these days; `date` is one of its dimensions
 * @param days `YYYY-MM-DD`, ascending, without gaps
 * @throws CrawlhouseError `contract_broken` for rows of other days or out of order, `quota` when the project's quota
 *   does not suffice for so many days
 */
export async function readRankingWindow(
  client: ServiceClient,
  { projectId, dimensions, oql }: AggregatesRequest,
  days: readonly string[],
  signal: AbortSignal,
): Promise<RankingWindow> {
  const filter = oql ? { oql } : {};
  const sort = ['date', ...dimensions.filter((name) => name !== 'date')];
  const perDay = { ...filter, fields: ['date'], value: SUMS, sort: ascending(['date']), limit: days.length };
  const table = { fields: [...dimensions], value: [...RANKING_VALUES], sort: ascending(sort) };
  const body = { aggs: [perDay, { ...filter, ...table, limit: PAGE_ROWS }] };
  const { aggs } = await client.call('aggregateRanking', { project_id: projectId, body }, signal);
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

/** Refuses rows out of order, because a truncated page contains complete days only if they are in order. */
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

/** The request for ranking performance: one row for each set of values of the dimensions. */
interface AggregatesRequest {
  readonly projectId: string;
  readonly dimensions: readonly string[];
  readonly oql: Oql | null;
}

/** The name of a unit's rows in messages and rejects. */
export const RANKING_FILE = 'ranking_performance.jsonl';

/** Rows per request. A response is read into memory as a whole. */
export const PAGE_ROWS = 5_000;

/**
 * The metrics of a row. Clicks and impressions add up. The position is weighted by impressions. SQL computes the
 * click-through rate for any rows.
 */
export const RANKING_VALUES = [
  { field: 'clicks', method: 'sum', alias: 'clicks' },
  { field: 'impressions', method: 'sum', alias: 'impressions' },
  { field: 'position', method: 'weighted_average', alias: 'position' },
] as const;
/** Metrics whose parts add up to the whole. */
const ADDITIVE = ['clicks', 'impressions'] as const;
const SUMS = RANKING_VALUES.filter((value) => value.method === 'sum');

/**
 * Downloads ranking performance in pages of aggregates, in the order of the dimensions, which are unique per row. The
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
): AsyncGenerator<Part, DownloadFacts> {
  return writeRecords(pages(client, request, signal), RANKING_FILE, folder);
}

async function* pages(
  client: ServiceClient,
  { projectId, dimensions, oql }: AggregatesRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly AggregateRow[]> {
  const filter = oql ? { oql } : {};
  const ask = async (query: object, columns: readonly string[]): Promise<readonly AggregateRow[]> => {
    const body = { aggs: [{ ...filter, ...query }] };
    const { aggs } = await client.call('aggregateRanking', { project_id: projectId, body }, signal);
    return aggregateRows(aggs[0], columns, rankingPath(projectId));
  };
  const [whole] = await ask({ value: SUMS }, ADDITIVE);
  const sums = { clicks: 0, impressions: 0 };
  const refuse = (why: string): never => {
    throw new CrawlhouseError('cut_short', `ranking performance of project ${projectId}: ${why}`);
  };
  const sort = ascending(dimensions);
  let before = '';
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const query = { fields: dimensions, value: RANKING_VALUES, sort, limit: PAGE_ROWS, offset };
    const rows = await ask(query, rankingColumns(dimensions));
    const content = hash('sha256', stringifyJson(rows));
    if (content === before) refuse(`the page after ${offset} rows repeats the previous page`);
    before = content;
    const page = rankingSums(rows);
    for (const name of ADDITIVE) sums[name] += page[name];
    const isLast = rows.length < PAGE_ROWS;
    for (const name of ADDITIVE) {
      const [parts, all] = [sums[name], Number(whole?.[name] ?? 0)];
      // Without an end, the pages would continue beyond the total.
      if (isLast ? parts !== all : parts > all)
        refuse(`the pages add up to ${parts} ${name}, but the total is ${all}`);
    }
    yield rows;
    if (isLast) return;
  }
}

/** Returns the name of the aggregate in messages. */
function rankingPath(projectId: string): string {
  return `/data/project/${projectId}/ranking_performance/aggs`;
}

/** Returns the columns of a table of ranking performance. */
function rankingColumns(dimensions: readonly string[]): string[] {
  return [...dimensions, ...RANKING_VALUES.map(({ alias }) => alias)];
}

function rankingSums(rows: readonly AggregateRow[]): Record<(typeof ADDITIVE)[number], number> {
  const sum = (name: string): number => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
  return { clicks: sum('clicks'), impressions: sum('impressions') };
}
