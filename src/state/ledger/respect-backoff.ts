import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { LedgerUnit } from '../../project/model/ledger-records.ts';
import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import type { UnitReport } from '../../project/model/report.ts';
import { unitReport } from '../../project/model/unit-report.ts';
import { mayTry } from './next-try.ts';

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
    errors.push(new CrawlhouseError(code, error.message, hint === null ? {} : { hint }));
    return false;
  });
  return { now, reports, errors };
}
