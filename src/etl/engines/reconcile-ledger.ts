import type { FormerLoad } from '../project/model/former-load.ts';
import type { RunStatus } from '../project/model/runs/unit-report.ts';
import { readRuns, recordRuns } from '../state/catalog/ops/ops-runs.ts';
import { readUnits, recordUnits } from '../state/catalog/ops/ops-units.ts';
import type { Ledger } from '../state/ledger/ledger.ts';
import type { WorkingCopy } from './working-copy.ts';

/**
 * Reconciles the ledger with the warehouse at the start of a run. The two may differ because `.crawlhouse/` was
 * deleted, because a person restored an older ledger or warehouse, or because the last run was killed between a load
 * and its entry in the ledger.
 */
export async function reconcileLedger(
  ledger: Ledger,
  working: WorkingCopy,
  loaded: ReadonlyMap<string, FormerLoad>,
): Promise<void> {
  const { id } = await working.publication();
  if (id !== null && (await ledger.publication()) !== id) {
    await ledger.restore(await readUnits(working.connection), await readRuns(working.connection));
    await ledger.setPublication(id);
  }
  // Dropped by a process that was killed before it wrote the ledger.
  await ledger.restore(await readUnits(working.connection, 'dropped'), []);
  await ledger.reconcile(loaded);
}

/**
 * Writes the units and runs of the ledger to `ops`, in their state after this publication.
 *
 * @param status the end of the current run; null if it continues, so that only former runs are written
 */
export async function recordLedger(
  ledger: Ledger,
  working: WorkingCopy,
  runId: string,
  status: RunStatus | null,
): Promise<void> {
  const runs = (await ledger.runs(1000)).flatMap((run) => {
    if (run.run_id !== runId) return run;
    return status === null ? [] : { ...run, status, ended_at: new Date().toISOString() };
  });
  const units = await ledger.units();
  await working.connection.transaction(async () => {
    await recordUnits(working.connection, units);
    await recordRuns(working.connection, runs);
    await working.markDirty();
  });
}
