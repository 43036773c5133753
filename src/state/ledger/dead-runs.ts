import type { LedgerRun } from '../../project/model/runs/ledger-records.ts';

/**
 * The runs. A run that is marked as running, but began before the present holder acquired the lock, is `killed`: only
 * one process can write at a time.
 *
 * @param lockedSince as `lockedSince` of the lock tells, asked before the runs were read
 */
export function markDeadRuns(runs: readonly LedgerRun[], lockedSince: string | null): LedgerRun[] {
  return runs.map((run) =>
    run.status === 'running' && lockedSince !== null && run.started_at < lockedSince
      ? { ...run, status: 'killed' }
      : run,
  );
}
