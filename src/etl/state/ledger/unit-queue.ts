import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { UnitError } from '../../project/model/runs/unit-report.ts';
import type { ExportRecords } from './export-records.ts';

/** A unit that a run offers to every process that shares its ledger. */
export interface OfferedUnit {
  readonly unit: string;
  /** The service's project, or the workspace, whose share of the slots it uses. */
  readonly project: string;
  /** The store that its rows pass through; null if there is none, or if it is not yet known. */
  readonly store: string | null;
  /** JSON that describes how to stage it, for processes of the same version of crawlhouse. */
  readonly work: string;
  /** Whether rows staged for an earlier run are no longer current. */
  readonly refresh: boolean;
}

/** Limits of claimed units, over all machines together. */
export interface ClaimLimits {
  readonly project: number;
  readonly store: number;
}

export const ClaimProgress = z.strictObject({
  /** Rows as the service reports; null if it reports no count. */
  reported: z.number().nullable(),
  columns: z.number(),
  /** Rows so far. */
  received: z.number(),
  phase: z.enum(['download', 'stage']),
});
export type ClaimProgress = Typed<typeof ClaimProgress>;

/** A claimed, staged or failed unit. */
export interface QueueEntry {
  readonly unit: string;
  readonly status: 'claimed' | 'staged' | 'failed';
  /** The token of the last claim; null if a unit fails because its claims expire. */
  readonly claim: string | null;
  /** Process and machine. */
  readonly worker: string;
  readonly progress: ClaimProgress | null;
  readonly error: UnitError | null;
  readonly attempts: number;
}

/** The queue for the run that offers its units. Each write checks the lease of the run. */
export interface UnitOffers {
  /** Returns an id that distinguishes this queue from every other one, wherever both keep their packages. */
  id(): Promise<string>;
  /**
   * Offers units. They replace units that are still unclaimed. A claimed or staged unit keeps its status if its work is
   * the same.
   */
  offer(runId: string, units: readonly OfferedUnit[], version: string): Promise<void>;
  /** Returns the claimed, staged and failed units, and the number of units that wait for a claim. */
  entries(runId: string): Promise<{ readonly entries: readonly QueueEntry[]; readonly waiting: number }>;
  /** Records how the run ended a unit. The package of a loaded unit is kept; a waiting unit can be claimed again. */
  setStatus(unit: string, status: 'loaded' | 'done' | 'waiting'): Promise<void>;
  /** Withdraws unclaimed units. */
  withdraw(): Promise<void>;
  /** Forgets the loaded units, because their rows are published. */
  forgetLoaded(): Promise<void>;
  /** Returns the tokens of the claims whose packages are still needed. */
  claims(): Promise<ReadonlySet<string>>;
}

/** The queue of a project, for any process of the same version that claims units. */
export interface UnitQueue extends AsyncDisposable {
  /**
   * The version of crawlhouse whose units this process cannot stage; null if the queue has units of its own version, or
   * none.
   */
  readonly otherVersion: string | null;
  /** Returns the same id as `UnitOffers.id`. */
  id(): Promise<string>;
  /**
   * Claims the next unit. Projects with the fewest claimed units come first, and of those the project that has waited
   * longest. An expired claim is free again.
   *
   * @returns null if no unit may be claimed now
   */
  claim(limits: ClaimLimits): Promise<UnitClaim | null>;
  /** Returns whether no run is active and every unit is staged. */
  isIdle(): Promise<boolean>;
}

/** A unit that this process stages. Disposal returns a unit that was neither finished nor failed. */
export interface UnitClaim extends AsyncDisposable {
  readonly unit: string;
  readonly work: string;
  readonly runId: string;
  /** Unique among all claims. */
  readonly token: string;
  /** The unit's data export. A lost claim changes nothing. */
  readonly exports: ExportRecords;
  /**
   * Aborts with `lease_lost` once another process has the unit, or the claim expired while the server was unreachable.
   */
  readonly lost: AbortSignal;
  /** Reports progress to the run, with the next heartbeat. */
  report(progress: ClaimProgress): void;
  move(store: string | null, signal: AbortSignal): Promise<void>;
  /** @throws CrawlhouseError `lease_lost` */
  finish(): Promise<void>;
  /** @throws CrawlhouseError `lease_lost` */
  fail(error: UnitError, attempts: number): Promise<void>;
  /** Ends the claim without a package, because this process has loaded or failed the unit itself. */
  finishLocally(): Promise<void>;
}
