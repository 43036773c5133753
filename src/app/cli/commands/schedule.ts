import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { lockState } from '../../../core/locks/state-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { exitCodeOf, type RunResult } from '../../../etl/project/model/runs/run-result.ts';
import { projectSchedules, type Schedule } from '../../../etl/project/settings/schedules.ts';
import { type Settings, serviceSettings } from '../../../etl/project/settings/settings.ts';
import { takeSchedulerLease } from '../../../etl/state/ledger/take-scheduler-lease.ts';
import { hasOtherOperators } from '../../console/access/reach.ts';
import { metricsReader } from '../../operations/metrics/read-metrics.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import { type Firing, fire } from '../../operations/schedule/fire.ts';
import { listen } from '../../operations/schedule/listen.ts';
import { Scheduler, type Waiting } from '../../operations/schedule/scheduler.ts';
import { BEAT_MS, runDueOnce, serveSchedules } from '../../operations/schedule/serve-schedules.ts';
import {
  readScheduleState,
  type StateKeeper,
  stateFile,
  writeScheduleState,
} from '../../operations/schedule/state-file.ts';
import { recordFailedCrawl } from '../../operations/status/record-failed-crawl.ts';
import type { Command, Invocation } from '../command.ts';
import { addLogs, readingRules } from '../local/add-logs.ts';
import { localProject } from '../local/local-project.ts';
import { LocalService } from '../local/local-service.ts';
import { failureOf } from '../print-error.ts';
import { logErrors } from '../reports/describe-logs.ts';
import { runSummary } from '../reports/run-report.ts';
import { readReport, writeReport } from '../reports/write-report.ts';

export const schedule: Command = {
  name: 'schedule',
  keepsLog: true,
  summary: 'run the schedules of schedules.yaml at their times, until stopped',
  flags: { once: { help: 'run the due schedules, then exit with their exit code' } },
  async run(invocation) {
    const settings = await invocation.settings();
    if (settings.base_url !== undefined || !(await crawls(settings))) serviceSettings(settings);
    // With two services on one state directory, each firing would run twice.
    using _lock = lockState(join(settings.state_dir, 'schedule'), 'crawlhouse schedule');
    const isOnce = invocation.has('once');
    const onWait = (holder: string): void =>
      serviceLogger(invocation).info('standing by: another process runs the schedules', { held_by: holder });
    await using lease = await takeSchedulerLease(settings, isOnce ? undefined : onWait, invocation.signal);
    const keeper = lease ?? stateFile(settings.state_dir);
    if (isOnce) return await once(invocation, settings, keeper);
    const lost = lease?.lost ?? new AbortController().signal;
    const code = await serve(invocation, settings, keeper, AbortSignal.any([invocation.signal, lost]));
    // The restarted process stands by.
    if (!invocation.signal.aborted) lost.throwIfAborted();
    return code;
  },
};

async function serve(
  invocation: Invocation,
  settings: Settings,
  keeper: StateKeeper,
  signal: AbortSignal,
): Promise<number> {
  const logger = serviceLogger(invocation);
  const scheduler = schedulerOf(invocation, settings, keeper, async (_schedule, { report }) =>
    invocation.say(await runSummary(invocation, settings, report)),
  );
  await scheduler.open();
  await using closing = new AsyncDisposableStack();
  const { schedule_listen: address, webhook_secret: secret } = settings;
  if (address !== undefined) {
    const listener = closing.use(
      await listen(
        address,
        scheduler,
        { webhookSecret: secret, metrics: metricsReader(settings), logger },
        signal,
      ),
    );
    logger.info('listening', { port: listener.port, webhook: secret !== undefined });
  }
  if (settings.console_listen !== undefined) {
    const { serveConsole } = await import('../../console/server/serve-console.ts');
    const console = closing.use(
      await serveConsole(settings, settings.console_listen, invocation.logger, signal, 'schedule'),
    );
    void console.preparePages();
    logger.info('console', { url: settings.console_url ?? console.url });
  }
  for (const { name, next_at } of scheduler.nextFirings()) {
    logger.info('schedule', { schedule: name, next_at: next_at ?? 'never' });
  }
  const graceMs = settings.schedule_grace * 1000;
  return await serveSchedules(scheduler, { beatMs: BEAT_MS, graceMs }, logger, signal);
}

