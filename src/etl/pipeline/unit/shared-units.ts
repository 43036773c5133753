import type { Logger } from '../../../core/logs/logger.ts';
import type { FairQueue, SlotHandle } from '../../../core/queue/fair-queue.ts';
import type { Task } from '../../project/model/task.ts';
import type { Settings } from '../../project/settings/settings.ts';
import type { UnitOffers } from '../../state/ledger/unit-queue.ts';
import type { RouteOption } from '../routes/route.ts';
import type { Session, SharedContext } from './contexts.ts';
import type { StagedByOther, UnitOutcome } from './run-unit.ts';

/** Support for several machines in one run: the exports of `workers/`, which an installation may lack. */
export interface WorkersPart {
  /** Returns the units of a run that any process may stage. */
  offerableUnits(tasks: readonly Task[]): ReadonlySet<Task>;
  /**
   * Offers units to all processes that share the ledger, helps to stage them, and loads each unit when its package
   * arrives. Ends when every unit is loaded or has failed, or when the run ends.
   */
  offerUnits(
    context: SharedContext,
    offers: UnitOffers,
    tasks: readonly Task[],
    work: UnitRunner,
  ): Promise<void>;
  /** Removes the packages whose rows are published. The next run removes the others. */
  removePublishedPackages(session: Pick<Session, 'ledger' | 'settings' | 'logger' | 'signal'>): Promise<void>;
  /**
   * Stages units that runs on any machine offer, until it is stopped. The run that offered a unit reports its failure.
   *
   * @throws CrawlhouseError `bad_settings` without a shared ledger and the `packages` setting; of kind access when the
   *   service rejects the credentials (401), `store_access` when the store of the packages does
   */
  runWorker(
    settings: Settings,
    options: WorkerOptions,
    logger: Logger,
    signal: AbortSignal,
  ): Promise<WorkerReport>;
}

export interface WorkerOptions {
  /** Whether to end once no run is active and all units are staged. */
  readonly once: boolean;
  readonly concurrency: number;
}

export interface WorkerReport {
  readonly staged: number;
  readonly failed: number;
  /** Units returned at the end, or taken over by another process. */
  readonly left: number;
}

/** Runs the units that a run offers to other machines. */
export interface UnitRunner {
  /** Stages a unit unless it is staged already, and loads it; undefined if it was not begun. */
  readonly run: (task: Task, taken: TakenUnit) => Promise<UnitOutcome | undefined>;
  readonly optionsOf: (task: Task) => readonly RouteOption[];
  /** Returns whether nothing more is begun. */
  readonly hasEnded: () => boolean;
  readonly queue: FairQueue;
}

export interface TakenUnit {
  readonly slot: SlotHandle;
  /** Aborts once another process has the unit. */
  readonly lost?: AbortSignal;
  readonly stagedByOther?: StagedByOther;
}
