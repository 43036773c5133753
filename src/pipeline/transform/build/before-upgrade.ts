import { toCrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { WorkingCopy } from '../../../engines/working-copy.ts';
import type { MovedFigures } from '../../../project/model/runs/report.ts';
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
 * Adds up the tables of `mart` before models with another definition are built, and sees to it that they are built and
 * published before anything is loaded: what moves then is the upgrade's alone.
 *
 * @param changed models with another definition
 * @returns what adds them up again, and says what has moved
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
      // A view of a former program may read what is there no more. The upgrade goes on.
      const { message } = toCrawlhouseError(error);
      logger.warn('figures of mart can not be compared', { stage: 'transform', error: message });
      return new Map();
    });
  const before = await figures();
  await working.markDirty();
  return async () => {
    const after = before.size === 0 ? before : await figures();
    const plan = await planModels({ connection, models, stateDir: settings.state_dir });
    const moved = movedTables(before, after, changed, plan);
    for (const one of moved)
      logger.warn('figures of mart have moved', { stage: 'transform', figures: movedText(one) });
    return moved;
  };
}
