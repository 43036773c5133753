import { addAbortListener } from 'node:events';
import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { exitCodeOf } from '../../../etl/project/model/runs/run-result.ts';
import type { Scheduler, Waiting } from './scheduler.ts';

/** Within this time, a changed file or clock is noticed. */
export const BEAT_MS = 10_000;

/**
 * Runs a scheduler until `signal` aborts. The current run may then continue for `graceMs`. After that, it is stopped,
 * and the next service continues it.
 *
 * @returns the exit code of the interrupted run
 */
export async function serveSchedules(
  scheduler: Scheduler,
  options: { readonly beatMs: number; readonly graceMs: number },
  logger: Logger,
  signal: AbortSignal,
): Promise<number> {
  using _stop = addAbortListener(signal, () => scheduler.stop());
  while (!signal.aborted) {
    await scheduler.tick();
    if (!signal.aborted) await scheduler.wait(options.beatMs);
  }
  logger.info('stopping', { running: scheduler.running ?? 'nothing', grace_seconds: options.graceMs / 1000 });
  const timer = host().after(options.graceMs, () => scheduler.abort(signal.reason));
  await scheduler.idle();
  timer[Symbol.dispose]();
  return EXIT_CODES.interrupted;
}

/**
 * Runs the due schedules, with their retries, and ends. A signal ends the run immediately. It does not wait for another
 * process's state lock.
 *
 * @param onWait called once for each run that is retried later
 * @returns the most severe exit code of the last run of each schedule
 */
export async function runDueOnce(
  scheduler: Scheduler,
  signal: AbortSignal,
  onWait: (waiting: Waiting) => void,
): Promise<number> {
  let told: readonly Waiting[] = [];
  const errors = (): CrawlhouseError[] => [...scheduler.outcomes.values()].flatMap((fired) => fired.errors);
  using _stop = addAbortListener(signal, () => {
    scheduler.stop();
    scheduler.abort(signal.reason);
  });
  await scheduler.tick();
  for (;;) {
    await scheduler.idle();
    if (signal.aborted) return EXIT_CODES.interrupted;
    const locked = errors().some(({ code }) => code === 'locked');
    if (locked || scheduler.waiting.length === 0) return exitCodeOf(errors());
    const { queue } = scheduler;
    for (const waiting of queue)
      if (!told.some(({ name, at }) => name === waiting.name && at === waiting.at)) onWait(waiting);
    told = queue;
    await scheduler.wait(BEAT_MS);
    await scheduler.advance();
  }
}
