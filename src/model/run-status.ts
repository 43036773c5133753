import type { CrawlhouseError } from '../core/errors.ts';
import type { RunStatus } from './report.ts';

/** Exit codes in the order in which the first that applies is taken (interface.md, "Exit codes"). */
const ORDER = [130, 1, 2, 5, 4, 3];

/** The exit code of a run with these errors; a skipped unit is no failure. */
export function exitCodeOf(errors: readonly CrawlhouseError[]): number {
  return ORDER.find((code) => errors.some((error) => error.exitCode === code)) ?? 0;
}

export function runStatus(errors: readonly CrawlhouseError[]): RunStatus {
  const code = exitCodeOf(errors);
  if (code === 0) return 'done';
  if (code === 3) return 'partial';
  return code === 4 ? 'refused' : 'failed';
}
