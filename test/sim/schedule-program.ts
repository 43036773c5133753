import { join } from 'node:path';
import { Scheduler } from '../../src/app/operations/schedule/scheduler.ts';
import { serveSchedules } from '../../src/app/operations/schedule/serve-schedules.ts';
import {
  readScheduleState,
  stateFile,
  writeScheduleState,
} from '../../src/app/operations/schedule/state-file.ts';
import { toCrawlhouseError } from '../../src/core/errors/errors.ts';
import { host } from '../../src/core/host/host.ts';
import { lockState } from '../../src/core/locks/state-lock.ts';
import type { Logger } from '../../src/core/logs/logger.ts';
import { Schedule } from '../../src/etl/project/settings/schedules.ts';
import type { Settings } from '../../src/etl/project/settings/settings.ts';
import { takeSchedulerLease } from '../../src/etl/state/ledger/take-scheduler-lease.ts';
import type { Oracle } from './oracle.ts';
import { watchedRun } from './run-program.ts';
import type { SimProcess } from './sim-process.ts';

const SCHEDULES = [
  Schedule.parse({ name: 'often', cron: '*/3 * * * *', retries: { number: 1, wait: 0.5 }, timeout: 30 }),
];
const BEAT_MS = 20_000;

interface Program {
  readonly process: SimProcess;
  readonly oracle: Oracle;
  readonly settings: Settings;
  readonly logger: Logger;
}

/** The service of `crawlhouse schedule`. */
export async function scheduleProgram(
  { process, oracle, settings, logger }: Program,
  signal: AbortSignal,
): Promise<void> {
  using _lock = lockState(join(settings.state_dir, 'schedule'), 'crawlhouse schedule');
  await using lease = await takeSchedulerLease(settings, () => {}, signal);
  const keptAt = lease ? 'the ledger' : process.machine.name;
  const keeper = lease ?? stateFile(settings.state_dir);
  const ended = AbortSignal.any([signal, ...(lease ? [lease.lost] : [])]);
  const scheduler = new Scheduler({
    load: async () => SCHEDULES,
    fire: async ({ name }, own, isLast) => {
      oracle.fired(process, keptAt);
      try {
        const { exitCode, errors } = await watchedRun(
          { process, oracle, settings, command: 'run', scope: name, isLast, logger },
          own,
        );
        for (const error of errors)
          oracle.hold('no internal error', error.code !== 'internal', `${process.name}: ${error.stack}`);
        return { exitCode, errors };
      } catch (thrown) {
        const { code, stack } = toCrawlhouseError(thrown);
        oracle.hold(
          'no internal error',
          !process.isAlive || code !== 'internal',
          `${process.name}: ${stack}`,
        );
        throw thrown;
      } finally {
        oracle.fireEnded(process);
      }
    },
    readState: () => readScheduleState(keeper, logger),
    writeState: (state) => writeScheduleState(keeper, state),
    now: host().now,
    seed: 'here',
    logger,
  });
  await scheduler.open();
  oracle.serves(process, keptAt);
  await serveSchedules(
    scheduler,
    { beatMs: BEAT_MS, graceMs: settings.schedule_grace * 1000 },
    logger,
    ended,
  );
}
