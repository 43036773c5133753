import type { UnitError } from '../../project/model/runs/report.ts';

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
