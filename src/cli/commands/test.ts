import { stringifyJson } from '../../core/json.ts';
import { textTable } from '../../core/text-table.ts';
import { failedTests } from '../../transform/failed-tests.ts';
import { type CaseReport, testCases } from '../../transform/test-cases.ts';
import { testPublished } from '../../transform/test-published.ts';
import type { Command, Invocation } from '../command.ts';
import { describeFailedTests } from '../failed-tests.ts';

export const test: Command = {
  name: 'test',
  keepsLog: true,
  summary: 'data tests of the models on the published warehouse; or cases of them',
  positionals: { shown: '[MODEL…]', most: Number.POSITIVE_INFINITY },
  flags: {
    unit: { type: 'boolean', help: 'the cases in sql/cases instead: rows in, rows out, without a warehouse' },
  },
  async run(invocation) {
    if (invocation.has('unit')) return testUnits(invocation);
    const tests = await testPublished(await invocation.settings(), invocation.positionals, invocation.signal);
    if (invocation.has('json')) await invocation.printJson({ tests });
    else {
      const rows = tests.map((one) => [one.model, one.name, one.severity, one.status, one.failures]);
      await invocation.print(textTable(['model', 'test', 'severity', 'status', 'failures'], rows));
      await invocation.print(describeFailedTests(tests));
    }
    return failedTests(tests).length > 0 ? 4 : 0;
  },
};

async function testUnits(invocation: Invocation): Promise<number> {
  const cases = await testCases(await invocation.settings(), invocation.positionals, invocation.signal);
  if (invocation.has('json')) await invocation.printJson({ cases });
  else {
    const rows = cases.map((one) => [one.model, one.case, one.status]);
    await invocation.print(textTable(['model', 'case', 'status'], rows));
    for (const one of cases) await invocation.print(describeCase(one));
  }
  return cases.some(({ status }) => status === 'failed') ? 4 : 0;
}

/** What a case that failed expected and got otherwise. */
function describeCase({ model, case: name, status, missing, surplus, failedTests }: CaseReport): string {
  if (status === 'passed') return '';
  const line = (what: string) => (row: object) => `  ${what} ${stringifyJson(row)}\n`;
  return [
    `\n${model}: ${name}\n`,
    ...missing.map(line('missing:')),
    ...surplus.map(line('unexpected:')),
    failedTests.length > 0 ? `  tests that failed: ${failedTests.join(', ')}\n` : '',
  ].join('');
}
