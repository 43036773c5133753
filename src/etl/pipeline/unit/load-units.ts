import { join } from 'node:path';
import { parquetFiles } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import { runStep } from '../../../core/logs/telemetry.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Counts } from '../../project/model/runs/six-counts.ts';
import { recordRejects } from '../../state/catalog/ops/ops-rejects.ts';
import { checkVolume } from '../load/check-volume.ts';
import {
  applyPlan,
  commitLoads,
  isSmall,
  type Load,
  type LoadOptions,
  loadPackage,
  MOST_TOGETHER,
  planLoad,
  unitValues,
} from '../load/load-package.ts';
import type { Package } from '../load/read-package.ts';
import { columnContracts } from '../load/refuse-drift.ts';
import type { LoadContext, UnitContext } from './contexts.ts';

/** Milliseconds that a small package waits for others while units are at work, and between two checks. */
const MOST_WAIT = 1000;
const LOOK = 20;

/** A package to load by the rules of its pipeline. Without a pipeline of its dataset, only the settings apply. */
interface LoadRequest {
  readonly context: LoadContext;
  readonly staged: Package;
  readonly pipeline: Pipeline | undefined;
}

/** A load that waits for its turn. */
interface QueuedLoad extends LoadRequest {
  readonly context: UnitContext;
  readonly attempts: number;
  readonly isSmall: boolean;
  readonly settle: PromiseWithResolvers<Counts>;
}

/**
 * The staged packages of a run that wait to be loaded. Loads run one at a time, so the working copy has only one
 * writer. Small packages of a dataset are loaded together. A small package releases its slot and waits for others, so
 * that the next units are staged meanwhile. A package that keeps its slot is loaded alone.
 */
export class LoadQueue {
  readonly #isBusy: () => boolean;
  #waiting: readonly QueuedLoad[] = [];

