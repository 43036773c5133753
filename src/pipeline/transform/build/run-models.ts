import { performance } from 'node:perf_hooks';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { type Attempt, inLowerMemory } from '../../../core/duckdb/lower-memory.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { inSpan } from '../../../core/logs/telemetry.ts';
import { isDataError } from '../../../engines/data-error.ts';
import type { ModelEngine, ModelPlace } from '../../../engines/model-engine.ts';
import type { ModelReport, TestReport } from '../../../project/model/runs/report.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { modelError } from '../../../project/sql/plan/model-error.ts';
import { currentPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import { type PlannedModel, planModels } from '../../../project/sql/plan/plan-models.ts';
import { selectModels } from '../../../project/sql/plan/select-models.ts';
import {
  type CatalogColumn,
  type MartObjects,
  martObjects,
  tableColumns,
} from '../../../state/catalogue/catalog.ts';
import {
  changedPartitions,
  type PartitionChanges,
  recordPartitions,
} from '../../../state/catalogue/ops/ops-model-partitions.ts';
import {
  type BuildStamp,
  modelNames,
  recordLooks,
  recordNewRows,
} from '../../../state/catalogue/ops/ops-models.ts';
import { isFailed, recordTests, type TestedModel, testModel } from '../tests/test-model.ts';
import { type Assessed, type Assessor, assessModels } from './assess-models.ts';
import { buildModel, dropModel, isAsMade } from './build-model.ts';

/** Of the memory limit: models take a good deal that it does not count (docs/decisions/warehouse.md). */
const MEMORY_SHARE = 0.5;

/** Milliseconds after which results of tests are recorded: models that were tested before a kill are not tested again. */
const RECORD_EVERY = 2000;

export interface RunModelsOptions {
  /** On the warehouse (`USE`), with schemas raw, mart and ops. */
  readonly connection: Connection;
  readonly engine: ModelEngine;
  /** Every model under `sql/`: one that was built and is not among them is dropped. */
  readonly models: readonly Model[];
  /** Sources that this run wrote (`raw.crawl_pages`), or `all` to make and test everything. */
  readonly changed: ReadonlySet<string> | 'all';
  /** The models to make, as `selectModels` reads them; all when absent. */
  readonly only?: readonly string[];
  /** Where the plan is kept for the next process. */
  readonly stateDir?: string;
  readonly logger: Logger;
  readonly runId: string;
  readonly signal?: AbortSignal;
  /** Runs in each transaction that makes or drops a model: to note there that something is to be published. */
  readonly onChange?: () => Promise<void>;
  /** Told before each model that is built or tested how many are through. */
  readonly onStep?: (phase: 'models' | 'tests', done: number, total: number) => void;
}

export interface ModelsReport {
  readonly models: ModelReport[];
  readonly tests: TestReport[];
}

/** The results of the models, and the data to find the units that cause failures. */
export interface ModelsOutcome extends ModelsReport {
  /** All models, in the order in which they are made. */
  readonly plan: readonly PlannedModel[];
  /** Models that could not be made or tested because of the values that they read, by name. */
  readonly broken: ReadonlyMap<string, CrawlhouseError>;
}

/**
 * Builds and tests models, and continues after a model that can't be built because of the values that it reads. Models
 * that read it stay unchanged; all others are built and tested.
 *
 * @throws CrawlhouseError `bad_model`, before anything is changed, for invalid models
 */
export function makeModels(options: RunModelsOptions): Promise<ModelsOutcome> {
  return inLowerMemory(options.connection, MEMORY_SHARE, (attempt) => makeWithin(options, attempt));
}

async function makeWithin(options: RunModelsOptions, attempt: Attempt): Promise<ModelsOutcome> {
  const { connection, engine, runId, signal } = options;
  const place = { connection, engine };
  const plan = await planModels(options);
  await engine.check(plan);
  const selected = selectModels(plan, options.only);
  const present = await martObjects(connection);
  checkReads(present, selected);
  await dropRemoved(place, options, present);
  await engine.synchronize(plan, signal);
  const assessor = await assessModels(connection, options.changed, runId);
  const columns = await tableColumns(connection, ['mart']);
  const making = new ModelsInTheMaking({ options, place, attempt, assessor, present, columns });
  for (const [index, planned] of plan.entries()) {
    signal?.throwIfAborted();
    options.onStep?.('models', index, plan.length);
    if (selected.includes(planned)) await making.make(planned);
    else assessor.leave(planned);
  }
  await making.later.write();
  const { models, broken } = making;
  const tests = await testAll(making.untested(), broken, options, attempt);
  return { models, tests, plan, broken };
}

interface MakingInputs {
  readonly options: RunModelsOptions;
  readonly place: ModelPlace;
  readonly attempt: Attempt;
  readonly assessor: Assessor;
  readonly present: MartObjects;
  readonly columns: ReadonlyMap<string, readonly CatalogColumn[]>;
}

/** The models of a run, made one after the other. */
class ModelsInTheMaking {
  readonly models: ModelReport[] = [];
  /** Those that the values which they read have broken, by name. */
  readonly broken = new Map<string, CrawlhouseError>();
  /** Those that stay as they were although what they read has changed, by name. */
  readonly #behind = new Set<string>();
  /** Built, or without results of tests. */
  readonly #untested: PlannedModel[] = [];
  /** Unchanged and tested: only what has changed around them may fail. */
  readonly #tested: PlannedModel[] = [];
  readonly #inputs: MakingInputs;

  readonly later: LaterRecords;

  constructor(inputs: MakingInputs) {
    this.#inputs = inputs;
    this.later = new LaterRecords(inputs.place.connection, inputs.options.onChange);
  }

  /** Builds a model if it is behind what it reads. */
  async make(own: PlannedModel): Promise<void> {
    const { options, place, attempt, assessor } = this.#inputs;
    const { name } = own.model;
    if ([...own.models].some((read) => this.#behind.has(read))) return this.#leaveBehind(own, 0);
    const planned = await place.engine.local(own, options.signal);
    const { build, stamp, former } = await attempt(() => assessor.assess(planned));
    if (build.how === 'none') {
      if (former?.looked_at !== stamp.lookedAt) this.later.look(name, stamp);
      this.models.push({ name, status: 'unchanged', rows: former?.rows ?? null, seconds: 0 });
      (former?.tested === true ? this.#tested : this.#untested).push(planned);
      return;
    }
    const startedAt = performance.now();
    const made = await this.#build(planned, build, stamp);
    const seconds = (performance.now() - startedAt) / 1000;
    if (!made) return this.#leaveBehind(planned, seconds);
    const rows = made.result;
    this.#untested.push(planned);
    this.models.push({ name, status: 'built', rows, seconds });
    const partitions =
      build.how === 'partitions' ? build.changes.behind.length + build.changes.gone.length : 'all';
    const { reason } = build;
    const told = { stage: 'transform', model: name, reason, partitions, rows, seconds };
    options.logger.info('model built', told);
  }

  /** The models whose tests have to run: also those that read what was built, or the time. */
  untested(): PlannedModel[] {
    const built = new Set(this.models.filter(({ status }) => status === 'built').map(({ name }) => name));
    const again = this.#tested.flatMap((planned) => {
      if ([...planned.testedWith].some((name) => built.has(name))) return [planned];
      const tests = planned.tests.filter(({ dependsOnTime }) => dependsOnTime);
      return tests.length > 0 ? [{ ...planned, tests }] : [];
    });
    return [...this.#untested, ...again];
  }

  #leaveBehind(planned: PlannedModel, seconds: number): void {
    const { name } = planned.model;
    this.#inputs.assessor.leave(planned);
    this.#behind.add(name);
    this.models.push({ name, status: 'failed', rows: null, seconds });
  }

  /** Undefined where the values that the model reads break it. */
  async #build(
    planned: PlannedModel,
    build: Parameters<typeof buildModel>[2],
    stamp: Assessed['stamp'],
  ): Promise<{ readonly result: number | null } | undefined> {
    const { options, place, attempt, present, columns } = this.#inputs;
    const { logger, signal, onChange } = options;
    const { name } = planned.model;
    if (isAsMade(planned, build, columns.get(name))) {
      await this.later.newRows(planned, stamp);
      return { result: null };
    }
    await this.later.writeViews();
    let tries = 0;
    const tryBuild = (): Promise<number | null> => {
      if (tries++ > 0) logger.info('model needs all of memory_limit', { stage: 'transform', model: name });
      return buildModel(place, planned, build, { stamp, present: present.get(name), signal, onChange });
    };
    return unlessBroken(this.broken, planned, () =>
      inSpan(
        'model',
        { model: name },
        () => attempt(tryBuild, 'large'),
        (rows) => ({ attributes: rows === null ? {} : { rows } }),
      ),
    );
  }
}

/**
 * Runs `work` for a model. If the values that it reads make it fail, the error is kept in `broken` and the result is
 * undefined.
 */
async function unlessBroken<T>(
  broken: Map<string, CrawlhouseError>,
  { model }: PlannedModel,
  work: () => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!isDataError(error)) throw error;
    // A model that could not be made has its own error.
    broken.set(model.name, modelError(model, error, 'tested'));
    return undefined;
  }
}

