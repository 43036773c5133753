import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import { reachable } from '../models/order-models.ts';
import type { PlannedModel } from './plan-models.ts';

/**
 * Returns the models that a command line selects, in the order of the plan, or all. `pages` means `mart.pages`. A plus
 * before the name adds the models that it reads; a plus after the name adds the models that read it.
 *
 * @throws CrawlhouseError `usage` for a name that no model has
 */
export function selectModels(
  plan: readonly PlannedModel[],
  selectors: readonly string[] = [],
): readonly PlannedModel[] {
  if (selectors.length === 0) return plan;
  const reads = new Map(plan.map(({ model, models }) => [model.name, [...models]]));
  const readers = new Map<string, string[]>(plan.map(({ model }) => [model.name, []]));
  for (const { model, models } of plan) for (const name of models) readers.get(name)?.push(model.name);
  const chosen = new Set<string>();
  for (const selector of selectors) {
    const [, before, given = '', after] = /^(\+?)(.*?)(\+?)$/.exec(selector) ?? [];
    const name = given.includes('.') ? given : `mart.${given}`;
    if (!reads.has(name)) {
      throw new CrawlhouseError('usage', `there is no model ${given}`, {
        hint: `${didYouMean(name, [...reads.keys()])}models: ${[...reads.keys()].join(', ')}`,
      });
    }
    chosen.add(name);
    for (const edges of [...(before ? [reads] : []), ...(after ? [readers] : [])])
      for (const one of reachable(name, (at) => edges.get(at))) chosen.add(one);
  }
  return plan.filter(({ model }) => chosen.has(model.name));
}
