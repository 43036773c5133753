import { toCrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import type { WorkingCopy } from '../../../engines/working-copy.ts';
import type { MovedFigures } from '../../../project/model/runs/unit-report.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { readContract } from '../../../project/sql/plan/mart-contract.ts';
import { planModels } from '../../../project/sql/plan/plan-models.ts';
import { type MartFigures, martFigures, movedTables, movedText } from './mart-figures.ts';

interface UpgradeContext {
  readonly working: WorkingCopy;
  readonly settings: { readonly state_dir: string };
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * Adds up the tables of `mart` before models with a changed definition are built, and ensures that these models are
 * built and published before any load. So all differences come from the upgrade.
 *
 * @param changed models with another definition
 * @returns a function that adds them up again, and reports the differences
 */
export async function beforeUpgrade(
  { working, settings, logger, signal }: UpgradeContext,
  models: readonly Model[],
  changed: ReadonlySet<string>,
): Promise<() => Promise<readonly MovedFigures[]>> {
  const { connection } = working;
  const tables = Object.keys((await readContract()).tables);
  const figures = (): Promise<MartFigures> =>
    martFigures(connection, working.models.queries, tables, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      // A view of a former program may read something that no longer exists. The upgrade continues.
      const { message } = toCrawlhouseError(error);
      logger.warn('figures of mart cannot be compared', { stage: 'transform', error: message });
      return new Map();
    });
  const before = await figures();
  await working.markDirty();
  return async () => {
    const after = before.size === 0 ? before : await figures();
    const plan = await planModels({ connection, models, stateDir: settings.state_dir });
    const moved = movedTables(before, after, changed, plan);
    for (const one of moved)
      logger.warn('figures of mart have changed', { stage: 'transform', figures: movedText(one) });
    return moved;
  };
}
