import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import { loadWorkers } from '../../../etl/pipeline/load-workers.ts';
import type { Command } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';

export const worker: Command = {
  name: 'worker',
  keepsLog: true,
  summary: 'stage units of runs on this machine, until stopped',
  flags: {
    once: { help: 'exit once the queue is empty and no run is in progress' },
    concurrency: { value: 'N', help: 'number of units at a time, instead of the setting' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const concurrency = wholeNumber(invocation, 'concurrency', 1, 999) ?? settings.concurrency;
    // Its log is its only output.
    const logger = invocation.logTo(invocation.has('quiet') ? 'error' : 'info');
    const options = { once: invocation.has('once'), concurrency };
    const { runWorker } = await loadWorkers();
    const report = await runWorker(settings, options, logger, invocation.signal);
    if (invocation.has('json')) await invocation.printJson({ ...report, error: null });
    else invocation.say(`${report.staged} staged, ${report.failed} failed, ${report.left} left to others\n`);
    return invocation.signal.aborted ? EXIT_CODES.interrupted : 0;
  },
};
