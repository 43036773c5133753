import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { isDataError } from '../../../engines/data-error.ts';
import type { ModelEngine } from '../../../engines/model-engine.ts';
import type { NewUnits } from '../../../engines/new-units.ts';
import type { DataTest } from '../../../project/sql/models/data-tests.ts';
import { datasetsOf, withAllReads } from '../../../project/sql/plan/model-reads.ts';
import { isMadeFromUnitAlone, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import { martObjects } from '../../../state/catalogue/catalog.ts';
import { assessModels } from '../build/assess-models.ts';
import { buildModel } from '../build/build-model.ts';
import type { ModelsOutcome } from '../build/run-models.ts';
import { countFailures } from '../tests/test-model.ts';
import { attributeRows } from './attribute-rows.ts';

/** A new unit whose rows fail a test or break a model. */
export interface TestFault {
  readonly unit: string;
  readonly model: string;
  /** The name of the test; null for a model that can't be made or read. */
  readonly test: string | null;
  /** Rows that fail the test; 0 for a model. */
  readonly rows: number;
  /** Of such a row; or why the model can't be made. */
  readonly example: string;
  /** Whether the unit's content decides it by itself: the same content would be at fault again. */
  readonly isAlone: boolean;
}

export interface FindOptions {
  readonly connection: Connection;
  readonly engine: ModelEngine;
  readonly outcome: ModelsOutcome;
  readonly found: NewUnits;
  readonly runId: string;
  readonly signal: AbortSignal;
}

/**
 * Finds the new units that caused failed tests of severity `error` or broken models. Published units have passed the
 * tests, so only new ones can be the cause. Of models that read each other, only the first is examined, because its
 * fault shows in the others too. A fault without a certain cause is attributed to no unit.
 */
export async function findFaults(options: FindOptions): Promise<TestFault[]> {
  const { outcome, found } = options;
  const failed = new Set(outcome.broken.keys());
  for (const { model, severity, status } of outcome.tests)
    if (severity === 'error' && status === 'failed') failed.add(model);
  const faults: TestFault[] = [];
  for (const planned of outcome.plan) {
    const { name } = planned.model;
    const reads = withAllReads(outcome.plan, name);
    if (!failed.has(name) || [...reads].some((read) => read !== name && failed.has(read))) continue;
    const datasets = datasetsOf(outcome.plan, planned);
    const units = found.units.filter(({ dataset }) => datasets.has(dataset));
    if (units.length === 0) continue;
    const own = { ...options, planned, units: units.map(({ unit }) => unit) };
    const error = outcome.broken.get(name);
    if (error) faults.push(...(await blameForModel(own, error.message)));
    else
      for (const test of planned.tests)
        if (isFailed(outcome, name, test)) faults.push(...(await blameForTest(own, test)));
  }
  return faults;
}

interface Search extends FindOptions {
  readonly planned: PlannedModel;
  /** Names of the new units that the model is made from. */
  readonly units: readonly string[];
}

function isFailed({ tests }: ModelsOutcome, model: string, { name }: DataTest): boolean {
  return tests.some(
    (one) => one.model === model && one.name === name && one.severity === 'error' && one.status === 'failed',
  );
}

async function blameForTest(search: Search, test: DataTest): Promise<TestFault[]> {
  const { found, planned, units, signal } = search;
  const attributed = await attributeRows(
    search,
    test,
    found.units.filter(({ unit }) => units.includes(unit)),
    signal,
  );
  if (attributed.some((one) => one.units.length === 0)) return [];
  const sure = attributed.filter((one) => one.isExact && one.units.length === 1).flatMap((one) => one.units);
  const open = new Set(attributed.flatMap((one) => one.units).filter((unit) => !sure.includes(unit)));
  const fails = async (kept: readonly string[]): Promise<boolean> => {
    const reports = await tryWithout(
      [...sure, ...[...open].filter((unit) => !kept.includes(unit))],
      search,
      test,
    );
    return reports === 'broken' || reports.some((report) => report.failures > 0);
  };
  const searched = await searchUnits([...open], fails);
  // It fails without any of them: something else is wrong.
  if (open.size > 0 && searched.length === 0) return [];
  const faults: TestFault[] = [];
  for (const unit of new Set([...sure, ...searched])) {
    const own = attributed.filter((one) => one.units.includes(unit));
    faults.push({
      unit,
      model: planned.model.name,
      test: test.name,
      rows: own.reduce((all, one) => all + one.rows, 0),
      example: own[0]?.example ?? '',
      isAlone: test.sqlOf !== null && (await isAlone(search, unit)),
    });
  }
  return faults;
}

async function blameForModel(search: Search, message: string): Promise<TestFault[]> {
  const { planned, units } = search;
  const fails = async (kept: readonly string[]): Promise<boolean> =>
    (await tryWithout(
      units.filter((unit) => !kept.includes(unit)),
      search,
    )) === 'broken';
  const faults: TestFault[] = [];
  for (const unit of await searchUnits(units, fails)) {
    // DuckDB shows the statement on the lines below.
    const [example = ''] = message.split('\n');
    const found = { unit, model: planned.model.name, test: null, rows: 0, example };
    faults.push({ ...found, isAlone: await isAlone(search, unit) });
  }
  return faults;
}

/**
 * The units that each cause the failure alone, found by halving; a whole set if it fails only together. None if it
 * fails without any of them.
 */
async function searchUnits(
  units: readonly string[],
  fails: (kept: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  if (units.length === 0 || (await fails([]))) return [];
  const search = async (some: readonly string[]): Promise<readonly string[]> => {
    if (some.length === 1) return some;
    const middle = Math.ceil(some.length / 2);
    const blamed: string[] = [];
    for (const half of [some.slice(0, middle), some.slice(middle)])
      if (await fails(half)) blamed.push(...(await search(half)));
    return blamed.length > 0 ? blamed : some;
  };
  return search(units);
}

/** Builds and tests a model, and what it reads, with the published state of some units. Then rolls everything back. */
async function tryWithout(
  without: readonly string[],
  { connection, engine, outcome, found, planned, runId, signal }: Search,
  test?: DataTest,
): Promise<'broken' | Awaited<ReturnType<typeof countFailures>>> {
  signal.throwIfAborted();
  const reads = new Set(
    [planned.model.name, ...planned.testedWith].flatMap((name) => [...withAllReads(outcome.plan, name)]),
  );
  try {
    return await connection.trial(async () => {
      await found.putBack(without);
      await engine.synchronize(outcome.plan, signal);
      const present = await martObjects(connection);
      const { assess, leave } = await assessModels(connection, new Set(), runId);
      for (const one of outcome.plan) {
        if (!reads.has(one.model.name)) {
          leave(one);
          continue;
        }
        const own = await engine.local(one, signal);
        const { build, stamp } = await assess(own);
        const options = { stamp, present: present.get(one.model.name), signal };
        if (build.how !== 'none') await buildModel({ connection, engine }, own, build, options);
      }
      const tests = test ? [test] : planned.tests;
      return await countFailures(engine.queries, { ...planned, tests }, { signal });
    });
  } catch (error) {
    if (!isDataError(error)) throw error;
    return 'broken';
  }
}

async function isAlone({ connection, planned }: Search, unit: string): Promise<boolean> {
  const partitioned = partitionedModel(planned);
  return partitioned !== undefined && (await isMadeFromUnitAlone(connection, partitioned, unit));
}
