import { host } from '../../core/host/host.ts';
import type { UnitState } from '../../project/model/ledger-records.ts';
import { failuresAfter, nextTryAt } from './next-try.ts';
import { checkMove } from './unit-states.ts';

/** The parts of a unit's entry that decide the next one. */
export interface FormerEntry {
  readonly status: UnitState;
  readonly failures: number;
  readonly failing_since: string | null;
}

export interface NextEntry extends FormerEntry {
  readonly next_try_at: string | null;
  readonly updated_at: string;
}

/**
 * The entry of a unit after a move.
 *
 * @param former undefined for a unit that the ledger does not have yet
 * @param now UTC milliseconds
 * @throws CrawlhouseError `internal` for a move that is not allowed
 */
export function nextEntry(
  name: string,
  former: FormerEntry | undefined,
  status: UnitState,
  now: number = host().now(),
): NextEntry {
  checkMove(name, former?.status ?? 'unknown', status);
  const failures = failuresAfter(status, former?.failures ?? 0);
  const updated_at = new Date(now).toISOString();
  return {
    status,
    failures,
    failing_since: failures === 0 ? null : (former?.failing_since ?? updated_at),
    next_try_at: nextTryAt(failures, now),
    updated_at,
  };
}
