import type { CrawlhouseError } from '../core/errors/errors.ts';
import type { ModelReport, TestReport, UnitReport } from '../project/model/runs/report.ts';
import type { Model } from '../project/sql/models/model.ts';
import { type HeldBack, type HoldContext, holdFaultyUnits } from './hold-units.ts';
import { type ModelsReport, makeModels } from './transform/build/run-models.ts';
import { failedTests } from './transform/tests/test-model.ts';

export interface Transformed extends ModelsReport {
  readonly held: readonly HeldBack[];
  /** A failure that no new unit causes: the former publication stays. */
  readonly errors: readonly CrawlhouseError[];
}

/**
 * Builds and tests the models, and holds the units that cause failures. It repeats this until nothing fails or no new
 * unit causes a failure. Each round holds at least one unit.
 *
 * @param earlier the units of the session, and what it has built and tested before
 */
export async function transform(
  context: HoldContext,
  models: readonly Model[],
  earlier: { readonly units: readonly UnitReport[]; readonly transformed: ModelsReport },
  { full, select }: { readonly full?: boolean; readonly select?: readonly string[] },
): Promise<Transformed> {
  const { working, logger, runId, signal, meter } = context;
  const loaded = earlier.units
    .filter((unit) => unit.status === 'loaded')
    .map((unit) => `raw.${unit.dataset}`);
  const held: HeldBack[] = [];
  const built = new Map(earlier.transformed.models.map((model) => [model.name, model]));
  const tests = new Map(earlier.transformed.tests.map((test) => [keyOf(test), test]));
  for (let round = 1; ; round++) {
    const outcome = await makeModels({
      connection: working.connection,
      engine: working.models,
      models,
      stateDir: context.settings.state_dir,
      // After the first round, the models' own records show which are behind.
      changed: round > 1 ? new Set<string>() : full ? 'all' : new Set(loaded),
      ...(select ? { only: select } : {}),
      onChange: () => working.markDirty(),
      onStep: (phase, done, total) => meter.step(phase, done, total),
      logger,
      runId,
      signal,
    });
    for (const model of outcome.models) built.set(model.name, addRound(built.get(model.name), model));
    const errors = [...failedTests(outcome.tests), ...outcome.broken.values()];
    const faulty = errors.length === 0 ? [] : await holdFaultyUnits(context, outcome);
    held.push(...faulty);
    for (const test of outcome.tests) {
      const names = faulty.flatMap(({ unit, faults }) =>
        faults.some((one) => one.model === test.model && one.test === test.name) ? [unit.unit] : [],
      );
      tests.set(keyOf(test), addHeld(tests.get(keyOf(test)), test, names));
    }
    if (faulty.length === 0) return { models: [...built.values()], tests: [...tests.values()], held, errors };
  }
}

const keyOf = ({ model, name }: TestReport): string => `${model} ${name}`;

function addRound(former: ModelReport | undefined, now: ModelReport): ModelReport {
  if (!former) return now;
  const status = now.status === 'unchanged' ? former.status : now.status;
  return { ...now, status, seconds: former.seconds + now.seconds };
}

/** A test that units were held for stays reported as failed, though it passes without them. */
function addHeld(former: TestReport | undefined, now: TestReport, names: readonly string[]): TestReport {
  const held = [...(former?.held ?? []), ...names];
  if (held.length === 0) return now;
  return now.status === 'passed' && former ? { ...former, held } : { ...now, held };
}
