import { performance } from 'node:perf_hooks';
import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { LowerMemory } from '../../../../core/duckdb/lower-memory.ts';
import { tableColumns } from '../../../../core/duckdb/table-columns.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { runStep, type SpanResult } from '../../../../core/logs/telemetry.ts';
import { isDataError } from '../../../engines/data-error.ts';
import type { ModelEngine } from '../../../engines/model-engine.ts';
import type { ModelReport, TestReport } from '../../../project/model/runs/unit-report.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { modelError } from '../../../project/sql/plan/model-error.ts';
import { currentPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import { type PlannedModel, planModels } from '../../../project/sql/plan/plan-models.ts';
import { selectModels } from '../../../project/sql/plan/select-models.ts';
import { type MartObjects, martObjects } from '../../../state/catalog/catalog.ts';
import {
  changedPartitions,
  type PartitionChanges,
  recordPartitions,
} from '../../../state/catalog/ops/ops-model-partitions.ts';
import {
  type BuildStamp,
  modelNames,
  recordLooks,
  recordNewRows,
} from '../../../state/catalog/ops/ops-models.ts';
import { isFailed, recordTests, type TestedModel, testModel } from '../tests/test-model.ts';
import { assessModels } from './assess-models.ts';
import { dropModel, isAsMade, makeModel } from './make-model.ts';

/** Share of the memory limit, because models use memory outside of it (docs/decisions/warehouse.md). */
const MEMORY_SHARE = 0.5;

/** Milliseconds between saves of test results. A run after a crash does not repeat the saved tests. */
const RECORD_EVERY = 2000;

export interface MakeModelsOptions {
  /** A connection to the warehouse (`USE`), with schemas raw, mart and ops. */
  readonly connection: Connection;
  readonly engine: ModelEngine;
  /** Every model under `sql/`. Other built models are dropped. */
  readonly models: readonly Model[];
  /** Sources that this run wrote (`raw.crawl_pages`), or `all` to build and test everything. */
  readonly changed: ReadonlySet<string> | 'all';
  /** The models to build, as `selectModels` reads them; all by default. */
  readonly only?: readonly string[];
  /** Where the plan is stored for the next process. */
  readonly stateDir?: string;
  readonly logger: Logger;
  readonly runId: string;
  readonly signal?: AbortSignal;
  /** Runs in each transaction that builds or drops a model, to record that there are changes to publish. */
  readonly onChange?: () => Promise<void>;
  /** Called before each model is built or tested, with the number of completed ones. */
  readonly onStep?: (phase: 'models' | 'tests', done: number, total: number) => void;
}

export interface ModelsReport {
  readonly models: ModelReport[];
  readonly tests: TestReport[];
}

/** The results of the models, and the data to find the units that cause failures. */
export interface ModelsOutcome extends ModelsReport {
  /** All models, in build order. */
  readonly plan: readonly PlannedModel[];
  /** Models that could not be built or tested because of values in their sources, by name. */
  readonly broken: ReadonlyMap<string, CrawlhouseError>;
}

/**
 * Builds and tests models, and continues after a model that cannot be built because of values in its sources. Models
 * that read it stay unchanged; all others are built and tested.
 *
 * @throws CrawlhouseError `bad_model`, before anything is changed, for invalid models
 */
export async function makeModels(options: MakeModelsOptions): Promise<ModelsOutcome> {
  const { connection, engine, logger, signal, onChange } = options;
  const place = { connection, engine };
  await using memory = await LowerMemory.begin(connection, MEMORY_SHARE);
  const { plan, selected, present } = await planAndDrop(options);
  await using copies = engine.viewCopies?.(plan);
  const assessor = await assessModels(connection, options.changed, options.runId);
  const columns = await tableColumns(connection, ['mart']);
  const later = new LaterRecords(connection, onChange);
  const models: ModelReport[] = [];
  const broken = new Map<string, CrawlhouseError>();
  /** Models that stay unchanged although their sources have changed, by name. */
  const behind = new Set<string>();
  const tests: ModelsToTest = { due: [], tested: [] };
  for (const [index, own] of plan.entries()) {
    signal?.throwIfAborted();
    options.onStep?.('models', index, plan.length);
    const { name } = own.model;
    const leave = (seconds: number): void => {
      assessor.leave(own);
      behind.add(name);
      models.push({ name, status: 'failed', rows: null, seconds });
    };
    if (!selected.includes(own)) {
      assessor.leave(own);
      continue;
    }
    if ([...own.models].some((read) => behind.has(read))) {
      leave(0);
      continue;
    }
    const local = await engine.local(own, signal);
    const planned = (await copies?.inPartitions(local)) ?? local;
    const { build, stamp, former } = await memory.attempt(() => assessor.assess(planned));
    if (build.how === 'none') {
      if (former?.looked_at !== stamp.lookedAt) later.look(name, stamp);
      models.push({ name, status: 'unchanged', rows: former?.rows ?? null, seconds: 0 });
      (former?.tested === true ? tests.tested : tests.due).push(planned);
      continue;
    }
    const startedAt = performance.now();
    let rows: number | null = null;
    if (isAsMade(planned, build, columns.get(name))) await later.newRows(planned, stamp);
    else {
      await later.writeViews();
      const how = { stamp, present: present.get(name), signal, onChange, memory, logger };
      try {
        const reading = (await copies?.inTable(planned)) ?? planned;
        rows = await runStep('model', { attributes: { model: name }, describe: rowsOf }, () =>
          makeModel(place, reading, build, how),
        );
      } catch (error) {
        noteBroken(broken, planned, error);
        leave(secondsSince(startedAt));
        continue;
      }
    }
    const seconds = secondsSince(startedAt);
    tests.due.push(planned);
    models.push({ name, status: 'built', rows, seconds });
    const partitions = build.how === 'full' ? 'all' : build.changes.behind.length + build.changes.gone.length;
    const fields = { stage: 'transform', model: name, reason: build.reason, partitions, rows, seconds };
    logger.info('model built', fields);
  }
  await later.write();
  const reports = await testModels(modelsToTest(tests, models), broken, options, memory);
  return { models, tests: reports, plan, broken };
}

/** Plans the models, and drops those that are no longer under `sql/`. */
async function planAndDrop(
  options: MakeModelsOptions,
): Promise<{
  readonly plan: readonly PlannedModel[];
  readonly selected: readonly PlannedModel[];
  readonly present: MartObjects;
}> {
  const { connection, engine, models, logger, onChange, signal } = options;
  const plan = await planModels(options);
  await engine.check(plan);
  const selected = selectModels(plan, options.only);
  const present = await martObjects(connection);
  checkReads(present, selected);
  const names = new Set(models.map((model) => model.name));
  for (const name of await modelNames(connection)) {
    if (names.has(name)) continue;
    await dropModel({ connection, engine }, name, { present: present.get(name), onChange });
    logger.info('model dropped', { model: name });
  }
  await engine.synchronize(plan, signal);
  return { plan, selected, present };
}

interface ModelsToTest {
  /** Built, or without results of tests. */
  readonly due: PlannedModel[];
  /** Unchanged and tested. Only changes in other models can make their tests fail. */
  readonly tested: PlannedModel[];
}

/** Returns the models whose tests must run, including those that depend on built models or on time. */
function modelsToTest({ due, tested }: ModelsToTest, models: readonly ModelReport[]): PlannedModel[] {
  const built = new Set(models.filter(({ status }) => status === 'built').map(({ name }) => name));
  const again = tested.flatMap((planned) => {
    if ([...planned.testedWith].some((name) => built.has(name))) return [planned];
    const tests = planned.tests.filter(({ dependsOnTime }) => dependsOnTime);
    return tests.length > 0 ? [{ ...planned, tests }] : [];
  });
  return [...due, ...again];
}

/** @throws errors other than faults of values in the model's sources */
function noteBroken(broken: Map<string, CrawlhouseError>, { model }: PlannedModel, error: unknown): void {
  if (!isDataError(error)) throw error;
  // A model that could not be built has its own error.
  broken.set(model.name, modelError(model, error, 'tested'));
}

const rowsOf = (rows: number | null): SpanResult => ({ attributes: rows === null ? {} : { rows } });
const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;

/** Checks that the sources of a single requested model exist. */
function checkReads(present: MartObjects, selected: readonly PlannedModel[]): void {
  const chosen = new Set(selected.map(({ model }) => model.name));
  for (const { model, models } of selected) {
    const missing = [...models].find((name) => !chosen.has(name) && !present.has(name));
    if (missing === undefined) continue;
    throw new CrawlhouseError('usage', `${model.name} reads ${missing}, which is not built yet`, {
      hint: `select +${model.name.replace('mart.', '')}: the plus adds the models that it reads`,
    });
  }
}

async function testModels(
  plan: readonly PlannedModel[],
  broken: Map<string, CrawlhouseError>,
  { connection, engine, runId, signal, logger, onStep }: MakeModelsOptions,
  memory: LowerMemory,
): Promise<TestReport[]> {
  const tested: TestedModel[] = [];
  let recorded = 0;
  let recordedAt = performance.now();
  for (const [index, planned] of plan.entries()) {
    signal?.throwIfAborted();
    onStep?.('tests', index, plan.length);
    try {
      const test = (): Promise<TestedModel> => testModel({ connection, engine }, planned, signal);
      tested.push(
        await runStep('test', { attributes: { model: planned.model.name } }, () => memory.attempt(test)),
      );
    } catch (error) {
      noteBroken(broken, planned, error);
      continue;
    }
    for (const { model, name, severity, failures } of tested.at(-1)?.reports.filter(isFailed) ?? [])
      logger[severity]('data test failed', { model, test: name, failures });
    if (performance.now() - recordedAt < RECORD_EVERY) continue;
    await recordTests(connection, runId, tested.slice(recorded));
    recorded = tested.length;
    recordedAt = performance.now();
  }
  await recordTests(connection, runId, tested.slice(recorded));
  return tested.flatMap(({ reports }) => reports);
}

/**
 * Collects what a run records about models that it need not build. Writes the records of views before the next model is
 * built, and the other records at the end, in one transaction each.
 */
class LaterRecords {
  readonly #connection: Connection;
  readonly #onChange: (() => Promise<void>) | undefined;
  readonly #views = new Map<string, BuildStamp>();
  readonly #partitions = new Map<string, PartitionChanges>();
  readonly #looks = new Map<string, string>();

  constructor(connection: Connection, onChange: (() => Promise<void>) | undefined) {
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /** Records that a model is current with all loads. */
  look(name: string, { lookedAt }: BuildStamp): void {
    this.#looks.set(name, lookedAt);
  }

  /** Records that a view shows new rows, which its tests must check. */
  async newRows(planned: PlannedModel, stamp: BuildStamp): Promise<void> {
    const { name } = planned.model;
    this.#views.set(name, stamp);
    const partitioned = partitionedModel(planned);
    if (partitioned)
      this.#partitions.set(
        name,
        await changedPartitions(this.#connection, name, currentPartitions(partitioned)),
      );
  }

  /** Writes the records of views. */
  async writeViews(): Promise<void> {
    if (this.#views.size === 0) return;
    const connection = this.#connection;
    await connection.transaction(async () => {
      await recordNewRows(connection, this.#views);
      for (const [name, changes] of this.#partitions)
        await recordPartitions(connection, { model: name, current: '', build: null }, changes);
      await this.#onChange?.();
    });
    this.#views.clear();
    this.#partitions.clear();
  }

  async write(): Promise<void> {
    await this.writeViews();
    const [lookedAt] = this.#looks.values();
    if (lookedAt !== undefined) await recordLooks(this.#connection, [...this.#looks.keys()], lookedAt);
  }
}
