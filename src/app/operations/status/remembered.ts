import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { LedgerRun, LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { readRuns } from '../../../etl/state/catalog/ops/ops-runs.ts';
import { readUnits } from '../../../etl/state/catalog/ops/ops-units.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import type { Ledger } from '../../../etl/state/ledger/ledger.ts';
import { type LedgerSettings, readLedger } from '../../../etl/state/ledger/open-ledger.ts';
import type { MemoryPlace } from '../alert/alert-facts.ts';
import type { Incident } from '../alert/incident.ts';
import { type IncidentSettings, openIncidents } from '../alert/incidents.ts';

/** A year of hourly runs. */
const MOST_RUNS = 10_000;

/** Reads from the ledger or, if `.crawlhouse/` was deleted, from the published warehouse; undefined without either. */
export async function readMemory<T>(
  settings: MemoryPlace,
  ofLedger: (ledger: Ledger) => Promise<T>,
  ofWarehouse: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  await using ledger = await readLedger(settings);
  return await (ledger ? ofLedger(ledger) : readPublished(settings, ofWarehouse));
}

/** Returns the runs in a warehouse, newest first. */
export async function publishedRuns(connection: Connection): Promise<LedgerRun[]> {
  return (await readRuns(connection)).toSorted((a, b) => b.started_at.localeCompare(a.started_at));
}

/** Returns the last runs, newest first. A run whose process has ended is `killed`. */
export async function readLastRuns(settings: MemoryPlace): Promise<readonly LedgerRun[]> {
  const runs = await readMemory(settings, (ledger) => ledger.runs(MOST_RUNS), publishedRuns);
  return (runs ?? []).slice(0, MOST_RUNS);
}

/** Returns every known unit, from the ledger or the published warehouse. */
export async function readKnownUnits(settings: MemoryPlace): Promise<readonly LedgerUnit[]> {
  const units = await readMemory(
    settings,
    (ledger) => ledger.units(),
    (connection) => readUnits(connection),
  );
  return units ?? [];
}

/** Returns the open incidents, oldest first, without the rest of the status. */
export async function readIncidents(
  settings: IncidentSettings & LedgerSettings,
  now: number,
): Promise<readonly Incident[]> {
  const [units, runs] = [await readKnownUnits(settings), await readLastRuns(settings)];
  return openIncidents(settings, { units, runs }, now);
}
