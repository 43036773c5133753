import type { UnitState } from '../../project/model/ledger-records.ts';

/** Up to this many failures in a row may be a short outage. */
const PATIENCE = 3;
const FIRST_MS = 10 * 60_000;
/** Well below a day, so that a schedule of once a day tries each morning. */
const LONGEST_MS = 12 * 3_600_000;
const UNDER_WAY: readonly UnitState[] = ['requested', 'downloading', 'staged', 'loaded'];

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
