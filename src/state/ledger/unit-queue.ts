import type { UnitError } from '../../project/model/runs/report.ts';
import type { ExportRecords } from './ledger-export.ts';

/** A unit that a run offers to every process that shares its ledger. */
export interface OfferedUnit {
  readonly unit: string;
  /** The project of the service, or the workspace, whose share of the slots it takes. */
  readonly project: string;
  /** The store that its rows come through; null if there is none or it is not known yet. */
  readonly store: string | null;
  /** JSON that says how to stage it, for processes of the same version of crawlhouse. */
  readonly work: string;
  /** Rows that were staged for an earlier run are no longer current. */
  readonly refresh: boolean;
}

/** How many units may be claimed at once, on all machines together. */
export interface ClaimLimits {
  readonly project: number;
  readonly store: number;
}

export interface ClaimProgress {
  /** Rows as the service reports; null where it gives no count. */
  readonly reported: number | null;
  readonly columns: number;
  /** Rows so far. */
  readonly received: number;
  readonly phase: 'download' | 'stage';
}

/** A unit that somebody has claimed, staged or failed to stage. */
export interface QueueEntry {
  readonly unit: string;
  readonly status: 'claimed' | 'staged' | 'failed';
  /** The token of the last claim; null where a unit fails because its claims expire. */
  readonly claim: string | null;
  /** Process and machine. */
  readonly worker: string;
  readonly progress: ClaimProgress | null;
  readonly error: UnitError | null;
  readonly attempts: number;
}

/** The queue for the run that offers its units. Each write checks the lease of the run. */
export interface UnitOffers {
  /** Distinguishes this queue from every other one, wherever both keep their packages. */
  id(): Promise<string>;
  /**
   * Offers units in place of those that are still unclaimed. A unit that is claimed or staged stays so if its work is the
   * same.
   */
  offer(runId: string, units: readonly OfferedUnit[], version: string): Promise<void>;
  /** The units that are claimed, staged or failed, and the number of those that wait for a claim. */
  entries(runId: string): Promise<{ readonly entries: readonly QueueEntry[]; readonly waiting: number }>;
  /** Records how the run ended a unit. The package of a loaded unit is kept; a waiting unit can be claimed again. */
  setStatus(unit: string, status: 'loaded' | 'done' | 'waiting'): Promise<void>;
  /** Takes back what nobody has claimed. */
  withdraw(): Promise<void>;
  /** Forgets the loaded units: their rows are published. */
  forgetLoaded(): Promise<void>;
  /** The tokens of the claims whose packages are still needed. */
  claims(): Promise<ReadonlySet<string>>;
}

/** The queue for the processes that take units from it. */
export interface UnitQueue extends AsyncDisposable {
  /** The version of crawlhouse whose units wait in vain for this process; null if its own units were found, or none. */
  readonly otherVersion: string | null;
  /** As `UnitOffers.id`. */
  id(): Promise<string>;
  /**
   * Claims the next unit: of the projects with the fewest claimed units, that of the project that has waited longest. A
   * claim that expired is free again.
   *
   * @returns null if no unit may be claimed now
   */
  claim(limits: ClaimLimits): Promise<UnitClaim | null>;
  /** Whether no run is under way and every unit is staged. */
  isIdle(): Promise<boolean>;
}

/**
 * A unit that this process stages, while it sends heartbeats. A process that has lost the unit changes nothing more.
 * Disposal gives a unit back that was neither finished nor failed.
 */
export interface UnitClaim extends AsyncDisposable {
  readonly unit: string;
  readonly work: string;
  readonly runId: string;
  /** No other claim has had it or will have it. */
  readonly token: string;
  /** Aborts with `lease_lost` once another process has the unit, or the claim expired out of reach of the server. */
  readonly lost: AbortSignal;
  /** The unit's data export; a lost claim changes nothing. */
  readonly exports: ExportRecords;
  move(store: string | null, signal: AbortSignal): Promise<void>;
  /** For the run; sent with the next heartbeat. */
  report(progress: ClaimProgress): void;
  /** @throws CrawlhouseError `lease_lost` */
  finish(): Promise<void>;
  /** @throws CrawlhouseError `lease_lost` */
  fail(error: UnitError, attempts: number): Promise<void>;
  /** Ends the claim without a package, because this process has loaded or failed the unit itself. */
  finishLocally(): Promise<void>;
}
