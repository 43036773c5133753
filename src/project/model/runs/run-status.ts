import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { RunStatus, UnitReport, UnitStatus } from './report.ts';

/** Exit codes by precedence (interface.md, "Exit codes"). */
const ORDER = [130, 1, 2, 5, 4, 3];
const CAME: readonly UnitStatus[] = ['loaded', 'unchanged'];

/** The exit code of a run with these errors; a skipped unit is no failure. */
export function exitCodeOf(errors: readonly CrawlhouseError[]): number {
  return ORDER.find((code) => errors.some((error) => error.exitCode === code)) ?? 0;
}

/** A run that could be tried again, and in which no unit came, is `failed` and not `partial`. */
export function runStatus(
  errors: readonly CrawlhouseError[],
  units: readonly Pick<UnitReport, 'status'>[],
): RunStatus {
  const code = exitCodeOf(errors);
  if (code === 0) return 'done';
  if (code === 3) return units.some(({ status }) => CAME.includes(status)) ? 'partial' : 'failed';
  return code === 4 ? 'refused' : 'failed';
}
