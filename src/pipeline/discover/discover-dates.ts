import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { ProjectDates, SourceDates } from '../../project/model/inventory.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { ServiceClient } from '../../service/api/client/client.ts';
import { GRANULARITIES, type Granularity } from '../../service/api/resources/fields.ts';
import type { WeekDefinition } from '../../service/api/resources/log-monitoring.ts';
import type { Project } from '../../service/api/resources/projects.ts';
import { rankingDays } from './ranking-dates.ts';
import { skippableError } from './skippable-error.ts';

/** The key of a pipeline's dates within a project's. */
export function datesKey({ source, window }: Pipeline): string {
  if (source.kind !== 'log_monitoring') return source.kind;
  return logKey(source.data_type, `${window ?? 'day'}s` as Granularity);
}

/** Asks each project for the days of its dated sources, as far as pipelines read them. */
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
  const found = new Map<string, Map<string, SourceDates>>();
  for (const project of projects) {
    const dates = new Map<string, SourceDates>();
    for (const dataType of ['pages', 'events'] as const) {
      if (!reads('log_monitoring', dataType)) continue;
      for (const [key, value] of await logDates(client, project, dataType, signal)) dates.set(key, value);
    }
    if (reads('ranking_performance')) {
      dates.set('ranking_performance', await rankingDates(client, project, now, signal));
    }
    found.set(project.id, dates);
  }
  return found;
}

/** Lines are kept for another time than log pages, so each data type is asked for its own days. */
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
    const span = dates?.find((one) => one.granularity === granularity) ?? dates?.[0];
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

/** A project that lists its features lists those it lacks by their absence (spec-notes.md 26). */
function lacks(project: Project, feature: string): boolean {
  const features = project.features ?? [];
  return features.length > 0 && !features.includes(feature);
}

/**
 * A missing feature, or data that is not ready, skips the project and fails nothing (wire-facts.md, "403"). Any other
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
