import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import {
  ALERT_EVENTS,
  type AlertSettings,
  alertsOf,
} from '../../../../etl/project/settings/alert-settings.ts';
import type { Schedule } from '../../../../etl/project/settings/schedules.ts';
import { targetsOf } from '../../../operations/alert/targets.ts';
import { nextFirings } from '../../../operations/schedule/next-firing.ts';
import type { ScheduleState } from '../../../operations/schedule/plan-tick.ts';

const SHOWN_FIRINGS = 3;
const Names = z.union([z.literal('all'), z.array(z.string())]);

/** A schedule as the page shows it. */
export const ScheduleLine = z.strictObject({
  name: z.string(),
  pipelines: Names,
  /** Null: the setting `projects`. */
  projects: Names.nullable(),
  crawl: z.string().nullable(),
  logs: z.array(z.string()),
  report: z.string().nullable(),
  cron: z.string(),
  time_zone: z.string(),
  /** The next firings, UTC; none while it is paused. */
  next: z.array(z.string()),
  paused: z.boolean(),
  /** The last run that ended; null if unknown. */
  last: z
    .strictObject({ ended_at: z.string(), exit_code: z.number(), error: z.string().nullable() })
    .nullable(),
  alerts: z.strictObject({ targets: z.array(z.string()), events: z.array(z.enum(ALERT_EVENTS)) }),
});
export type ScheduleLine = Typed<typeof ScheduleLine>;

/** @param now UTC milliseconds */
export function scheduleLine(
  schedule: Schedule,
  {
    alerts,
    state,
    now,
  }: { readonly alerts: AlertSettings; readonly state: ScheduleState; readonly now: number },
): ScheduleLine {
  const {
    name,
    pipelines,
    projects = null,
    crawl = null,
    logs,
    report = null,
    cron,
    time_zone,
    paused,
  } = schedule;
  const own = alertsOf(alerts, schedule.alerts);
  const targets = targetsOf(own).map((target) => target.name);
  return {
    name,
    pipelines,
    projects,
    crawl,
    logs: logs?.from ?? [],
    report,
    cron,
    time_zone,
    next: nextFirings(schedule, now, SHOWN_FIRINGS),
    paused,
    last: (Object.hasOwn(state, name) ? state[name]?.last : null) ?? null,
    alerts: { targets, events: own.events },
  };
}

/** Describes a schedule in one sentence. */
export function workText({ crawl, logs, pipelines, projects, report }: ScheduleLine): string {
  const datasets = pipelines === 'all' ? 'all datasets' : pipelines.join(', ');
  const of = projects === null ? '' : projects === 'all' ? ' of all projects' : ` of ${projects.join(', ')}`;
  return [
    ...(crawl === null ? [] : [`crawls ${crawl}`]),
    ...(logs.length === 0 ? [] : [`adds the logs ${logs.join(', ')}`]),
    `loads ${datasets}${of}`,
    ...(report === null ? [] : [`writes ${report}`]),
  ].join(', then ');
}
