import { dirname, join } from 'node:path';
import { z } from 'zod';
import { bytesOf, freeBytes } from '../../../core/files/disk-use.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { LedgerRun, LedgerUnit } from '../../../etl/project/model/runs/ledger-records.ts';
import { readUnits } from '../../../etl/state/catalog/ops/ops-units.ts';
import { type PipelineDrift, readDrift } from '../../../etl/state/catalog/pipeline-drift.ts';
import { SPARE_FILE } from '../../../etl/state/catalog/published/former-copies.ts';
import { type PublishedPlace, readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import type { Ledger } from '../../../etl/state/ledger/ledger.ts';
import type { ClaimedUnit, Discovery, LedgerExport } from '../../../etl/state/ledger/ledger-facts.ts';
import { type LiveRun, readLiveRun } from '../../../etl/state/ledger/live-run.ts';
import type { LedgerSettings } from '../../../etl/state/ledger/open-ledger.ts';
import type { Incident } from '../alert/incident.ts';
import { type IncidentSettings, openIncidents } from '../alert/incidents.ts';
import { type ProjectFreshness, projectFreshness } from '../alert/project-freshness.ts';
import { publishedRuns, readMemory } from './remembered.ts';

const RUNS_LISTED = 20;
/** The last runs to search for the start of a failure. */
const RUNS = 1000;

/** Bytes by kind of file. */
export const DiskUse = z.strictObject({
  warehouse: z.number(),
  working_copy: z.number(),
  /** The previous publication, from which the next one is made. */
  spare: z.number(),
  packages: z.number(),
  raw: z.number(),
  logs: z.number(),
  spill: z.number(),
  /** Free bytes on the disk of the warehouse; null if unknown. */
  free: z.number().nullable(),
});
type DiskUse = Typed<typeof DiskUse>;

/** The state of units, runs and disk, as `status` shows it. */
export interface Status {
  /** The open incidents, oldest first. */
  readonly incidents: readonly Incident[];
  readonly discovery: Discovery;
  readonly units: readonly LedgerUnit[];
  readonly exports: readonly LedgerExport[];
  readonly runs: readonly LedgerRun[];
  /** Units that processes on any machine are loading; empty if the ledger is not shared. */
  readonly claims: readonly ClaimedUnit[];
  /** The progress of the current run; null if there is none. */
  readonly live: LiveRun | null;
  readonly freshness: readonly ProjectFreshness[];
  readonly disk: DiskUse;
  /** Pipelines that have changed since units were loaded. */
  readonly drift: readonly PipelineDrift[];
}

export type StatusSettings = IncidentSettings & LedgerSettings;

/**
 * Reads the status from the ledger or, if `.crawlhouse/` was deleted, from the published warehouse. It also works
 * during a run.
 *
 * @param now UTC milliseconds
 */
export async function readStatus(settings: StatusSettings, now: number): Promise<Status> {
  const remembered =
    (await readMemory(settings, allOf, async (connection) => ({
      ...NOTHING,
      units: await readUnits(connection),
      runs: await publishedRuns(connection),
    }))) ?? NOTHING;
  return {
    ...remembered,
    runs: remembered.runs.slice(0, RUNS_LISTED),
    live: readLiveRun(settings.state_dir),
    incidents: await openIncidents(settings, remembered, now),
    freshness: (await readPublished(settings, projectFreshness))?.(now) ?? [],
    disk: await diskUse(settings),
    drift: await readDrift(settings),
  };
}

type Remembered = Pick<Status, 'discovery' | 'units' | 'exports' | 'runs' | 'claims'>;

const NOTHING: Remembered = {
  discovery: { open: [], swept_at: null },
  units: [],
  exports: [],
  claims: [],
  runs: [],
};

async function allOf(ledger: Ledger): Promise<Remembered> {
  return {
    discovery: await ledger.discovery(),
    units: await ledger.units(),
    exports: await ledger.exports(),
    runs: await ledger.runs(RUNS),
    claims: await ledger.claimed(),
  };
}

async function diskUse({ state_dir, warehouse }: PublishedPlace): Promise<DiskUse> {
  const of = (name: string): Promise<number> => bytesOf(join(state_dir, name));
  return {
    warehouse: await bytesOf(warehouse),
    working_copy: await of('work.duckdb'),
    spare: await of(SPARE_FILE),
    packages: await of('packages'),
    raw: await of('raw'),
    logs: await of('logs'),
    spill: await of('spill'),
    free: await freeBytes(dirname(warehouse)),
  };
}
