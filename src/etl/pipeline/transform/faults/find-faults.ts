import { z } from 'zod';
import { type Connection, given, ident, text } from '../../../../core/duckdb/duckdb.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import { isDataError } from '../../../engines/data-error.ts';
import type { ModelEngine, ModelPlace } from '../../../engines/model-engine.ts';
import type { NewUnit, NewUnits } from '../../../engines/new-units.ts';
import type { DataTest } from '../../../project/sql/models/data-tests.ts';
import { reachable } from '../../../project/sql/models/order-models.ts';
import {
  currentPartitions,
  type PartitionedModel,
  partitionedModel,
} from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import { martObjects } from '../../../state/catalog/catalog.ts';
import { forgetLoads } from '../../../state/catalog/ops/ops-loads.ts';
import { UNIT_COLUMNS, unitRow } from '../../../state/catalog/ops/ops-rows.ts';
import { assessModels } from '../build/assess-models.ts';
import { makeModel } from '../build/make-model.ts';
import type { ModelsOutcome } from '../build/make-models.ts';
import { countFailures } from '../tests/test-model.ts';

const SuspectRow = z.strictObject({
  n: z.bigint(),
  example: z.string().nullable(),
  exact: z.string().nullable(),
  near: z.string().nullable(),
});

const PartitionStamp = z.strictObject({ partition_key: z.string(), stamp: z.string() });

/** A new unit whose rows fail a test or break a model. */
export interface TestFault {
  readonly unit: string;
  readonly model: string;
  /** The name of the test; null for a model that cannot be built or read. */
  readonly test: string | null;
  /** Rows that fail the test; 0 for a model. */
  readonly rows: number;
  /** An example of such a row; or why the model cannot be built. */
  readonly example: string;
  /** Whether the unit's content causes the fault on its own, so that the same content would fail again. */
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
 * tests, so only new units can be the cause. Of models that read each other, only the first is examined, because its
 * fault also appears in the others. A fault without a certain cause is attributed to no unit.
 */
export async function findFaults(options: FindOptions): Promise<TestFault[]> {
  const { outcome, found } = options;
  const tests = outcome.tests.filter((test) => test.severity === 'error' && test.status === 'failed');
  const failed = new Set([...outcome.broken.keys(), ...tests.map(({ model }) => model)]);
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
        if (tests.some((one) => one.model === name && one.name === test.name))
          faults.push(...(await blameForTest(own, test)));
  }
  return faults;
}

interface Search extends FindOptions {
  readonly planned: PlannedModel;
  /** Names of the new units that the model is built from. */
  readonly units: readonly string[];
}

