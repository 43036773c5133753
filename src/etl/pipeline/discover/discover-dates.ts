import type { ServiceClient } from '../../../client/http/service-client.ts';
import type { Oql } from '../../../client/oql/oql.ts';
import { aggregateRows } from '../../../client/resources/aggregates.ts';
import { GRANULARITIES, type Granularity } from '../../../client/resources/fields.ts';
import type { WeekDefinition } from '../../../client/resources/log-monitoring.ts';
import type { Project } from '../../../client/resources/projects.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { calendarDay } from '../../../core/time/calendar-day.ts';
import type { ProjectDates, SourceDates } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import { skippableError } from './skippable-error.ts';
import { DAY, formatDay } from './windows.ts';

/** Returns the key of a pipeline's dates within a project's. */
export function datesKey({ source, window }: Pipeline): string {
  if (source.kind !== 'log_monitoring') return source.kind;
  return logKey(source.data_type, `${window ?? 'day'}s` as Granularity);
}

/** Requests from each project the days of its dated sources that pipelines read. */
export async function discoverDates(
  client: ServiceClient,
  projects: readonly Project[],
  pipelines: readonly Pipeline[],
  now: number,
  signal: AbortSignal,
): Promise<ProjectDates> {
  const reads = (kind: string, dataType?: string): boolean =>
    pipelines.some(
      ({ source }) => source.kind === kind && (dataType === undefined || source.data_type === dataType),
    );
  const byProject = new Map<string, Map<string, SourceDates>>();
  for (const project of projects) {
    const dates = new Map<string, SourceDates>();
    for (const dataType of ['pages', 'events'] as const) {
      if (!reads('log_monitoring', dataType)) continue;
      for (const [key, value] of await logDates(client, project, dataType, signal)) dates.set(key, value);
    }
    if (reads('ranking_performance')) {
      dates.set('ranking_performance', await rankingDates(client, project, now, signal));
    }
    byProject.set(project.id, dates);
  }
  return byProject;
}

/** Requests the days per data type, because lines and log pages have different retention periods. */
async function logDates(
  client: ServiceClient,
  project: Project,
  dataType: 'pages' | 'events',
  signal: AbortSignal,
): Promise<[string, SourceDates][]> {
  const each = (dates: (granularity: Granularity) => SourceDates): [string, SourceDates][] =>
    GRANULARITIES.map((granularity) => [logKey(dataType, granularity), dates(granularity)]);
  if (lacks(project, 'log_monitoring')) return each(() => ({ skip: 'the project has no log monitoring' }));
  const asked = await orReason(
    () => client.call('logMetadata', { project_id: project.id, data_type: dataType }, signal),
    signal,
  );
  if (asked.value === null) return each(() => asked.reason);
  const { dates, week_definition } = asked.value;
  const weeks: WeekDefinition = week_definition === 'sunday_start' ? 'sunday_start' : 'iso';
  return each((granularity) => {
    const span = dates?.find((own) => own.granularity === granularity) ?? dates?.[0];
    if (span === undefined) return { skip: 'log monitoring has no dates yet' };
    return { from: span.from, to: span.to, weeks };
  });
}

function logKey(dataType: string, granularity: Granularity): string {
  return `log_monitoring ${dataType} ${granularity}`;
}

async function rankingDates(
  client: ServiceClient,
  project: Project,
  now: number,
  signal: AbortSignal,
): Promise<SourceDates> {
  if (lacks(project, 'ranking_performance')) return { skip: 'the project has no ranking performance' };
  const days = await orReason(() => rankingDays(client, project.id, now, signal), signal);
  if (days.value === null) return days.reason;
  if (days.value === undefined) return { skip: 'ranking performance has no dates yet' };
  return { ...days.value, weeks: 'iso' };
}

/** Returns whether a project lists its features without this one (spec-notes.md 26). */
function lacks(project: Project, feature: string): boolean {
  const features = project.features ?? [];
  return features.length > 0 && !features.includes(feature);
}

/**
 * Skips a project without failure for a missing feature, or data that is not ready (wire-facts.md, "403"). Any other
 * error is the project's own failure.
 */
async function orReason<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | { readonly value: null; readonly reason: SourceDates }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof CrawlhouseError && (error.kind === 'skip' || error.code === 'forbidden'))
      return { value: null, reason: { skip: error.message } };
    return { value: null, reason: { failure: skippableError(error, signal) } };
  }
}

/** Days of one span, for two years, where the quota does not suffice for all days together. */
const SPAN_DAYS = 31;
const SPANS = 24;
/** Days in one answer: thirteen years. If there are more, the last day is requested separately. */
const MOST_DAYS = 5_000;

/** Days with data, both inclusive, `YYYY-MM-DD`. */
interface DataDays {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the first and the last day of a project's ranking performance. The service does not list these days, so they
 * are requested as aggregates. A query over more days costs more. If all days exceed the quota, they are requested
 * month by month, and then by halves of a month down to a single day.
 *
 * @param now UTC milliseconds
 * @throws CrawlhouseError `quota` when the remaining quota does not suffice for one day
 */
export async function rankingDays(
  client: ServiceClient,
  projectId: string,
  now: number,
  signal: AbortSignal,
): Promise<DataDays | undefined> {
  const daysOf = async (oql: Oql | null, order: 'asc' | 'desc', limit: number): Promise<string[]> => {
    const sort = { field: 'date', order } as const;
    const body = { aggs: [{ fields: ['date'], sort, limit, ...(oql ? { oql } : {}) }] };
    const { aggs } = await client.call('aggregateRanking', { project_id: projectId, body }, signal);
    const path = `/data/project/${projectId}/ranking_performance/aggs`;
    const days = aggregateRows(aggs[0], ['date'], path).map(({ date }) => String(date));
    const wrong = days.find((day) => calendarDay(day) === null);
    if (wrong !== undefined || days.length > limit) {
      const problem = wrong === undefined ? `${days.length} days` : `a date ${wrong}`;
      throw new CrawlhouseError('contract_broken', `POST ${path} answered with ${problem}`);
    }
    return days;
  };
  const edges = async (oql: Oql | null): Promise<DataDays | undefined> => {
    const days = await daysOf(oql, 'asc', MOST_DAYS);
    // In any order.
    const sorted = days.toSorted();
    const [from, to] = [sorted[0], sorted.at(-1)];
    if (from === undefined || to === undefined) return undefined;
    const [last = to] = days.length < MOST_DAYS ? [to] : await daysOf(oql, 'desc', 1);
    return { from, to: last };
  };
  /** Returns the data days among a number of days from a start. */
  const within = async (start: number, days: number): Promise<DataDays | undefined> => {
    try {
      return await edges({
        and: [
          { field: ['date', 'gte', formatDay(start)] },
          { field: ['date', 'lt', formatDay(start + days * DAY)] },
        ],
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
  let days: DataDays | undefined;
  for (let span = 1; span <= SPANS; span++)
    days = joined(await within(now + DAY - span * SPAN_DAYS * DAY, SPAN_DAYS), days);
  return days;
}

function joined(earlier: DataDays | undefined, later: DataDays | undefined): DataDays | undefined {
  if (earlier === undefined || later === undefined) return earlier ?? later;
  return { from: earlier.from, to: later.to };
}

function isQuota(error: unknown): boolean {
  return error instanceof CrawlhouseError && error.code === 'quota';
}
