import type { ErrorKind } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { isInCatalog } from '../../engines/registry.ts';
import type { Task } from '../../project/model/task.ts';
import { openUnitQueue } from '../../state/ledger/open-unit-queue.ts';
import type { QueueEntry, UnitOffers, UnitQueue } from '../../state/ledger/unit-queue.ts';
import type { Package } from '../load/read-package.ts';
import { unitFolders } from '../stage/unit-folders.ts';
import type { SharedContext } from '../unit/contexts.ts';
import type { UnitRunner } from '../unit/shared-units.ts';
import { PackageStore } from './package-store.ts';
import { runTables } from './run-tables.ts';
import { offeredUnit } from './unit-task.ts';

const LOOK_MS = 500;
/** Packages that are fetched or loaded concurrently. */
const LOADS = 2;
/** Errors of a package that is broken in the store. */
const BROKEN: readonly string[] = ['bad_package', 'newer_version', 'object_corrupt', 'object_changed'];
/** Errors of a load that its package did not cause. The next run loads it. */
const PASSING: readonly ErrorKind[] = ['retriable', 'access', 'forbidden'];

export async function offerUnits(
  context: SharedContext,
  offers: UnitOffers,
  tasks: readonly Task[],
  work: UnitRunner,
): Promise<void> {
  const { settings, logger, runId } = context;
  if (settings.packages === undefined) return;
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  await using packages = await PackageStore.open(settings, settings.packages, await offers.id());
  const datasets = new Set(tasks.map(({ unit }) => unit.dataset));
  const tables = runTables(context, packages, datasets);
  await tables.tell();
  const offered = tasks.map((task) => offeredUnit(task, work.optionsOf(task), context));
  await offers.offer(runId, offered, await packageVersion());
  await packages
    .sweep(async () => new Set([...(await offers.claims()), runId]), signal)
    .catch((thrown: unknown) => {
      signal.throwIfAborted();
      logger.warn('packages of a lost process stay in the store', {
        error: toCrawlhouseError(thrown).message,
      });
    });
  if (tasks.length === 0) return;
  await using queue = await openUnitQueue(settings, 'run', signal);
  if (queue === undefined) return;
  const left = new OfferedUnits({ ...context, signal }, { offers, packages, tables, queue, work }, tasks);
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
  readonly tables: ReturnType<typeof runTables>;
  readonly queue: UnitQueue;
  readonly work: UnitRunner;
}

/** The unfinished offered units of one run. */
export class OfferedUnits {
  readonly #context: SharedContext;
  readonly #dependencies: Dependencies;
  readonly #left: Map<string, Task>;
  readonly #own = new Set<string>();
  /** Units, with their claims, that another process ended and that are handled. */
  readonly #ended = new Set<string>();
  /** Units with a broken package that were offered again. */
  readonly #again = new Set<string>();
  readonly #states = new Map<string, 'requested' | 'downloading'>();
  readonly #loads = new Semaphore(LOADS);

  constructor(context: SharedContext, dependencies: Dependencies, tasks: readonly Task[]) {
    this.#context = context;
    this.#dependencies = dependencies;
    this.#left = new Map(tasks.map((task) => [task.name, task]));
  }

