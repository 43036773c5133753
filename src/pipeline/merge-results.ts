import { exitCodeOf, runStatus } from './run-status.ts';
import type { RunResult } from './session.ts';

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
    madeRoom: last.madeRoom,
  };
}
