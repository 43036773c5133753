import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { lookUp } from '../../../../core/text/look-up.ts';
import { type AlertSettings, alertsOf } from '../../../../etl/project/settings/alert-settings.ts';
import type { ScheduleKey } from '../../../../etl/project/settings/change-schedules.ts';
import { Schedule } from '../../../../etl/project/settings/schedules.ts';
import { cronOf, timesOf } from './schedule-times.ts';

/** The current state of the schedule that a form changes. */
export interface ScheduleBefore {
  /** Undefined for a new schedule. */
  readonly schedule: Schedule | undefined;
  /** The setting `alerts`. */
  readonly alerts: AlertSettings;
}

export interface ReadSchedule {
  readonly name: string;
  readonly keys: readonly ScheduleKey[];
  /** The faults, by the name of the field. */
  readonly problems: ReadonlyMap<string, string>;
}

const LOCAL_REPORT = /^(?!.*\.\.)[\w][\w ./-]*\.html$/;

/** The field of a form by the key of a schedule, where the names differ. */
const FIELD_OF: Readonly<Record<string, string>> = {
  pipelines: 'dataset',
  projects: 'project',
  'logs.from': 'logs',
  'logs.site': 'log_site',
};

/**
 * Reads a submitted form. Keys that are not in the form stay unchanged.
 *
 * @param isOwners whether only the owner of this machine can sign in
 */
export function readSchedule(
  form: URLSearchParams,
  { schedule, alerts }: ScheduleBefore,
  isOwners: boolean,
): ReadSchedule {
  const text = (field: string): string | undefined => (form.get(field) ?? '').trim() || undefined;
  const lines = (field: string): string[] =>
    (form.get(field) ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const [datasets, projects, from, events] = [
    form.getAll('dataset'),
    lines('project'),
    lines('logs'),
    form.getAll('event'),
  ];
  const named = projects.length === 0 ? undefined : projects;
  const name = schedule?.name ?? text('name') ?? '';
  const report = text('report');
  const own: Record<string, unknown> = {
    pipelines: datasets.length === 0 ? 'all' : datasets,
    projects: isDeepStrictEqual(named, ['all']) ? 'all' : named,
    cron: cronOf(form),
    time_zone: text('time_zone') ?? 'UTC',
    crawl: text('crawl'),
    report,
  };
  const site = text('log_site');
  const logs = from.length === 0 ? undefined : { from, ...(site === undefined ? {} : { site }) };
  const given = { ...own, name, ...(logs && { logs }), alerts: { events } };
  const problems = problemsOf(Schedule.safeParse(given));
  if (report !== undefined && report !== schedule?.report && !LOCAL_REPORT.test(report))
    problems.set('report', 'a file of the project folder is expected, such as report.html');
  if (!isOwners && schedule?.allow_private === true && own.crawl !== schedule.crawl)
    problems.set('crawl', 'the schedule has allow_private, so only schedules.yaml can change its website');
  const known: Readonly<Record<string, unknown>> = schedule ?? {};
  const changed = Object.entries(own).filter(([key, value]) => !isDeepStrictEqual(lookUp(known, key), value));
  const logKeys: ScheduleKey[] = logs === undefined ? [] : [[['logs', 'site'], site]];
  return {
    name,
    keys: [
      ...changed.map(([key, value]): ScheduleKey => [[key], value]),
      [logs === undefined ? ['logs'] : ['logs', 'from'], logs?.from],
      ...logKeys,
      eventKey(events, schedule, alerts),
    ],
    problems,
  };
}

function problemsOf({ error }: { readonly error?: z.ZodError | undefined }): Map<string, string> {
  const found = (error?.issues ?? []).map(({ path, message }): [string, string] => {
    const key = path.filter((part) => typeof part === 'string').join('.');
    return [lookUp(FIELD_OF, key) ?? key, message];
  });
  // The first message of a field counts.
  return new Map(found.reverse());
}

/** Omits events that equal those of the setting. */
function eventKey(
  events: readonly string[],
  schedule: Schedule | undefined,
  alerts: AlertSettings,
): ScheduleKey {
  const isOfSetting = isDeepStrictEqual(new Set<string>(events), new Set<string>(alerts.events));
  const others = Object.keys(schedule?.alerts ?? {}).filter((key) => key !== 'events');
  if (!isOfSetting) return [['alerts', 'events'], events];
  return others.length === 0 ? [['alerts'], undefined] : [['alerts', 'events'], undefined];
}

/** Returns the fields that show a schedule in its form; for a new one, its defaults. */
export function fieldsOfSchedule(before: ScheduleBefore): URLSearchParams {
  const {
    pipelines = 'all',
    projects,
    cron = '0 6 * * *',
    time_zone = 'UTC',
    crawl = '',
    report = '',
    logs,
  } = before.schedule ?? {};
  const fields = new URLSearchParams({
    ...timesOf(cron),
    time_zone,
    crawl,
    report,
    project: typeof projects === 'string' ? projects : (projects ?? []).join('\n'),
    logs: (logs?.from ?? []).join('\n'),
    log_site: logs?.site ?? '',
  });
  for (const dataset of pipelines === 'all' ? [] : pipelines) fields.append('dataset', dataset);
  for (const event of alertsOf(before.alerts, before.schedule?.alerts).events) fields.append('event', event);
  return fields;
}