async function once(invocation: Invocation, settings: Settings, keeper: StateKeeper): Promise<number> {
  const results = new Map<string, RunResult>();
  const scheduler = schedulerOf(invocation, settings, keeper, async ({ name }, result) => {
    results.set(name, result);
    if (!invocation.has('json')) invocation.say(await runSummary(invocation, settings, result.report));
  });
  const onWait = ({ name, at }: Waiting): void => {
    const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
    invocation.say(
      `Waiting until ${time} UTC to run ${name} again. Ctrl-C stops waiting; the next run continues.\n`,
    );
  };
  const code = await runDueOnce(scheduler, invocation.signal, onWait);
  if (invocation.has('json')) {
    const runs = [...results].map(([name, { report, errors, exitCode }]) => ({
      schedule: name,
      ...report,
      error: failureOf(errors, exitCode),
    }));
    const errors = [...results.values()].flatMap((result) => result.errors);
    await invocation.printJson({ runs, error: failureOf(errors, code) });
  } else if (scheduler.outcomes.size === 0) invocation.say('Nothing is due.\n');
  return code;
}

/** Returns the logger of the service, which logs its work even without `--verbose`, because it has no other output. */
function serviceLogger(invocation: Invocation): Logger {
  return invocation.logTo(invocation.has('quiet') ? 'error' : 'info');
}

/** Returns whether a schedule crawls a website or adds its logs; the folder then needs no other service. */
async function crawls({ projectDir }: Settings): Promise<boolean> {
  return (await projectSchedules(projectDir)).some(({ crawl, logs }) => (crawl ?? logs) !== undefined);
}

function schedulerOf(
  invocation: Invocation,
  settings: Settings,
  keeper: StateKeeper,
  onEnd: (schedule: Schedule, result: RunResult) => Promise<void>,
): Scheduler {
  const logger = serviceLogger(invocation);
  const scheduler: Scheduler = new Scheduler({
    load: () => projectSchedules(settings.projectDir),
    fire: async (schedule, signal, isLast) => {
      const firing = { schedule, isLast, schedulesError: scheduler.broken };
      const result = await fireSchedule(settings, firing, invocation.logger, signal);
      await onEnd(schedule, result);
      return result;
    },
    readState: () => readScheduleState(keeper, logger),
    writeState: (state) => writeScheduleState(keeper, state),
    now: () => Date.now(),
    seed: `${hostname()}\0${settings.projectDir}`,
    logger,
  });
  return scheduler;
}

/**
 * Fires a schedule. In a folder without another service, crawls the schedule's website and loads the result from the
 * local service. If users other than the machine's owner can write schedules, crawls only public addresses, unless the
 * schedule sets `allow_private`.
 */
export async function fireSchedule(
  settings: Settings,
  firing: Firing,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  const { crawl, logs, allow_private: allowPrivate, report } = firing.schedule;
  const fired = async (own: Firing): Promise<RunResult> => {
    const result = await withLineage(settings, `schedule.${own.schedule.name}`, logger, signal, () =>
      fire(settings, own, logger, signal),
    );
    if (report !== undefined) await reportAfter(settings, report, logger, signal);
    return result;
  };
  if (settings.base_url !== undefined && crawl === undefined && logs === undefined) return fired(firing);
  const load: Firing['load'] = async (run, own) => {
    const publicOnly = !allowPrivate && hasOtherOperators(settings);
    await using service = await LocalService.start(settings, { allowPrivate, publicOnly, logger });
    if (crawl !== undefined)
      await service.crawlAgain(crawl, own).catch(async (error: unknown) => {
        if (error instanceof CrawlhouseError && !own.aborted)
          await recordFailedCrawl(settings, crawl, error, logger);
        throw error;
      });
    const logFaults = logs === undefined ? [] : await addScheduled(settings, service, logs, own);
    const result = await service.load(settings, (local, changed) => run(local, changed, own));
    if (logFaults.length === 0) return result;
    const errors = [...logFaults, ...result.errors];
    return { ...result, errors, exitCode: exitCodeOf(errors) };
  };
  return fired({ ...firing, load });
}

/** Adds the logs of a schedule; returns the errors of files. */
async function addScheduled(
  settings: Settings,
  service: LocalService,
  { from, site }: NonNullable<Firing['schedule']['logs']>,
  signal: AbortSignal,
): Promise<CrawlhouseError[]> {
  const { id } = await localProject(service, { named: undefined, site });
  const { projectDir: folder, access_logs, on_reject } = settings;
  const rules = readingRules(access_logs, on_reject === 'quarantine' ? on_reject : undefined);
  const logs = { projectId: id, from, folder, rules, again: false, progress: () => {} };
  return logErrors((await addLogs(settings, service, logs, signal)).files);
}

/** Writes the report after a run. An error while writing it does not fail the run. */
async function reportAfter(
  settings: Settings,
  file: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    const projects = await readReport(settings, {}, { logger }, signal);
    await writeReport(projects, { output: resolve(settings.projectDir, file) }, settings);
  } catch (thrown) {
    logger.error('report not written', { file, error: toCrawlhouseError(thrown).message });
  }
}
