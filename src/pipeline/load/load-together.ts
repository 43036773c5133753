import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { Counts } from '../../project/model/runs/counts.ts';
import {
  applyPlan,
  commitLoads,
  type LoadOptions,
  type PlannedLoad,
  planLoad,
  unitValues,
} from './load-package.ts';
import type { StagedPackage } from './read-package.ts';

/** A package that may be loaded with others. */
export interface JointLoad {
  readonly staged: StagedPackage;
  /**
   * How it is loaded.
   *
   * @param earlier packages that come before it in the same transaction; all others before it are committed
   * @throws CrawlhouseError why it is not loaded
   */
  readonly accept: (earlier: readonly Manifest[]) => Promise<LoadOptions>;
}

/**
 * Loads small packages as if one by one, those of a project in their order. Packages that follow each other with the same
 * columns and change nothing are one transaction: one INSERT of many units costs as much as that of one. If it fails,
 * each is loaded alone, so that a refusal harms only its own unit.
 *
 * @param packages isSmall, of one dataset, whose rows are in the catalogue
 * @returns what became of each, in their order: its counts, `queryable` still open, or why it was not loaded
 */
export async function loadTogether(
  working: WorkingCopy,
  packages: readonly JointLoad[],
): Promise<PromiseSettledResult<Counts>[]> {
  await working.releaseMemory();
  const results = new Map<JointLoad, PromiseSettledResult<Counts>>();
  let waiting: { readonly one: JointLoad; readonly planned: PlannedLoad }[] = [];
  const plan = async ({ staged, accept }: JointLoad): Promise<PlannedLoad> =>
    planLoad(working, staged, await accept(waiting.map(({ planned }) => planned.manifest)));
  const commit = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    const [first] = group;
    if (!first) return;
    const all = async (): Promise<Counts[]> => {
      await applyPlan(working, first.planned);
      return commitLoads(
        working,
        group.map(({ planned }) => planned),
      );
    };
    const [result] = await Promise.allSettled([all()]);
    for (const [at, { one }] of group.entries()) {
      const value = result.status === 'fulfilled' ? result.value[at] : undefined;
      if (value) results.set(one, { status: 'fulfilled', value });
      else if (result.status === 'rejected' && group.length === 1) results.set(one, result);
      else await add(one).then(commit);
    }
  };
  const add = async (one: JointLoad): Promise<void> => {
    let [next] = await Promise.allSettled([plan(one)]);
    const [first] = waiting;
    if (first && !(next.status === 'fulfilled' && isAlike(first.planned, next.value))) {
      await commit();
      [next] = await Promise.allSettled([plan(one)]);
    }
    if (next.status === 'rejected') results.set(one, next);
    else waiting.push({ one, planned: next.value });
  };
  const byProject = Map.groupBy(packages, ({ staged }) => staged.manifest.unit.source.project_id);
  for (const one of [...byProject.values()].flat()) await add(one);
  await commit();
  return packages.flatMap((one) => results.get(one) ?? []);
}

/** Whether two packages are written by the same SQL, and the second finds all as it was before the first. */
function isAlike(one: PlannedLoad, other: PlannedLoad): boolean {
  const [first, second] = [one, other].map(({ plan, meta, manifest }) =>
    JSON.stringify([Object.keys(meta), [...unitValues(plan, {})], manifest.columns]),
  );
  return one.plan.changes.length === 0 && other.plan.changes.length === 0 && first === second;
}
