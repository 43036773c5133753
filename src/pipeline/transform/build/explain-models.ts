import type { ModelPlace } from '../../../engines/model-engine.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import { assessModels, type BuildReason } from './assess-models.ts';

/** The action of a run for a model. */
export interface Explanation {
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** `full`: as a whole; `partitions`: only those listed; `none`: not at all. */
  readonly build: 'none' | 'full' | 'partitions';
  readonly reason: BuildReason | 'words' | 'partitions' | null;
  /** Keys of the partitions to build and to remove, as JSON lists of the values of the `by` columns. */
  readonly behind: readonly string[];
  readonly gone: readonly string[];
}

/**
 * Says what a run would do with these models, and why, without making any. A partition that only shows once a table is
 * made that is behind itself is not foreseen.
 */
export async function explainModels(
  { connection, engine }: ModelPlace,
  selected: readonly PlannedModel[],
  plan: readonly PlannedModel[],
  { full, signal }: { readonly full: boolean; readonly signal?: AbortSignal },
): Promise<Explanation[]> {
  await engine.synchronize(plan, signal);
  const { assess, leave } = await assessModels(connection, full ? 'all' : new Set(), '');
  const explanations: Explanation[] = [];
  for (const planned of plan) {
    if (!selected.includes(planned)) {
      leave(planned);
      continue;
    }
    const { build } = await assess(await engine.local(planned, signal));
    const { behind, gone } = build.how === 'partitions' ? build.changes : { behind: [], gone: [] };
    explanations.push({
      name: planned.model.name,
      kind: planned.model.kind,
      build: build.how,
      reason: build.how === 'none' ? null : build.reason,
      behind,
      gone,
    });
  }
  return explanations;
}
