import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import type { LedgerUnit, UnitState } from '../../project/model/runs/ledger-records.ts';
import { type UnitReport, unitReport } from '../../project/model/runs/report.ts';

/** Up to this many failures in a row may be a short outage. */
const PATIENCE = 3;

const FIRST_MS = 10 * 60_000;

/** Well below a day, so that a schedule of once a day tries each morning. */
const LONGEST_MS = 12 * 3_600_000;

const UNDER_WAY: readonly UnitState[] = ['requested', 'downloading', 'staged', 'loaded'];

/** Due units, separated by whether their next try has come. */
export interface BackoffPlan {
  readonly now: readonly PlannedUnit[];
  /** The errors of the others: a unit that waits still fails. */
  readonly reports: readonly UnitReport[];
  readonly errors: readonly CrawlhouseError[];
}

/**
 * Separates units that failed repeatedly and whose next try has not come.
 *
 * @param at UTC milliseconds
 */
export function respectBackoff(
  due: readonly PlannedUnit[],
  known: readonly LedgerUnit[],
  at: number,
): BackoffPlan {
  const waiting = new Map(
    known.filter((one) => one.error !== null && !mayTry(one.next_try_at, at)).map((one) => [one.unit, one]),
  );
  const reports: UnitReport[] = [];
  const errors: CrawlhouseError[] = [];
  const now = due.filter(({ unit, name }) => {
    const one = waiting.get(name);
    if (!one?.error) return true;
    const { code, message, hint } = one.error;
    const error = { code, message: `${message} (next try ${one.next_try_at})`, hint };
    reports.push(unitReport(unit, one.status === 'refused' ? 'refused' : 'failed', error));
    errors.push(new CrawlhouseError(code, error.message, { hint }));
    return false;
  });
  return { now, reports, errors };
}

/**
 * The time from which scheduled runs try a failed unit again. They try at once after its first three failures, then
 * after a wait that doubles from ten minutes to twelve hours. A run that a person starts tries at once.
 *
 * @param failures runs in a row in which the unit failed or was refused
 * @param now UTC milliseconds
 * @returns ISO 8601; null: at once
 */
export function nextTryAt(failures: number, now: number): string | null {
  if (failures <= PATIENCE) return null;
  return new Date(now + Math.min(FIRST_MS * 2 ** (failures - PATIENCE - 1), LONGEST_MS)).toISOString();
}

/** Has the time of a next try come? One that lies further ahead than any wait was written by a clock that was wrong. */
export function mayTry(nextTry: string | null, now: number): boolean {
  if (nextTry === null) return true;
  const wait = Date.parse(nextTry) - now;
  return wait <= 0 || wait > LONGEST_MS;
}

/** Failures in a row: an attempt that is under way changes nothing, and what is loaded may still be held. */
export function failuresAfter(status: UnitState, before: number): number {
  if (status === 'failed' || status === 'refused') return before + 1;
  return UNDER_WAY.includes(status) ? before : 0;
}