  /** @param isBusy whether units are at work that are not queued yet */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  /** @returns the counts, without `queryable`; the unit is also loaded in the ledger */
  load(
    context: UnitContext,
    staged: Package,
    pipeline: Pipeline | undefined,
    attempts: number,
  ): Promise<Counts> {
    const { steps, slot, working } = context;
    const small = !steps && !!slot.release && working.rows.isInCatalog && isSmall(staged.manifest);
    const settle = Promise.withResolvers<Counts>();
    const own = { context, staged, pipeline, attempts, isSmall: small, settle };
    // The caller that waits for it gets its error.
    settle.promise.catch(() => {});
    this.#waiting = [...this.#waiting, own];
    return runStep('load', {}, () => this.#takeTurn(own));
  }

  async #takeTurn(own: QueuedLoad): Promise<Counts> {
    const { slot, signal, engine } = own.context;
    try {
      if (own.isSmall) {
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
      if (this.#waiting.includes(own)) {
        await using _alone = await engine.alone();
        // Another load may already have included it.
        if (this.#waiting.includes(own)) await this.#loadWithOthers(own);
      }
    } catch (error) {
      // A load that another one included is settled by that one.
      if (this.#waiting.includes(own)) own.settle.reject(error);
    } finally {
      this.#waiting = this.#waiting.filter((load) => load !== own);
    }
    return own.settle.promise;
  }

  async #loadWithOthers(own: QueuedLoad): Promise<void> {
    const fits = ({ isSmall, staged: { manifest } }: QueuedLoad): boolean =>
      own.isSmall && isSmall && manifest.unit.dataset === own.staged.manifest.unit.dataset;
    const others = this.#waiting.filter((load) => load !== own && fits(load)).slice(0, MOST_TOGETHER - 1);
    // A crawl is compared with those that ended before it.
    const together = [own, ...others].sort((a, b) => endOf(a) - endOf(b));
    this.#waiting = this.#waiting.filter((load) => !together.includes(load));
    try {
      for (const { context, staged } of together) context.meter.unitPhase(staged.manifest.name, 'load');
      const results =
        others.length === 0
          ? await Promise.allSettled([
              (own.context.steps?.load ?? loadStaged)(own.context, own.staged, own.pipeline),
            ])
          : await loadTogether(own.context.working, together);
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

function endOf({ staged: { manifest } }: LoadRequest): number {
  return manifest.source.ended_at ?? 0;
}

/**
 * Loads a package by the rules of its pipeline. Both runs and `crawlhouse load` use it, so a package meets the same
 * contracts wherever it was staged. The caller has sealed or checked its files.
 *
 * @returns the counts, without `queryable`
 * @throws CrawlhouseError `test_held`, `model_held`, `rejected_values`, `volume_held`, `contract_drift`, `unreconciled`
 */
export async function loadStaged(
  context: LoadContext,
  staged: Package,
  pipeline: Pipeline | undefined,
): Promise<Counts> {
  return loadPackage(context.working, staged, await acceptPackage({ context, staged, pipeline }, []));
}

/**
 * Loads small packages as if one by one, keeping the order of each project's packages. Consecutive packages with the
 * same columns and without changes share a transaction, because one INSERT of many units costs as much as that of one.
 * If that transaction fails, each package is loaded alone, so that a refusal affects only its own unit.
 *
 * @param requests small packages (`isSmall`) of one dataset, whose rows are in the catalog
 * @returns the result of each, in their order: its counts, without `queryable`, or why it was not loaded
 */
export async function loadTogether(
  working: WorkingCopy,
  requests: readonly LoadRequest[],
): Promise<PromiseSettledResult<Counts>[]> {
  await working.releaseMemory();
  const results = new Map<LoadRequest, PromiseSettledResult<Counts>>();
  let waiting: { readonly request: LoadRequest; readonly load: Load }[] = [];
  const plan = async (request: LoadRequest): Promise<Load> => {
    request.context.signal.throwIfAborted();
    const earlier = waiting.map(({ load }) => load.staged.manifest);
    return planLoad(working, request.staged, await acceptPackage(request, earlier));
  };
  const commit = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    const [first] = group;
    if (!first) return;
    const all = async (): Promise<Counts[]> => {
      await applyPlan(working, first.load);
      return commitLoads(
        working,
        group.map(({ load }) => load),
      );
    };
    const [result] = await Promise.allSettled([all()]);
    for (const [at, { request }] of group.entries()) {
      const value = result.status === 'fulfilled' ? result.value[at] : undefined;
      if (value) results.set(request, { status: 'fulfilled', value });
      else if (result.status === 'rejected' && group.length === 1) results.set(request, result);
      else await add(request).then(commit);
    }
  };
  const add = async (request: LoadRequest): Promise<void> => {
    let [next] = await Promise.allSettled([plan(request)]);
    const [first] = waiting;
    if (first && !(next.status === 'fulfilled' && isAlike(first.load, next.value))) {
      await commit();
      [next] = await Promise.allSettled([plan(request)]);
    }
    if (next.status === 'rejected') results.set(request, next);
    else waiting.push({ request, load: next.value });
  };
  const byProject = Map.groupBy(requests, ({ staged }) => staged.manifest.unit.source.project_id);
  for (const request of [...byProject.values()].flat()) await add(request);
  await commit();
  return requests.flatMap((request) => results.get(request) ?? []);
}

/** Returns whether the same SQL writes two packages, and the first changes nothing that the second depends on. */
function isAlike(a: Load, b: Load): boolean {
  const [first, second] = [a, b].map(({ plan, meta, staged }) =>
    JSON.stringify([Object.keys(meta), [...unitValues(plan, {})], staged.manifest.columns]),
  );
  return a.plan.changes.length === 0 && b.plan.changes.length === 0 && first === second;
}

/**
 * Returns how to load a package.
 *
 * @param earlier previous packages in the same transaction; all others are committed
 * @throws CrawlhouseError the reason why the package is not loaded
 */
async function acceptPackage(request: LoadRequest, earlier: readonly Manifest[]): Promise<LoadOptions> {
  const { context, staged, pipeline } = request;
  const { settings, runId, signal } = context;
  const { manifest } = staged;
  refuseSame(request);
  const onReject = pipeline?.on_reject ?? settings.on_reject;
  if (manifest.counts.rejected > 0 && onReject === 'fail') await refuseRejects(request);
  const volume = await checkVolume(context, manifest, earlier);
  return {
    runId,
    schemaChange: pipeline?.schema_change ?? settings.schema_change,
    columnContracts: columnContracts(pipeline?.columns ?? {}),
    fieldsRead: context.fieldsRead(manifest.unit.dataset),
    volume,
    signal,
  };
}

/**
 * Quarantines a unit without loading it if the same content was already quarantined under the same models.
 *
 * @throws CrawlhouseError `test_held`, `model_held`
 */
function refuseSame({ context: { holds, modelsVersion, reload }, staged: { manifest } }: LoadRequest): void {
  const hold = reload ? undefined : holds.get(manifest.name);
  if (hold?.content_sha256 !== manifest.content_sha256 || hold.models !== modelsVersion) return;
  const { code, message, hint } = hold.error;
  throw new CrawlhouseError(code, message, { hint });
}

/** Records the rejects of a unit that will not be loaded, and reports the place of the first one. */
async function refuseRejects({ context, staged }: LoadRequest): Promise<never> {
  const { folder, manifest } = staged;
  const { connection } = context.working;
  await connection.transaction(async () => {
    await recordRejects(connection, staged, context.runId);
    await context.working.markDirty();
  });
  const files = manifest.rejects.map(({ file }) => join(folder, file));
  const [first] = await connection.jsonRows(
    `SELECT * FROM ${parquetFiles(files)} ORDER BY file, line LIMIT 1`,
  );
  const value = JSON.stringify(first?.value ?? null);
  const what = first?.field === null ? `line ${value}` : `${first?.field} = ${value}`;
  throw new CrawlhouseError(
    'rejected_values',
    `${manifest.name}: ${manifest.counts.rejected} of ${manifest.counts.received} rows rejected; ` +
      `${first?.file}:${first?.line}: ${what} ${first?.reason}`,
  );
}

export function stagedCounts({ manifest }: Package): Counts {
  return { ...manifest.counts, loaded: null, queryable: null };
}
