import type { LedgerRun, LedgerUnit } from '../../project/model/runs/ledger-records.ts';
import { readRuns } from '../../state/catalogue/ops/ops-runs.ts';
import { readUnits } from '../../state/catalogue/ops/ops-units.ts';
import { readPublished } from '../../state/catalogue/published/read-published.ts';
import { readLedger } from '../../state/ledger/open-ledger.ts';
import type { MemoryPlace } from '../alert/alert-facts.ts';

/** A run an hour for a year. */
const MOST_RUNS = 10_000;

/**
 * The last runs, newest first: from the ledger, or, where `.crawlhouse/` was deleted, from the published warehouse. A
 * run whose process has ended is `killed`.
 */
export async function readLastRuns(settings: MemoryPlace): Promise<readonly LedgerRun[]> {
  await using ledger = await readLedger(settings);
  if (ledger) return await ledger.runs(MOST_RUNS);
  const runs = (await readPublished(settings, readRuns)) ?? [];
  return runs.toSorted((a, b) => b.started_at.localeCompare(a.started_at)).slice(0, MOST_RUNS);
}

/** Every known unit, from the same place. */
export async function readKnownUnits(settings: MemoryPlace): Promise<readonly LedgerUnit[]> {
  await using ledger = await readLedger(settings);
  if (ledger) return await ledger.units();
  return (await readPublished(settings, (connection) => readUnits(connection))) ?? [];
}
