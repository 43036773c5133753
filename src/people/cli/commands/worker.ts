import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import { runWorker } from '../../../pipeline/workers/run-worker.ts';
import type { Command } from '../command.ts';
import { wholeNumber } from '../flag-values.ts';

export const worker: Command = {
  name: 'worker',
  keepsLog: true,
  summary: 'stage units of runs on any machine, until it is stopped',
  flags: {
    once: { help: 'end once the queue is empty and no run is under way' },
    concurrency: { value: 'N', help: 'units at once, in place of the setting' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const concurrency = wholeNumber(invocation, 'concurrency', 1, 999) ?? settings.concurrency;
    // Its log is all there is to see of it.
    const logger = invocation.logTo(invocation.has('quiet') ? 'error' : 'info');
    const options = { once: invocation.has('once'), concurrency };
    const report = await runWorker(settings, options, logger, invocation.signal);
    if (invocation.has('json')) await invocation.printJson({ ...report, error: null });
    else invocation.say(`${report.staged} staged, ${report.failed} failed, ${report.left} left to others\n`);
    return invocation.signal.aborted ? EXIT_CODES.interrupted : 0;
  },
};
