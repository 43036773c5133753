import { stringifyJson } from '../../core/json.ts';
import { failedTests } from '../../pipeline/failed-tests.ts';
import { testPublished } from '../../pipeline/test-published.ts';
import type { Command } from '../command.ts';
import { describeFailedTests } from '../failed-tests.ts';
import { textTable } from '../text-table.ts';

export const test: Command = {
  name: 'test',
  keepsLog: true,
  summary: 'data tests of the models on the published warehouse',
  positionals: { shown: '[MODEL…]', most: Number.POSITIVE_INFINITY },
  flags: {},
  async run(invocation) {
    const tests = await testPublished(await invocation.settings(), invocation.positionals, invocation.signal);
    if (invocation.has('json')) await invocation.write(`${stringifyJson({ tests }, 2)}\n`);
    else {
      const rows = tests.map((one) => [one.model, one.name, one.severity, one.status, one.failures]);
      await invocation.write(textTable(['model', 'test', 'severity', 'status', 'failures'], rows));
      await invocation.write(describeFailedTests(tests));
    }
    return failedTests(tests).length > 0 ? 4 : 0;
  },
};
