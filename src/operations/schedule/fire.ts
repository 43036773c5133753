import { CrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { type RunRequest, run } from '../../pipeline/run.ts';
import { exitCodeOf, type RunResult } from '../../project/model/runs/run-result.ts';
import { alertsOf } from '../../project/settings/alert-settings.ts';
import { loadPipelines, selectPipelines } from '../../project/settings/pipelines.ts';
import type { Schedule } from '../../project/settings/schedules.ts';
import type { Settings } from '../../project/settings/settings.ts';
import type { ChangedDay } from '../../service/api/resources/changed-day.ts';
import { withAlerts } from '../alert/with-alerts.ts';

export interface Firing {
  readonly schedule: Schedule;
  /** No retry follows where it fails. */
  readonly isLast: boolean;
  /** The fault of the present schedules.yaml, if it is invalid. */
  readonly schedulesError: string | null;
  /** Wraps the run, and gives the settings to run with and the days to load again. */
  readonly load?: (
    run: (settings: Settings, changed: readonly ChangedDay[], signal: AbortSignal) => Promise<RunResult>,
    signal: AbortSignal,
  ) => Promise<RunResult>;
}

/**
 * Runs what a schedule names, as `crawlhouse run` would; ends it after its `timeout`, and sends its `alerts`.
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

async function requestOf(settings: Settings, { pipelines, projects }: Schedule): Promise<RunRequest> {
  const all = await loadPipelines(settings.projectDir);
  return {
    command: 'run',
    pipelines: selectPipelines(all, pipelines === 'all' ? [] : pipelines),
    selection: {
      projects: projects ?? settings.projects,
      crawls: null,
      from: settings.since === 'all' ? Number.NEGATIVE_INFINITY : Date.parse(settings.since),
      to: Number.POSITIVE_INFINITY,
    },
    override: { route: null, format: null, store: null },
    reload: false,
    respectBackoff: true,
  };
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
    hint: 'the next run continues; raise timeout in schedules.yaml if runs are that long',
  });
}