  get #goesOn(): boolean {
    return this.#left.size > 0 && !this.#context.signal.aborted && !this.#dependencies.work.hasEnded();
  }

  /**
   * Claims units and runs them, one after the other.
   *
   * @param share a share of this process's slots: that of the project with this name
   */
  async take(share: string): Promise<void> {
    while (this.#goesOn) {
      const isTaken = await this.#dependencies.work.queue.run(share, () => this.#takeOne());
      if (!isTaken) await this.#pause();
    }
  }

  async #takeOne(): Promise<boolean> {
    if (!this.#goesOn) return true;
    const { settings, signal } = this.#context;
    const { queue, work } = this.#dependencies;
    const limits = { project: settings.concurrency_per_project, store: settings.concurrency_per_store };
    await using claim = await queue.claim(limits);
    if (claim === null) return false;
    const task = this.#left.get(claim.unit);
    if (task === undefined) {
      // Left by an earlier run, and not due for this one.
      await claim.finishLocally();
      return true;
    }
    this.#own.add(claim.unit);
    try {
      const slot = { move: (store: string | null) => claim.move(store, signal) };
      const ended = await work.run(task, { slot, lost: claim.lost });
      if (ended === undefined) return true;
      this.#left.delete(claim.unit);
      if (!claim.lost.aborted) await claim.finishLocally();
      if (ended.report.status === 'loaded') await this.#dependencies.tables.loaded(task.unit.dataset);
    } finally {
      this.#own.delete(claim.unit);
    }
    return true;
  }

  /** Loads what other processes stage, and follows their progress. */
  async collect(): Promise<void> {
    const { offers } = this.#dependencies;
    const loads: Promise<void>[] = [];
    let failure: unknown;
    while (this.#goesOn && failure === undefined) {
      for (const entry of (await offers.entries(this.#context.runId)).entries) {
        const task = this.#left.get(entry.unit);
        const claim = `${entry.unit} ${entry.claim}`;
        if (task === undefined || this.#own.has(entry.unit) || this.#ended.has(claim)) continue;
        if (entry.status === 'claimed') {
          await this.#follow(task, entry);
          continue;
        }
        this.#ended.add(claim);
        const load = this.#loads.run(() => this.#load(task, entry));
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

  async #load(task: Task, entry: QueueEntry): Promise<void> {
    if (!this.#goesOn) return;
    const { offers, work } = this.#dependencies;
    const { unit, status, attempts } = entry;
    const broken = new AbortController();
    const result = await this.#fetch(entry, broken).catch(toCrawlhouseError);
    const unfetched = result instanceof CrawlhouseError;
    if (status === 'staged' && unfetched) this.#refuseBroken(unit, result, broken);
    const ended = broken.signal.aborted
      ? undefined
      : await work.run(task, {
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
    if (isLoaded) await this.#dependencies.tables.loaded(task.unit.dataset);
  }

  /** Offers a unit again, once, if its package in the store is broken. */
  #refuseBroken(unit: string, error: CrawlhouseError, broken: AbortController): void {
    if (!BROKEN.includes(error.code) || this.#again.has(unit)) return;
    this.#context.logger.warn('broken package, staging again', { unit, error: error.message });
    this.#again.add(unit);
    // Always this code, because another one would blame the data export, which is intact.
    broken.abort(new CrawlhouseError('bad_package', error.message, { cause: error }));
  }

  /** @param broken aborts where the parts of a package turn out to be broken once they are needed */
  async #fetch({ unit, claim, error }: QueueEntry, broken: AbortController): Promise<Package> {
    if (error !== null) {
      const { code, message, hint } = error;
      throw new CrawlhouseError(code, message, { hint });
    }
    const { settings, signal } = this.#context;
    const folders = unitFolders(settings.state_dir, unit);
    const fetched = await this.#dependencies.packages.fetch(
      claim ?? '',
      folders,
      signal,
      !isInCatalog(settings),
    );
    const { name } = fetched.manifest;
    if (name !== unit)
      throw new CrawlhouseError('bad_package', `${fetched.folder} is of ${name}, not of ${unit}`);
    const { prepared } = fetched;
    if (prepared === undefined) return fetched;
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
    return { ...fetched, prepared: { ...prepared, bringParts } };
  }

  /** Shows the progress of another process. */
  async #follow(task: Task, { unit, progress, worker }: QueueEntry): Promise<void> {
    const { ledger, meter, logger } = this.#context;
    const state = progress === null ? 'requested' : 'downloading';
    const former = this.#states.get(unit);
    if (former === undefined) {
      await ledger.setUnit(task.unit, 'requested', 1, null);
      logger.info('unit claimed', { unit, stage: 'stage', worker });
    }
    if (state === 'downloading' && former !== state) await ledger.setUnit(task.unit, state, 1, null);
    this.#states.set(unit, former === 'downloading' ? former : state);
    if (progress === null) return;
    if (former !== 'downloading') meter.opened(unit, progress.reported, progress.columns);
    meter.received(unit, progress.received);
    if (progress.phase === 'stage') meter.unitPhase(unit, 'stage');
  }

  /** Waits until something may have changed. */
  #pause(): Promise<void> {
    const { sleep } = host();
    // An end ends the wait; the caller checks the signal.
    return sleep(LOOK_MS, this.#context.signal).catch(() => {});
  }
}
