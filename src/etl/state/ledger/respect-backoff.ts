import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { LedgerUnit, UnitState } from '../../project/model/runs/ledger-records.ts';
import { type UnitReport, unitReport } from '../../project/model/runs/unit-report.ts';
import type { Task } from '../../project/model/task.ts';

/** Up to this many failures in a row may be a short outage. */
const PATIENCE = 3;

const FIRST_MS = 10 * 60_000;

/** Well below a day, so that a daily schedule tries each morning. */
const LONGEST_MS = 12 * 3_600_000;

const UNDER_WAY: readonly UnitState[] = ['requested', 'downloading', 'staged', 'loaded'];

/** The tasks to run now, and the reports of the other tasks. */
export interface SettledTasks {
  readonly tasks: readonly Task[];
  readonly reports: readonly UnitReport[];
  readonly errors: readonly CrawlhouseError[];
}

/**
 * Separates the tasks whose units failed repeatedly and must wait before a retry. Waiting units still count as failed.
 *
 * @param at UTC milliseconds
 */
export function respectBackoff(
  due: readonly Task[],
  entries: readonly LedgerUnit[],
  at: number,
): SettledTasks {
  const waiting = new Map(
    entries
      .filter(({ error, next_try_at }) => error !== null && !mayTry(next_try_at, at))
      .map((entry) => [entry.unit, entry]),
  );
  const reports: UnitReport[] = [];
  const errors: CrawlhouseError[] = [];
  const tasks = due.filter(({ unit, name }) => {
    const entry = waiting.get(name);
    if (!entry?.error) return true;
    const { code, message, hint } = entry.error;
    const error = { code, message: `${message} (next try ${entry.next_try_at})`, hint };
    reports.push(unitReport(unit, entry.status === 'refused' ? 'refused' : 'failed', error));
    errors.push(new CrawlhouseError(code, error.message, { hint }));
    return false;
  });
  return { tasks, reports, errors };
}

/**
 * Returns the time from which scheduled runs retry a failed unit. The first three failures are retried immediately,
 * later ones after a wait that doubles from ten minutes to twelve hours. A run that a person starts retries
 * immediately.
 *
 * @param failures runs in a row in which the unit failed or was refused
 * @param now UTC milliseconds
 * @returns ISO 8601; null for immediately
 */
export function nextTryAt(failures: number, now: number): string | null {
  if (failures <= PATIENCE) return null;
  return new Date(now + Math.min(FIRST_MS * 2 ** (failures - PATIENCE - 1), LONGEST_MS)).toISOString();
}

/**
 * Returns whether the time of a next try has come. If the time is further ahead than any wait, it comes from a clock
 * that was wrong.
 */
export function mayTry(nextTry: string | null, now: number): boolean {
  if (nextTry === null) return true;
  const wait = Date.parse(nextTry) - now;
  return wait <= 0 || wait > LONGEST_MS;
}

/**
 * Returns the number of consecutive failures. An attempt in progress does not change it, and neither does a load,
 * because a loaded unit may still be quarantined.
 */
export function failuresAfter(status: UnitState, before: number): number {
  if (status === 'failed' || status === 'refused') return before + 1;
  return UNDER_WAY.includes(status) ? before : 0;
}
