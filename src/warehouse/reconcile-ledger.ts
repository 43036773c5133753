import type { LedgerRun, LedgerUnit } from '../model/ledger-records.ts';
import type { LoadedUnit } from './ops-loads.ts';
import { ledgerTables } from './ops-units.ts';
import type { WorkingCopy } from './working-copy.ts';

/** The part of the ledger that is filled and corrected from the warehouse. */
interface RestorableLedger {
  publication(): string | null;
  setPublication(id: string): void;
  restore(units: readonly LedgerUnit[], runs: readonly LedgerRun[]): void;
  settle(loaded: ReadonlyMap<string, LoadedUnit>): void;
}

/**
 * Brings ledger and warehouse to one mind before anything is done: `.crawlhouse/` may have been deleted, either may be a
 * former one that somebody put back, and the last run may have been killed between a load and its entry in the ledger.
 */
export async function reconcileLedger(
  ledger: RestorableLedger,
  working: WorkingCopy,
  loaded: ReadonlyMap<string, LoadedUnit>,
): Promise<void> {
  const { id } = await working.publication();
  if (id !== null && ledger.publication() !== id) {
    const { units, runs } = await ledgerTables(working.connection);
    ledger.restore(units, runs);
    ledger.setPublication(id);
  }
  // Of a drop whose process was killed before the ledger heard of it.
  const dropped = await ledgerTables(working.connection, `WHERE status = 'dropped'`);
  ledger.restore(dropped.units, []);
  ledger.settle(loaded);
}
