import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Pipeline } from '../../../project/model/pipeline.ts';
import type { PlannedUnit } from '../../../project/model/planned-unit.ts';
import { pipelineFilter } from '../../../project/model/unit-source.ts';
import type { ServiceClient } from '../../../service/api/client/client.ts';
import type { Oql } from '../../../service/api/oql/oql.ts';
import type { AggregateRow } from '../../../service/api/resources/aggregates.ts';
import { type RankingWindow, readRankingWindow } from './read-ranking-window.ts';

/** The most days in one request. */
const MOST_DAYS = 31;
/** The most rows of days that wait for their units, of all projects. Beyond that, each day is requested alone. */
const MOST_WAITING = 50_000;

/** A project's days of one dataset. */
interface Series {
  /** Days that were not requested yet, each with the day after it. */
  readonly due: Map<string, string>;
  /** Rows that came with other days. */
  readonly waiting: Map<string, readonly AggregateRow[]>;
  /** Days to ask for next; 0 once they do not fit in a page. */
  width: number;
  /** As many days as the quota allowed. */
  most: number;
  /** Ends with the current request. One runs at a time, because its answer may hold the next unit's day. */
  last: Promise<unknown>;
}

/**
 * Brings ranking performance of many days by few requests, and divides the rows among the units of their days
 * (docs/decisions/service.md). The first day is requested alone, and shows how many days fit in one page. If the quota
 * is too small for them, half of them are requested, down to a day.
 */
export class RankingWindows {
  readonly #client: ServiceClient;
  readonly #series: ReadonlyMap<string, Series>;
  readonly #fields = new Map<string, Promise<ReadonlySet<string>>>();
  #waiting = 0;

  constructor(client: ServiceClient, due: readonly PlannedUnit[]) {
    this.#client = client;
    const daily = due.filter(
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
   * The rows of a day; null if they must be requested alone. Such a day has more than a page, does not add up, or is
   * requested again.
   *
   * @throws CrawlhouseError `quota` when the project's quota does not even do for this day
   */
  async rowsOf(
    planned: PlannedUnit,
    dimensions: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly AggregateRow[] | null> {
    const { unit, pipeline } = planned;
    const series = this.#series.get(keyOf(planned));
    const day = unit.window?.from;
    if (!series || day === undefined || pipeline.window !== 'day' || !dimensions.includes('date'))
      return null;
    const taken = series.last.then(() => this.#take(series, planned, day, dimensions, signal));
    // The error reaches those who wait for that day.
    series.last = taken.catch(() => {});
    return taken;
  }

  /** The names of the fields that the service has of a project, requested once a run. */
  fieldsOf(projectId: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const known = this.#fields.get(projectId);
    if (known !== undefined) return known;
    const asked = this.#client
      .call('rankingFields', { project_id: projectId }, signal)
      .then((fields) => new Set(fields.map(({ name }) => name)));
    this.#fields.set(projectId, asked);
    // The next unit asks again.
    asked.catch(() => this.#fields.delete(projectId));
    return asked;
  }

  async #take(
    series: Series,
    { unit, pipeline }: PlannedUnit,
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
      // Once only: after a failure the day is requested alone.
      series.due.delete(day);
      const found = await widest(days, ask);
      for (const [each, rows] of found.days) {
        series.due.delete(each);
        series.waiting.set(each, rows);
        this.#waiting += rows.length;
      }
      if (found.asked < days.length) series.most = found.asked;
      series.width = Math.min(found.fitting, series.most);
    }
    const rows = series.waiting.get(day);
    if (!rows) return null;
    series.waiting.delete(day);
    this.#waiting -= rows.length;
    return rows;
  }
}

/** The rows of as many days as the quota allows, at least of the first. */
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

/** Up to so many days that follow each other without a gap. */
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

function keyOf({ unit, pipeline }: PlannedUnit): string {
  return `${pipeline.dataset}/${unit.source.id}`;
}
