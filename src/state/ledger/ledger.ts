import { z } from 'zod';
import type { LedgerRun, LedgerUnit, UnitState } from '../../project/model/runs/ledger-records.ts';
import type { UnitError } from '../../project/model/runs/report.ts';
import type { RunSummary } from '../../project/model/runs/run-summary.ts';
import type { Unit } from '../../project/model/unit.ts';
import type { ExportRecords, LedgerExport } from './ledger-export.ts';
import type { LoadState, Move } from './reconcile-units.ts';
import type { UnitOffers } from './unit-queue.ts';

export interface Discovery {
  /** Ids of the crawls and comparisons that are known and not ended. */
  readonly open: readonly string[];
  /** When the least recently swept list was last read in full. */
  readonly swept_at: string | null;
}

/** A unit that a process on some machine works on, as that process last reported. */
export const ClaimedUnit = z.strictObject({
  unit: z.string(),
  /** Process and machine. */
  worker: z.string(),
  /** ISO 8601, UTC. */
  claimed_at: z.string(),
  phase: z.string(),
  /** Rows so far. */
  received: z.number(),
  /** Rows as the service reports; null where it gives no count, or not yet. */
  reported: z.number().nullable(),
});
export type ClaimedUnit = z.infer<typeof ClaimedUnit>;

export interface UnitCount {
  readonly dataset: string;
  readonly status: string;
  readonly units: number;
}

/**
 * The state of the pipeline between and during runs. The published warehouse is the source of truth about data; a lost
 * ledger is filled from it. Each method that writes is one transaction.
 */
export interface Ledger extends ExportRecords, AsyncDisposable {
  /** Of its tables. */
  readonly version: number;
  /** The queue that other processes take units from; null where the ledger is not shared, and for readers. */
  readonly offers: UnitOffers | null;
  /** Aborts with `lease_lost` once another process has taken this one's place. */
  readonly lost: AbortSignal;
  check(): Promise<void>;
  /**
   * Refuses a process that another one has replaced, before it changes shared state.
   *
   * @throws CrawlhouseError `lease_lost`
   */
  confirm(): Promise<void>;
  /** Takes note of units that have not been met before; the others stay where they are. */
  discoverUnits(units: readonly Unit[]): Promise<void>;
  /**
   * Moves a unit, where the table of moves allows it.
   *
   * @throws CrawlhouseError `internal` for a move that is not allowed
   */
  setUnit(unit: Unit, status: UnitState, attempts: number, error: UnitError | null): Promise<void>;
  forgetUnits(names: readonly string[]): Promise<void>;
  /** Moves every loaded unit on, once what was loaded can be queried in the publication of this id. */
  publishLoaded(id: string): Promise<void>;
  /** The least recently updated first. */
  units(which?: 'all' | 'unpublished'): Promise<LedgerUnit[]>;
  unitCounts(): Promise<UnitCount[]>;
  /**
   * Copies units and runs from a publication if this ledger lacks them or has older entries. The ledger may be new, or
   * a former one that a person put back.
   */
  restore(units: readonly LedgerUnit[], runs: readonly LedgerRun[]): Promise<void>;
  /** Corrects the states that a killed run, or an older warehouse, left behind. */
  reconcile(loaded: ReadonlyMap<string, LoadState>): Promise<readonly Move[]>;
  /** The publication that this ledger matches; null: none yet. */
  publication(): Promise<string | null>;
  setPublication(id: string): Promise<void>;
  exports(): Promise<LedgerExport[]>;
  /** The longest claimed first; none where the ledger is not shared. */
  claimed(): Promise<ClaimedUnit[]>;
  /** A run that is still marked as running has lost its process, because only one can write. */
  startRun(runId: string, command: string, startedAt: string): Promise<void>;
  endRun(runId: string, status: string, endedAt: string, summary?: RunSummary | null): Promise<void>;
  /** The last runs, newest first. */
  runs(limit?: number): Promise<LedgerRun[]>;
  setDiscovery(discovery: Discovery): Promise<void>;
  discovery(): Promise<Discovery>;
}
