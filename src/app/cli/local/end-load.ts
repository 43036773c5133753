import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { exitCodeOf, type RunResult } from '../../../etl/project/model/runs/run-result.ts';
import type { Invocation } from '../command.ts';
import { failureOf, printError } from '../print-error.ts';
import { printErrors, runSummary } from '../reports/run-report.ts';

/** Prints the outcome of files and of the run that loaded them; returns the exit code. */
export async function endLoad(
  invocation: Invocation,
  result: RunResult,
  own: readonly CrawlhouseError[],
  said: {
    readonly document: object;
    readonly text: string;
    readonly idle: string;
    readonly next: () => Promise<string>;
  },
): Promise<number> {
  const isJson = invocation.has('json');
  const errors = [...own, ...result.errors];
  const exitCode = exitCodeOf(errors);
  const end = { run: result.report, error: failureOf(errors, exitCode) };
  if (isJson) await invocation.printJson({ ...said.document, ...end });
  else await invocation.print(said.text);
  for (const error of own) printError(error, invocation.has('debug'));
  const settings = await invocation.settings();
  if (!isJson) invocation.say(`\n${await runSummary(invocation, settings, result.report, said.idle)}`);
  printErrors(invocation, result);
  if (exitCode === 0 && !isJson) invocation.say(await said.next());
  return exitCode;
}
