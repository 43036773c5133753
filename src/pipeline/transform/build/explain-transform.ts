import { Database } from '../../../core/duckdb/duckdb.ts';
import { acquireLock } from '../../../core/locks/acquire-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { type ModelSettings, projectModels } from '../../../engines/project-models.ts';
import { WorkingCopy } from '../../../engines/working-copy.ts';
import { planModels } from '../../../project/sql/plan/plan-models.ts';
import { selectModels } from '../../../project/sql/plan/select-models.ts';
import type { PublishedPlace } from '../../../state/catalogue/published/read-published.ts';
import { type Explanation, explainModels } from './explain-models.ts';

export interface ExplainOptions {
  readonly full: boolean;
  readonly select: readonly string[] | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * The actions of `transform` on the present working copy. It builds and publishes nothing.
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
  const { connection } = working;
  const plan = await planModels({ connection, models });
  signal.throwIfAborted();
  const place = { connection, engine: working.models };
  return await explainModels(place, selectModels(plan, select), plan, { full, signal });
}
