import { Database } from '../../../../core/duckdb/duckdb.ts';
import { acquireLock } from '../../../../core/locks/acquire-lock.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { type ModelSettings, projectModels } from '../../../engines/project-models.ts';
import { WorkingCopy } from '../../../engines/working-copy.ts';
import { planModels } from '../../../project/sql/plan/plan-models.ts';
import { selectModels } from '../../../project/sql/plan/select-models.ts';
import type { PublishedPlace } from '../../../state/catalog/published/read-published.ts';
import { assessModels, type BuildReason } from './assess-models.ts';

/** The action of a run for a model. */
export interface Explanation {
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** `full`: as a whole; `partitions`: only the listed ones; `none`: not at all. */
  readonly build: 'none' | 'full' | 'partitions';
  readonly reason: BuildReason | 'words' | 'partitions' | null;
  /** Keys of the partitions to build and to remove, as JSON lists of the values of the `by` columns. */
  readonly behind: readonly string[];
  readonly gone: readonly string[];
}

export interface ExplainOptions {
  readonly full: boolean;
  readonly select: readonly string[] | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Returns what `transform` would do on the current working copy, and why. Builds and publishes nothing. Cannot foresee
 * a partition that depends on a table that is itself out of date.
 *
 * @throws CrawlhouseError `bad_model`; `usage` for a name that no model has
 */
export async function explainTransform(
  settings: ModelSettings & PublishedPlace,
  { full, select, logger, signal }: ExplainOptions,
): Promise<Explanation[]> {
  const models = await projectModels(settings);
  using _lock = await acquireLock(settings.state_dir, 'transform', logger, signal);
  await using database = await Database.openIn(settings);
  await using working = await WorkingCopy.open(
    database,
    { stateDir: settings.state_dir, warehouse: settings.warehouse, engine: settings.engine },
    logger,
  );
  const { connection, models: engine } = working;
  const plan = await planModels({ connection, models });
  signal.throwIfAborted();
  const selected = selectModels(plan, select);
  await engine.synchronize(plan, signal);
  const { assess, leave } = await assessModels(connection, full ? 'all' : new Set(), '');
  const explanations: Explanation[] = [];
  for (const planned of plan) {
    if (!selected.includes(planned)) {
      leave(planned);
      continue;
    }
    const { name, kind } = planned.model;
    const { build } = await assess(await engine.local(planned, signal));
    const { behind, gone } = build.how === 'partitions' ? build.changes : { behind: [], gone: [] };
    const reason = build.how === 'none' ? null : build.reason;
    explanations.push({ name, kind, build: build.how, reason, behind, gone });
  }
  return explanations;
}