async function blameForTest(search: Search, test: DataTest): Promise<TestFault[]> {
  const { found, planned, units, signal } = search;
  const suspects = found.units.filter(({ unit }) => units.includes(unit));
  const attributed = await attributeRows(search, test, suspects, signal);
  if (attributed.some((one) => one.units.length === 0)) return [];
  const sure = attributed.filter((one) => one.isExact && one.units.length === 1).flatMap((one) => one.units);
  const open = new Set(attributed.flatMap((one) => one.units).filter((unit) => !sure.includes(unit)));
  const fails = async (kept: readonly string[]): Promise<boolean> => {
    const without = [...sure, ...[...open].filter((unit) => !kept.includes(unit))];
    const reports = await tryWithout(without, search, test);
    return reports === 'broken' || reports.some((report) => report.failures > 0);
  };
  const searched = await searchUnits([...open], fails);
  // It fails without any of the units, so something else is wrong.
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
  const fails = async (kept: readonly string[]): Promise<boolean> => {
    const without = units.filter((unit) => !kept.includes(unit));
    return (await tryWithout(without, search)) === 'broken';
  };
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
 * Finds the units that each cause the failure on their own, by bisection. If only a combination fails, returns the
 * combination. If the failure also occurs without the units, returns none.
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

/**
 * Builds and tests a model and its inputs with the published state of the given units, then rolls everything back.
 */
async function tryWithout(
  without: readonly string[],
  { connection, engine, outcome, found, planned, runId, signal }: Search,
  test?: DataTest,
): Promise<'broken' | Awaited<ReturnType<typeof countFailures>>> {
  signal.throwIfAborted();
  const reads = withTestReads(outcome.plan, planned);
  try {
    return await connection.trial(async () => {
      await found.putBack(without);
      await engine.synchronize(outcome.plan, signal);
      const present = await martObjects(connection);
      const { assess, leave } = await assessModels(connection, new Set(), runId);
      for (const model of outcome.plan) {
        if (!reads.has(model.model.name)) {
          leave(model);
          continue;
        }
        const own = await engine.local(model, signal);
        const { build, stamp } = await assess(own);
        const options = { stamp, present: present.get(model.model.name), signal };
        if (build.how !== 'none') await makeModel({ connection, engine }, own, build, options);
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

/** Columns in which a row names its source, as in `raw` and the built-in models. */
const SOURCE_COLUMNS = ['_source_id', '_crawl_id', 'crawl_id', 'previous_crawl_id', 'comparison_id'];
const PROJECT_COLUMNS = ['_project_id', 'project_id'];
const WINDOW_COLUMNS = ['_window', 'day', 'week_start_date', 'month_start_date', 'date'];
const NAMING = ['_unit', ...SOURCE_COLUMNS, ...PROJECT_COLUMNS, ...WINDOW_COLUMNS];

/** Rows that break a test and name the same units. */
interface AttributedRows {
  readonly rows: number;
  /** One or two values of such a row. */
  readonly example: string;
  /** Names of the possible units of the rows; empty if the rows name no new unit. */
  readonly units: readonly string[];
  /** Whether the rows name the units themselves, and not only the project. */
  readonly isExact: boolean;
}

/**
 * Finds the new units of the rows that break a test. Uses the column `_unit` if the rows have it. Otherwise uses the
 * ids of crawls and comparisons, and project and day. If none of these units is new, uses the project.
 */
async function attributeRows(
  { connection, engine }: ModelPlace,
  test: DataTest,
  units: readonly NewUnit[],
  signal?: AbortSignal,
): Promise<AttributedRows[]> {
  const rows = `(${test.wholeRows ?? test.rows}\n)`;
  const columns = await connection.column<string>(`DESCRIBE SELECT * FROM ${rows} AS broken`);
  const naming = NAMING.filter((name) => columns.includes(name));
  const texts = naming.map((name) => `CAST(${ident(name)} AS VARCHAR)`);
  const named = texts.map((value, index) => `${value} AS ${ident(naming[index] ?? '')}`);
  const broken = await engine.queries.jsonRows(
    `SELECT ${[...named, 'count(*) AS n'].join(', ')}, min(${exampleOf(test, columns)}) AS example
     FROM ${rows} AS broken${texts.length > 0 ? ` GROUP BY ${texts.join(', ')}` : ''}`,
    [],
    signal,
  );
  const found = typedRows(
    SuspectRow,
    await connection.rows(
      `WITH suspect AS (SELECT ${given(text(JSON.stringify(units.map(unitRow))), UNIT_COLUMNS)}),
       broken AS (SELECT ${given(text(JSON.stringify(broken)), [...naming, 'n', 'example'])}),
       numbered AS (SELECT *, row_number() OVER () AS number FROM broken)
       SELECT CAST(any_value(b.n) AS BIGINT) AS n, any_value(b.example) AS example,
         to_json(list(s.unit ORDER BY s.unit) FILTER (s.is_exact))::VARCHAR AS exact,
         to_json(list(s.unit ORDER BY s.unit) FILTER (NOT s.is_exact))::VARCHAR AS near
       FROM numbered AS b
       LEFT JOIN LATERAL (
         SELECT unit, ${exactMatch(naming)} AS is_exact FROM suspect WHERE ${exactMatch(naming)} OR ${nearMatch(naming)}
       ) AS s ON true
       GROUP BY b.number ORDER BY b.number`,
      [],
      signal,
    ),
  );
  return found.map(({ n, example, exact, near }) => {
    const units = list(exact);
    return {
      rows: Number(n),
      example: example ?? '',
      units: units.length > 0 ? units : list(near),
      isExact: units.length > 0,
    };
  });
}

const list = (json: string | null): string[] => JSON.parse(json ?? 'null') ?? [];

/** Returns SQL that is true for a unit that a row names itself. */
function exactMatch(naming: readonly string[]): string {
  if (naming.includes('_unit')) return 'coalesce(unit = b._unit, false)';
  const of = (columns: readonly string[]): string[] => columns.filter((name) => naming.includes(name));
  const sources = of(SOURCE_COLUMNS).map((name) => `source_id = b.${ident(name)}`);
  const windows = of(PROJECT_COLUMNS).flatMap((project) =>
    of(WINDOW_COLUMNS).map(
      (name) =>
        `(project_id = b.${ident(project)} AND b.${ident(name)} >= window_from AND b.${ident(name)} < window_to)`,
    ),
  );
  const isSource = `(source_kind IN ('crawl', 'crawl_over_crawl') AND (${sources.join(' OR ') || 'false'}))`;
  return `coalesce(${[isSource, ...windows].join(' OR ')}, false)`;
}

/** Returns SQL that is true for a unit whose project a row names. */
function nearMatch(naming: readonly string[]): string {
  if (naming.includes('_unit')) return 'false';
  const projects = PROJECT_COLUMNS.filter((name) => naming.includes(name));
  return `coalesce(${projects.map((name) => `project_id = b.${ident(name)}`).join(' OR ') || 'false'}, false)`;
}

/** Returns SQL of columns that identify a row for a person: those of the test, else its URL, else the first few. */
function exampleOf({ columns: tested }: DataTest, columns: readonly string[]): string {
  const plain = columns.filter((name) => !NAMING.includes(name));
  const own = plain.filter((name) => tested.includes(name));
  const url = plain.filter((name) => name === 'url' && !own.includes('url'));
  const shown = [...own, ...url].length > 0 ? [...own, ...url] : plain.slice(0, 2);
  if (shown.length === 0) return `''`;
  const parts = shown.map(
    (name) => `${text(`${name} = `)} || coalesce(substr(CAST(${ident(name)} AS VARCHAR), 1, 200), 'NULL')`,
  );
  return `concat_ws(', ', ${parts.join(', ')})`;
}

/** Returns a model and all models that it reads, directly or indirectly, by name. */
function withAllReads(plan: readonly PlannedModel[], name: string): ReadonlySet<string> {
  const models = new Map(plan.map((planned) => [planned.model.name, planned]));
  return reachable(name, (one) => models.get(one)?.models);
}

/** Returns the reads of a model and of its tests. */
function withTestReads(
  plan: readonly PlannedModel[],
  { model, testedWith }: PlannedModel,
): ReadonlySet<string> {
  return new Set([model.name, ...testedWith].flatMap((name) => [...withAllReads(plan, name)]));
}

/** Returns the datasets that a model and its tests are built from, through all models that they read. */
function datasetsOf(plan: readonly PlannedModel[], planned: PlannedModel): ReadonlySet<string> {
  const names = withTestReads(plan, planned);
  const sources = plan.filter(({ model }) => names.has(model.name)).flatMap((model) => [...model.sources]);
  return new Set(
    [...sources, ...planned.testSources]
      .filter((source) => source.startsWith('raw.'))
      .map((source) => source.slice('raw.'.length)),
  );
}

/** Returns whether a unit is the only source of its partitions. */
async function isMadeFromUnitAlone(
  connection: Connection,
  partitioned: PartitionedModel,
  unit: string,
): Promise<boolean> {
  const stamps = async (): Promise<Map<string, string>> => {
    const rows = typedRows(PartitionStamp, await connection.rows(currentPartitions(partitioned)));
    return new Map(rows.map((row) => [row.partition_key, row.stamp]));
  };
  const before = await stamps();
  const after = await connection.trial(async () => {
    await forgetLoads(connection, [unit]);
    return stamps();
  });
  const isSame = [...after].every(([key, stamp]) => before.get(key) === stamp);
  return isSame && after.size < before.size;
}
