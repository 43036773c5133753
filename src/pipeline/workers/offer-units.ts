import type { ErrorKind } from '../../core/errors/error-codes.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';
import { packageVersion } from '../../core/host/package-version.ts';
import type { FairQueue, SlotHandle } from '../../core/queue/fair-queue.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import { isInCatalogue } from '../../engines/registry.ts';
import { openUnitQueue } from '../../state/ledger/open-unit-queue.ts';
import type { UnitQueue } from '../../state/ledger/postgres/postgres-unit-queue.ts';
import type { QueueEntry, UnitOffers } from '../../state/ledger/unit-queue.ts';
import type { StagedPackage } from '../load/read-package.ts';
import { unitFolders } from '../stage/unit-folders.ts';
import type { RunContext, UnitToStage } from '../unit/run-context.ts';
import type { StagedByOther, UnitOutcome } from '../unit/run-unit.ts';
import { knownTables } from './known-tables.ts';
import { PackageStore } from './package-store.ts';
import { offeredUnit } from './unit-task.ts';

const LOOK_MS = 500;
/** Packages that are fetched or loaded at once. */
const LOADS = 2;
/** Errors of a package that is broken in the store. */
const BROKEN: readonly string[] = ['bad_package', 'newer_version', 'object_corrupt', 'object_changed'];
/** Errors of a load that its package did not cause: the next run loads it. */
const PASSING: readonly ErrorKind[] = ['retriable', 'access', 'forbidden'];

export interface UnitRunner {
  /** Stages a unit unless it is staged already, and loads it; undefined if it was not begun. */
  readonly run: (one: UnitToStage, taken: TakenUnit) => Promise<UnitOutcome | undefined>;
  /** Nothing more is begun. */
  readonly hasEnded: () => boolean;
  readonly queue: FairQueue;
}

export interface TakenUnit {
  readonly slot: SlotHandle;
  /** Aborts once another process has the unit. */
  readonly lost?: AbortSignal;
  readonly stagedByOther?: StagedByOther;
}

/**
 * Offers units to all processes that share the ledger, takes part in staging them, and loads each as its package comes.
 * Ends when every unit has been loaded or has failed, or when the run ends.
 */
export async function offerUnits(
  context: RunContext,
  offers: UnitOffers,
  units: readonly UnitToStage[],
  work: UnitRunner,
): Promise<void> {
  const { settings, logger, runId } = context;
  if (settings.packages === undefined) return;
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  await using packages = await PackageStore.open(settings, settings.packages, await offers.id());
  const datasets = new Set(units.map(({ planned }) => planned.unit.dataset));
  const tables = knownTables(context, packages, datasets);
  await tables.tell();
  const offered = units.map((one) => offeredUnit(one, context.reload));
  await offers.offer(runId, offered, await packageVersion());
  await packages
    .sweep(async () => new Set([...(await offers.claims()), runId]), signal)
    .catch((thrown: unknown) => {
      signal.throwIfAborted();
      logger.warn('packages of a lost process stay in the store', {
        error: toCrawlhouseError(thrown).message,
      });
    });
  if (units.length === 0) return;
  await using queue = await openUnitQueue(settings, 'run', signal);
  if (queue === undefined) return;
  const left = new OfferedUnits({ ...context, signal }, { offers, packages, tables, queue, work }, units);
  try {
    const loops = [
      left.collect(),
      ...Array.from({ length: settings.concurrency }, (_, index) => left.take(`${index}`)),
    ];
    // A failing loop stops the others.
    for (const loop of loops) loop.catch((error: unknown) => ended.abort(error));
    await Promise.allSettled(loops);
    if (!context.signal.aborted) ended.signal.throwIfAborted();
  } finally {
    // If this fails, the next run withdraws them. Claimed and staged units stay for that run.
    await offers.withdraw().catch(() => {});
  }
}

interface Dependencies {
  readonly offers: UnitOffers;
  readonly packages: PackageStore;
  readonly tables: ReturnType<typeof knownTables>;
  readonly queue: UnitQueue;
  readonly work: UnitRunner;
}

/** The offered units of one run that are not finished. */
export class OfferedUnits {
  readonly #context: RunContext;
  readonly #dependencies: Dependencies;
  readonly #left: Map<string, UnitToStage>;
  readonly #own = new Set<string>();
  /** Units, with their claims, that another process ended and were handled. */
  readonly #ended = new Set<string>();
  /** Units whose package was broken and that were offered again. */
  readonly #again = new Set<string>();
  readonly #states = new Map<string, 'requested' | 'downloading'>();
  readonly #loads = new Semaphore(LOADS);

  constructor(context: RunContext, dependencies: Dependencies, units: readonly UnitToStage[]) {
    this.#context = context;
    this.#dependencies = dependencies;
    this.#left = new Map(units.map((one) => [one.planned.name, one]));
  }

