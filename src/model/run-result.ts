import type { CrawlhouseError } from '../core/errors.ts';
import type { RunReport } from './report.ts';
import { exitCodeOf, runStatus } from './run-status.ts';

/** What a command that writes to the warehouse ends with. */
export interface RunResult {
  readonly report: RunReport;
  readonly exitCode: number;
  readonly errors: readonly CrawlhouseError[];
  /** It made room for somebody else before it was through: nothing was published. */
  readonly yielded: boolean;
}

/** What a backfill did that made room in between: the sessions as one, under the run of the last. */
export function mergeResults(results: readonly [RunResult, ...RunResult[]]): RunResult {
  const [first] = results;
  const last = results.at(-1) ?? first;
  const errors = results.flatMap((result) => result.errors);
  const units = results.flatMap((result) => result.report.units);
  return {
    report: { ...last.report, status: runStatus(errors), started_at: first.report.started_at, units },
    exitCode: exitCodeOf(errors),
    errors,
    yielded: last.yielded,
  };
}
