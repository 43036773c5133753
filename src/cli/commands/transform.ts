import { runSession } from '../../pipeline/session.ts';
import type { Command } from '../command.ts';
import { printRun } from '../run-report.ts';

export const transform: Command = {
  name: 'transform',
  keepsLog: true,
  summary: 'make the models again, test them and publish',
  positionals: { shown: '[MODEL…]', most: Number.POSITIVE_INFINITY },
  flags: {},
  async run(invocation) {
    const result = await runSession(
      {
        command: 'transform',
        settings: await invocation.settings(),
        logger: invocation.logger,
        signal: invocation.signal,
        models: invocation.positionals.length > 0 ? invocation.positionals : 'all',
      },
      async () => ({ units: [], errors: [] }),
    );
    return printRun(invocation, result);
  },
};
