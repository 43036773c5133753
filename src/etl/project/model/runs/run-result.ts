import type { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { RunReport, RunStatus, UnitReport, UnitStatus } from './unit-report.ts';

/** Exit codes by precedence (interface.md, "Exit codes"). */
const ORDER = [130, 1, 2, 6, 5, 4, 3];

const CAME: readonly UnitStatus[] = ['loaded', 'unchanged'];

/** The result of a command that writes to the warehouse. */
export interface RunResult {
  readonly report: RunReport;
  readonly exitCode: number;
  readonly errors: readonly CrawlhouseError[];
  /** Whether the command yielded the lock to a waiting process before the end. If so, nothing was published. */
  readonly yielded: boolean;
}

/** Merges the sessions of a backfill that yielded into one result, under the id of the last session. */
export function mergeResults(results: readonly [RunResult, ...RunResult[]]): RunResult {
  const [first] = results;
  const last = results.at(-1) ?? first;
  const errors = results.flatMap((result) => result.errors);
  const units = results.flatMap((result) => result.report.units);
  const healed = results.flatMap((result) => result.report.healed ?? []);
  const moved = results.flatMap((result) => result.report.moved ?? []);
  return {
    report: {
      ...last.report,
      status: runStatus(errors, units),
      started_at: first.report.started_at,
      units,
      ...(healed.length > 0 ? { healed } : {}),
      ...(moved.length > 0 ? { moved } : {}),
    },
    exitCode: exitCodeOf(errors),
    errors,
    yielded: last.yielded,
  };
}

/** Returns the exit code of a run with these errors. A skipped unit is not a failure. */
export function exitCodeOf(errors: readonly CrawlhouseError[]): number {
  return ORDER.find((code) => errors.some((error) => error.exitCode === code)) ?? 0;
}

/** Returns the status of a run. A retriable run without any loaded unit is `failed`, not `partial`. */
export function runStatus(
  errors: readonly CrawlhouseError[],
  units: readonly Pick<UnitReport, 'status'>[],
): RunStatus {
  const code = exitCodeOf(errors);
  if (code === 0) return 'done';
  if (code === 3) return units.some(({ status }) => CAME.includes(status)) ? 'partial' : 'failed';
  return code === 4 ? 'refused' : 'failed';
}
