import { host } from '../../core/host/host.ts';
import { inSpan } from '../../core/logs/telemetry.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Counts } from '../../project/model/runs/counts.ts';
import { isSmall, MOST_TOGETHER } from '../load/load-package.ts';
import type { StagedPackage } from '../load/read-package.ts';
import { loadStaged, loadStagedTogether } from './load-staged.ts';
import type { UnitContext } from './run-context.ts';

/** How long a small package waits for others while units are at work, and how often it looks, in milliseconds. */
const MOST_WAIT = 1000;
const LOOK = 20;

interface Waiting {
  readonly context: UnitContext;
  readonly staged: StagedPackage;
  readonly pipeline: Pipeline | undefined;
  readonly attempts: number;
  readonly isSmall: boolean;
  readonly settle: PromiseWithResolvers<Counts>;
}

/**
 * The staged packages of a run that wait for their load. Loads run one at a time, so the working copy has one writer.
 * Small packages of a dataset are loaded together: a small package gives its slot back and waits for others, so that the
 * next units are staged meanwhile. A slot that is kept means a load alone.
 */
export class LoadQueue {
  readonly #isBusy: () => boolean;
  #waiting: readonly Waiting[] = [];

  /** @param isBusy whether units are at work that are not here yet */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /** @returns the counts, `queryable` still open; the unit is loaded in the ledger too */
  load(
    context: UnitContext,
    staged: StagedPackage,
    pipeline: Pipeline | undefined,
    attempts: number,
  ): Promise<Counts> {
    const { steps, slot, working } = context;
    const small = !steps && !!slot.release && working.rows.isInCatalogue && isSmall(staged.manifest);
    const own = {
      context,
      staged,
      pipeline,
      attempts,
      isSmall: small,
      settle: Promise.withResolvers<Counts>(),
    };
    // Whoever waits for it has its error.
    own.settle.promise.catch(() => {});
    this.#waiting = [...this.#waiting, own];
    return inSpan('load', {}, async () => {
      try {
        if (small) await this.#gather(own);
        if (this.#waiting.includes(own)) await context.engine.alone(() => this.#loadWith(own));
      } catch (error) {
        // One that another has taken along is loaded.
        if (this.#waiting.includes(own)) own.settle.reject(error);
      } finally {
        this.#waiting = this.#waiting.filter((one) => one !== own);
      }
      return own.settle.promise;
    });
  }

  async #gather(own: Waiting): Promise<void> {
    const { slot, signal } = own.context;
    slot.release?.();
    const until = host().monotonic() + MOST_WAIT;
    while (
      this.#waiting.includes(own) &&
      this.#waiting.length < MOST_TOGETHER &&
      this.#isBusy() &&
      host().monotonic() < until
    )
      await host().sleep(LOOK, signal);
  }

  async #loadWith(own: Waiting): Promise<void> {
    if (!this.#waiting.includes(own)) return;
    const fits = ({ isSmall, staged: { manifest } }: Waiting): boolean =>
      own.isSmall && isSmall && manifest.unit.dataset === own.staged.manifest.unit.dataset;
    const others = this.#waiting.filter((one) => one !== own && fits(one)).slice(0, MOST_TOGETHER - 1);
    // A crawl is compared with those that ended before it.
    const together = [own, ...others].sort((one, other) => endOf(one) - endOf(other));
    this.#waiting = this.#waiting.filter((one) => !together.includes(one));
    try {
      for (const { context, staged } of together) context.meter.unitPhase(staged.manifest.name, 'load');
      const alone = own.context.steps?.load ?? loadStaged;
      const results =
        others.length === 0
          ? await Promise.allSettled([alone(own.context, own.staged, own.pipeline)])
          : await loadStagedTogether(own.context.working, together);
      for (const [at, { context, staged, attempts, settle }] of together.entries()) {
        const result = results[at];
        if (result?.status !== 'fulfilled') {
          settle.reject(result?.reason);
          continue;
        }
        // Before anything is published.
        await context.ledger.setUnit(staged.manifest.unit, 'loaded', attempts, null);
        context.events?.note('loaded', staged.manifest.name, { rows: result.value.loaded });
        settle.resolve(result.value);
      }
    } catch (error) {
      for (const { settle } of together) settle.reject(error);
    }
  }
}

function endOf({ staged: { manifest } }: Waiting): number {
  return manifest.source.ended_at ?? 0;
}
