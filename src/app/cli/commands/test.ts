import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { PublicationFollower } from '../../../etl/engines/publication-follower.ts';
import { type CaseReport, testCases } from '../../../etl/pipeline/transform/tests/model-cases.ts';
import { failedTests } from '../../../etl/pipeline/transform/tests/test-model.ts';
import { testPublished } from '../../../etl/pipeline/transform/tests/test-published.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { failedTestsOf, testsTable } from '../../operations/status/run-blocks.ts';
import type { Command, Invocation } from '../command.ts';
import { failureOf } from '../print-error.ts';

export const test: Command = {
  name: 'test',
  keepsLog: true,
  summary: 'run the data tests of the models on the published warehouse, or their cases',
  positionals: { shown: '[MODEL…]', most: Number.POSITIVE_INFINITY },
  flags: {
    unit: { help: 'run the cases in sql/cases (input rows, expected rows) instead, without a warehouse' },
  },
  async run(invocation) {
    if (invocation.has('unit')) return testUnits(invocation);
    const settings = await invocation.settings();
    await new PublicationFollower(settings, invocation.logger).follow(invocation.signal);
    const tests = await testPublished(settings, invocation.positionals, invocation.signal);
    const failures = failedTests(tests);
    if (invocation.has('json'))
      await invocation.printJson({ tests, error: failureOf(failures, failures.length > 0 ? 4 : 0) });
    else await invocation.print(printBlocks([testsTable(tests), ...failedTestsOf(tests)]));
    return failures.length > 0 ? 4 : 0;
  },
};

async function testUnits(invocation: Invocation): Promise<number> {
  const cases = await testCases(await invocation.settings(), invocation.positionals, invocation.signal);
  const failed = cases.filter(({ status }) => status === 'failed');
  const errors = failed.map(
    (report) => new CrawlhouseError('test_failed', `${report.model}: ${report.case}`),
  );
  const code = errors.length > 0 ? 4 : 0;
  if (invocation.has('json')) await invocation.printJson({ cases, error: failureOf(errors, code) });
  else {
    const rows = cases.map((one) => [one.model, one.case, one.status]);
    await invocation.print(textTable(['model', 'case', 'status'], rows));
    for (const one of cases) await invocation.print(describeCase(one));
  }
  return code;
}

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