/** A model may be made by itself only where what it reads is there. */
function checkReads(present: MartObjects, selected: readonly PlannedModel[]): void {
  const chosen = new Set(selected.map(({ model }) => model.name));
  for (const { model, models } of selected) {
    const missing = [...models].find((name) => !chosen.has(name) && !present.has(name));
    if (missing === undefined) continue;
    throw new CrawlhouseError('usage', `${model.name} reads ${missing}, which is not made yet`, {
      hint: `select +${model.name.replace('mart.', '')}: the plus adds the models that it reads`,
    });
  }
}

async function testAll(
  plan: readonly PlannedModel[],
  broken: Map<string, CrawlhouseError>,
  { connection, engine, runId, signal, logger, onStep }: RunModelsOptions,
  attempt: Attempt,
): Promise<TestReport[]> {
  const tested: TestedModel[] = [];
  let recorded = 0;
  let recordedAt = performance.now();
  for (const [index, planned] of plan.entries()) {
    signal?.throwIfAborted();
    onStep?.('tests', index, plan.length);
    const made = await unlessBroken(broken, planned, () =>
      inSpan('test', { model: planned.model.name }, () =>
        attempt(() => testModel({ connection, engine }, planned, signal)),
      ),
    );
    if (!made) continue;
    tested.push(made.result);
    for (const { model, name, severity, failures } of made.result.reports.filter(isFailed))
      logger[severity]('data test failed', { model, test: name, failures });
    if (performance.now() - recordedAt < RECORD_EVERY) continue;
    await recordTests(connection, runId, tested.slice(recorded));
    recorded = tested.length;
    recordedAt = performance.now();
  }
  await recordTests(connection, runId, tested.slice(recorded));
  return tested.flatMap(({ reports }) => reports);
}

async function dropRemoved(
  place: ModelPlace,
  { models, logger, onChange }: RunModelsOptions,
  present: MartObjects,
): Promise<void> {
  const names = new Set(models.map((model) => model.name));
  for (const name of await modelNames(place.connection)) {
    if (names.has(name)) continue;
    await dropModel(place, name, { present: present.get(name), onChange });
    logger.info('model dropped', { model: name });
  }
}

/**
 * What a run notes of models that it need not make: of views before the next model is made, of the others at the end,
 * in one transaction each.
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

  /** A model is as it should be, with all that has been loaded. */
  look(name: string, { lookedAt }: BuildStamp): void {
    this.#looks.set(name, lookedAt);
  }

  /** A view shows new rows by itself, but its tests have to be run on them. */
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

  /** Writes what is noted of views. */
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
