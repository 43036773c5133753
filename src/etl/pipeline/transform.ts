import type { CrawlhouseError } from '../../core/errors/errors.ts';
import type { ModelReport, MovedFigures, TestReport, UnitReport } from '../project/model/runs/unit-report.ts';
import type { Model } from '../project/sql/models/model.ts';
import { type HeldBack, type HoldContext, holdFaultyUnits, withHeld } from './hold-units.ts';
import { makeModels } from './transform/build/make-models.ts';
import { failedTests } from './transform/tests/test-model.ts';
import type { UnitEvents } from './unit/unit-events.ts';

/** The results of a session so far, for its final report. */
export interface SessionState {
  units: readonly UnitReport[];
  models: readonly ModelReport[];
  tests: readonly TestReport[];
  readonly held: HeldBack[];
  readonly errors: CrawlhouseError[];
  /** Whether the state lock was yielded to a waiting process before the work was done. */
  yielded: boolean;
  moved: readonly MovedFigures[];
}

interface TransformContext extends HoldContext {
  readonly models: readonly Model[];
  readonly state: SessionState;
  readonly events?: UnitEvents | undefined;
}

/**
 * Builds and tests the models, and quarantines the units that cause failures. Repeats this until nothing fails or no
 * new unit causes a failure. Each round quarantines at least one unit.
 *
 * @returns failures without a causing unit, which keep the previous publication
 */
export async function transform(
  context: TransformContext,
  { full, select }: { readonly full?: boolean; readonly select?: readonly string[] } = {},
): Promise<readonly CrawlhouseError[]> {
  const { models, state, working, logger, runId, signal, meter } = context;
  const loaded = state.units.filter((unit) => unit.status === 'loaded').map((unit) => `raw.${unit.dataset}`);
  const held: HeldBack[] = [];
  const built = new Map(state.models.map((model) => [model.name, model]));
  const tests = new Map(state.tests.map((test) => [keyOf(test), test]));
  for (let round = 1; ; round++) {
    const outcome = await makeModels({
      connection: working.connection,
      engine: working.models,
      models,
      stateDir: context.settings.state_dir,
      // After the first round, the models' own records show which are out of date.
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
        faults.some((fault) => fault.model === test.model && fault.test === test.name) ? [unit.unit] : [],
      );
      tests.set(keyOf(test), addHeld(tests.get(keyOf(test)), test, names));
    }
    if (faulty.length > 0) continue;
    state.models = [...built.values()];
    state.tests = [...tests.values()];
    state.held.push(...held);
    state.units = withHeld(state.units, state.held);
    state.errors.push(...held.map(({ error }) => error));
    for (const { unit, error } of held) context.events?.note('refused', unit.unit, { error });
    return errors;
  }
}

const keyOf = ({ model, name }: TestReport): string => `${model} ${name}`;

function addRound(former: ModelReport | undefined, now: ModelReport): ModelReport {
  if (!former) return now;
  const status = now.status === 'unchanged' ? former.status : now.status;
  return { ...now, status, seconds: former.seconds + now.seconds };
}

/** Keeps a test reported as failed that passes only because units are quarantined. */
function addHeld(former: TestReport | undefined, now: TestReport, names: readonly string[]): TestReport {
  const held = [...(former?.held ?? []), ...names];
  if (held.length === 0) return now;
  return now.status === 'passed' && former ? { ...former, held } : { ...now, held };
}
