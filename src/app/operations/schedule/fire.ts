import type { ChangedDay } from '../../../client/resources/changed-day.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { type RunRequest, run } from '../../../etl/pipeline/run.ts';
import { exitCodeOf, type RunResult } from '../../../etl/project/model/runs/run-result.ts';
import { alertsOf } from '../../../etl/project/settings/alert-settings.ts';
import { loadPipelines, selectPipelines } from '../../../etl/project/settings/pipelines.ts';
import type { Schedule } from '../../../etl/project/settings/schedules.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { withAlerts } from '../alert/with-alerts.ts';

export interface Firing {
  readonly schedule: Schedule;
  /** Whether no retry follows a failure. */
  readonly isLast: boolean;
  /** The error in the current schedules.yaml, if it is invalid. */
  readonly schedulesError: string | null;
  /** Wraps the run, and provides its settings and the days to load again. */
  readonly load?: (
    run: (settings: Settings, changed: readonly ChangedDay[], signal: AbortSignal) => Promise<RunResult>,
    signal: AbortSignal,
  ) => Promise<RunResult>;
}

/**
 * Runs the pipelines of a schedule as `crawlhouse run` does. Stops the run at its `timeout`, and sends its `alerts`.
 *
 * @throws CrawlhouseError of kind usage, before anything was tried
 */
export async function fire(
  settings: Settings,
  { schedule, isLast, schedulesError, load = (run, own) => run(settings, [], own) }: Firing,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  const scoped = logger.with({ schedule: schedule.name });
  const otherFailures =
    schedulesError === null ? [] : [{ code: 'bad_schedule', message: schedulesError } as const];
  const alerts = alertsOf(settings.alerts, schedule.alerts);
  return withAlerts(
    settings,
    { scope: schedule.name, alerts, isLast, otherFailures, now: host().now },
    {
      plan: () => requestOf(settings, schedule),
      run: (request) =>
        inTime(
          schedule,
          (own) => load((given, changed, last) => run(given, { ...request, changed }, scoped, last), own),
          signal,
        ),
    },
    scoped,
    signal,
  );
}

async function requestOf(settings: Settings, { pipelines, projects }: Schedule) {
  const all = await loadPipelines(settings.projectDir);
  return {
    command: 'run',
    pipelines: selectPipelines(all, pipelines === 'all' ? [] : pipelines),
    selection: { projects: projects ?? settings.projects },
    reload: false,
    respectBackoff: true,
  } satisfies RunRequest;
}

async function inTime(
  schedule: Schedule,
  work: (signal: AbortSignal) => Promise<RunResult>,
  signal: AbortSignal,
): Promise<RunResult> {
  const late = new AbortController();
  const timer =
    schedule.timeout === undefined
      ? undefined
      : host().after(schedule.timeout * 60_000, () => late.abort(timedOut(schedule)));
  try {
    const result = await work(AbortSignal.any([signal, late.signal]));
    if (!late.signal.aborted || signal.aborted) return result;
    const errors = [timedOut(schedule)];
    return { ...result, errors, exitCode: exitCodeOf(errors) };
  } finally {
    timer?.[Symbol.dispose]();
  }
}

function timedOut({ name, timeout }: Schedule): CrawlhouseError {
  return new CrawlhouseError('timed_out', `${name}: the run was ended after ${timeout} minutes`, {
    hint: 'the next run continues; raise timeout in schedules.yaml if runs usually take that long',
  });
}
