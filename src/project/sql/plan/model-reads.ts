import type { PlannedModel } from './plan-models.ts';

/** The models that one reads, and those that these read, with itself; by name. */
export function withAllReads(plan: readonly PlannedModel[], name: string): ReadonlySet<string> {
  const models = new Map(plan.map((planned) => [planned.model.name, planned]));
  const found = new Set<string>();
  const visit = (one: string): void => {
    if (found.has(one)) return;
    found.add(one);
    for (const read of models.get(one)?.models ?? []) visit(read);
  };
  visit(name);
  return found;
}

/** The datasets that a model and its tests are made from, through all models that they read. */
export function datasetsOf(plan: readonly PlannedModel[], planned: PlannedModel): ReadonlySet<string> {
  const names = new Set(
    [planned.model.name, ...planned.testedWith].flatMap((name) => [...withAllReads(plan, name)]),
  );
  const sources = plan.filter(({ model }) => names.has(model.name)).flatMap((one) => [...one.sources]);
  return new Set(
    [...sources, ...planned.testSources]
      .filter((source) => source.startsWith('raw.'))
      .map((source) => source.slice('raw.'.length)),
  );
}