  get #goesOn(): boolean {
    return this.#left.size > 0 && !this.#context.signal.aborted && !this.#dependencies.work.hasEnded();
  }

  /**
   * Claims units and runs them, one after the other.
   *
   * @param share of the slots of this process: that of a project of this name
   */
  async take(share: string): Promise<void> {
    while (this.#goesOn) {
      const found = await this.#dependencies.work.queue.run(share, () => this.#takeOne());
      if (!found) await this.#pause();
    }
  }

  async #takeOne(): Promise<boolean> {
    if (!this.#goesOn) return true;
    const { settings, signal } = this.#context;
    const { queue, work } = this.#dependencies;
    const limits = { project: settings.concurrency_per_project, store: settings.concurrency_per_store };
    await using claim = await queue.claim(limits);
    if (claim === null) return false;
    const one = this.#left.get(claim.unit);
    if (one === undefined) {
      // Left by an earlier run, and not due for this one.
      await claim.finishLocally();
      return true;
    }
    this.#own.add(claim.unit);
    try {
      const slot = { move: (store: string | null) => claim.move(store, signal) };
      const ended = await work.run(one, { slot, lost: claim.lost });
      if (ended === undefined) return true;
      this.#left.delete(claim.unit);
      if (!claim.lost.aborted) await claim.finishLocally();
      if (ended.report.status === 'loaded') await this.#dependencies.tables.loaded(one.planned.unit.dataset);
    } finally {
      this.#own.delete(claim.unit);
    }
    return true;
  }

  /** Loads what other processes stage, and follows them. */
  async collect(): Promise<void> {
    const { offers } = this.#dependencies;
    const loads: Promise<void>[] = [];
    let failure: unknown;
    while (this.#goesOn && failure === undefined) {
      for (const entry of (await offers.entries(this.#context.runId)).entries) {
        const one = this.#left.get(entry.unit);
        const claim = `${entry.unit} ${entry.claim}`;
        if (one === undefined || this.#own.has(entry.unit) || this.#ended.has(claim)) continue;
        if (entry.status === 'claimed') {
          await this.#follow(one, entry);
          continue;
        }
        this.#ended.add(claim);
        const load = this.#loads.run(() => this.#load(one, entry));
        loads.push(
          load.catch((thrown: unknown) => {
            failure = thrown;
          }),
        );
      }
      await this.#pause();
    }
    await Promise.all(loads);
    if (failure !== undefined) throw failure;
  }

  async #load(one: UnitToStage, entry: QueueEntry): Promise<void> {
    if (!this.#goesOn) return;
    const { offers, work } = this.#dependencies;
    const { unit, status, attempts } = entry;
    const broken = new AbortController();
    const result = await this.#fetch(entry, broken).catch(toCrawlhouseError);
    const unfetched = result instanceof CrawlhouseError;
    if (status === 'staged' && unfetched) this.#refuseBroken(unit, result, broken);
    const ended = broken.signal.aborted
      ? undefined
      : await work.run(one, {
          slot: { move: async () => {} },
          lost: broken.signal,
          stagedByOther: { result, attempts },
        });
    if (this.#context.signal.aborted) return;
    if (broken.signal.aborted) return offers.setStatus(unit, 'waiting');
    if (ended === undefined) return;
    this.#left.delete(unit);
    const isLoaded = ended.report.status === 'loaded';
    const waits = unfetched || (ended.error !== null && PASSING.includes(ended.error.kind));
    if (status === 'failed' || !waits) await offers.setStatus(unit, isLoaded ? 'loaded' : 'done');
    if (isLoaded) await this.#dependencies.tables.loaded(one.planned.unit.dataset);
  }

  /** Offers a unit again, once, if its package in the store is broken. */
  #refuseBroken(unit: string, error: CrawlhouseError, broken: AbortController): void {
    if (!BROKEN.includes(error.code) || this.#again.has(unit)) return;
    this.#context.logger.warn('broken package, staging again', { unit, error: error.message });
    this.#again.add(unit);
    // Always this code, because another one would blame the data export, which is whole.
    broken.abort(new CrawlhouseError('bad_package', error.message, { cause: error }));
  }

  /** @param broken aborts where the parts of a package turn out to be broken once they are needed */
  async #fetch({ unit, claim, error }: QueueEntry, broken: AbortController): Promise<StagedPackage> {
    if (error !== null) {
      const { code, message, hint } = error;
      throw new CrawlhouseError(code, message, { hint });
    }
    const { settings, signal } = this.#context;
    const folders = unitFolders(settings.state_dir, unit);
    const found = await this.#dependencies.packages.fetch(
      claim ?? '',
      folders,
      signal,
      !isInCatalogue(settings),
    );
    const { name } = found.manifest;
    if (name !== unit)
      throw new CrawlhouseError('bad_package', `${found.folder} is of ${name}, not of ${unit}`);
    const { prepared } = found;
    if (prepared === undefined) return found;
    const bringParts = async (refused?: CrawlhouseError): Promise<void> => {
      const { logger } = this.#context;
      if (refused)
        logger.warn('the load of a worker was refused, writing it again', { unit, error: refused.message });
      else logger.info('the load of a worker is out of date, writing it again', { unit });
      try {
        await prepared.bringParts();
      } catch (thrown) {
        this.#refuseBroken(unit, toCrawlhouseError(thrown), broken);
        throw thrown;
      }
    };
    return { ...found, prepared: { ...prepared, bringParts } };
  }

  /** Shows how far another process is. */
  async #follow({ planned }: UnitToStage, { unit, progress, worker }: QueueEntry): Promise<void> {
    const { ledger, meter, logger } = this.#context;
    const state = progress === null ? 'requested' : 'downloading';
    const former = this.#states.get(unit);
    if (former === undefined) {
      await ledger.setUnit(planned.unit, 'requested', 1, null);
      logger.info('unit claimed', { unit, stage: 'stage', worker });
    }
    if (state === 'downloading' && former !== state) await ledger.setUnit(planned.unit, state, 1, null);
    this.#states.set(unit, former === 'downloading' ? former : state);
    if (progress === null) return;
    if (former !== 'downloading') meter.opened(unit, progress.reported, progress.columns);
    meter.received(unit, progress.received);
    if (progress.phase === 'stage') meter.unitPhase(unit, 'stage');
  }

  /** Waits until something may have changed. */
  #pause(): Promise<void> {
    const { sleep } = host();
    // An end ends the wait; the caller looks at the signal.
    return sleep(LOOK_MS, this.#context.signal).catch(() => {});
  }
}
