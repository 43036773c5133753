import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { lockedSince } from '../core/state-lock.ts';
import { markDeadRuns } from '../ledger/dead-runs.ts';
import { LEDGER_FILE, Ledger } from '../ledger/ledger.ts';
import type { LedgerRun, LedgerUnit } from '../model/ledger-records.ts';
import { readRuns } from '../warehouse/ops-runs.ts';
import { readUnits } from '../warehouse/ops-units.ts';
import { readPublished } from '../warehouse/read-published.ts';

/** A run an hour for a year. */
const MOST_RUNS = 10_000;

/**
 * The last runs, newest first: from the ledger, or, where `.crawlhouse/` was deleted, from the published warehouse. A
 * run whose process has ended is `killed`.
 */
export async function readLastRuns(settings: Settings): Promise<readonly LedgerRun[]> {
  // Looked at first: a run that ends meanwhile is in the ledger by then.
  const since = lockedSince(settings.state_dir);
  return markDeadRuns(await rememberedRuns(settings), since);
}

/** Every known unit, from the same place. */
export async function readKnownUnits(settings: Settings): Promise<readonly LedgerUnit[]> {
  if (existsSync(join(settings.state_dir, LEDGER_FILE))) {
    using ledger = new Ledger(settings.state_dir);
    return ledger.units();
  }
  return (await readPublished(settings, (connection) => readUnits(connection))) ?? [];
}

async function rememberedRuns(settings: Settings): Promise<readonly LedgerRun[]> {
  if (existsSync(join(settings.state_dir, LEDGER_FILE))) {
    using ledger = new Ledger(settings.state_dir);
    return ledger.runs(MOST_RUNS);
  }
  const runs = (await readPublished(settings, readRuns)) ?? [];
  return runs.toSorted((a, b) => b.started_at.localeCompare(a.started_at)).slice(0, MOST_RUNS);
}
