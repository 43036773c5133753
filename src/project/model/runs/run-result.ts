import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { RunReport } from './report.ts';
import { exitCodeOf, runStatus } from './run-status.ts';

/** The result of a command that writes to the warehouse. */
export interface RunResult {
  readonly report: RunReport;
  readonly exitCode: number;
  readonly errors: readonly CrawlhouseError[];
  /** It yielded the lock to a waiting process before it was done: nothing was published. */
  readonly yielded: boolean;
}

/** The sessions of a backfill that yielded, as one result under the id of the last. */
export function mergeResults(results: readonly [RunResult, ...RunResult[]]): RunResult {
  const [first] = results;
  const last = results.at(-1) ?? first;
  const errors = results.flatMap((result) => result.errors);
  const units = results.flatMap((result) => result.report.units);
  const healed = results.flatMap((result) => result.report.healed ?? []);
  return {
    report: {
      ...last.report,
      status: runStatus(errors, units),
      started_at: first.report.started_at,
      units,
      ...(healed.length > 0 ? { healed } : {}),
    },
    exitCode: exitCodeOf(errors),
    errors,
    yielded: last.yielded,
  };
}
