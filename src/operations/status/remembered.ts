import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { LedgerRun, LedgerUnit } from '../../project/model/runs/ledger-records.ts';
import { readRuns } from '../../state/catalogue/ops/ops-runs.ts';
import { readUnits } from '../../state/catalogue/ops/ops-units.ts';
import { readPublished } from '../../state/catalogue/published/read-published.ts';
import type { Ledger } from '../../state/ledger/ledger.ts';
import { type LedgerSettings, readLedger } from '../../state/ledger/open-ledger.ts';
import type { MemoryPlace } from '../alert/alert-facts.ts';
import type { Incident } from '../alert/incident.ts';
import { type IncidentSettings, openIncidents } from '../alert/incidents.ts';

/** A run an hour for a year. */
const MOST_RUNS = 10_000;

/** Reads from the ledger, or, where `.crawlhouse/` was deleted, from the published warehouse; undefined without either. */
export async function readMemory<T>(
  settings: MemoryPlace,
  ofLedger: (ledger: Ledger) => Promise<T>,
  ofWarehouse: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  await using ledger = await readLedger(settings);
  return await (ledger ? ofLedger(ledger) : readPublished(settings, ofWarehouse));
}

/** The runs that a warehouse knows, newest first. */
export async function publishedRuns(connection: Connection): Promise<LedgerRun[]> {
  return (await readRuns(connection)).toSorted((a, b) => b.started_at.localeCompare(a.started_at));
}

/** The last runs, newest first. A run whose process has ended is `killed`. */
export async function readLastRuns(settings: MemoryPlace): Promise<readonly LedgerRun[]> {
  const runs = await readMemory(settings, (ledger) => ledger.runs(MOST_RUNS), publishedRuns);
  return (runs ?? []).slice(0, MOST_RUNS);
}

/** Every known unit, from the same place. */
export async function readKnownUnits(settings: MemoryPlace): Promise<readonly LedgerUnit[]> {
  const units = await readMemory(
    settings,
    (ledger) => ledger.units(),
    (connection) => readUnits(connection),
  );
  return units ?? [];
}

/** The incidents that are open now, the oldest first; without the rest of the status. */
export async function readIncidents(
  settings: IncidentSettings & LedgerSettings,
  now: number,
): Promise<readonly Incident[]> {
  const [units, runs] = [await readKnownUnits(settings), await readLastRuns(settings)];
  return openIncidents(settings, { units, runs }, now);
}
