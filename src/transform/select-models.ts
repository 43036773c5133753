import { CrawlhouseError } from '../core/errors.ts';
import type { PlannedModel } from './plan-models.ts';

/**
 * The models that a command line names, with what they read, in the order of the plan; all when it names none.
 * `pages` stands for `mart.pages`.
 *
 * @throws CrawlhouseError `usage` for a name that no model has
 */
export function selectModels(
  plan: readonly PlannedModel[],
  only: readonly string[] = [],
): readonly PlannedModel[] {
  if (only.length === 0) return plan;
  const byName = new Map(plan.map((planned) => [planned.model.name, planned]));
  const chosen = new Set<string>();
  const choose = (name: string): void => {
    if (chosen.has(name)) return;
    chosen.add(name);
    for (const dependency of byName.get(name)?.models ?? []) choose(dependency);
  };
  for (const given of only) {
    const name = given.includes('.') ? given : `mart.${given}`;
    if (!byName.has(name)) {
      throw new CrawlhouseError('usage', `there is no model ${given}`, {
        hint: `models: ${[...byName.keys()].join(', ')}`,
      });
    }
    choose(name);
  }
  return plan.filter(({ model }) => chosen.has(model.name));
}
