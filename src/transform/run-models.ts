import { performance } from 'node:perf_hooks';
import type { Connection } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { withLowerMemory } from '../core/lower-memory.ts';
import type { ModelReport, TestReport } from '../model/report.ts';
import { assessModels } from './assess-models.ts';
import { buildModel, dropModel } from './build-model.ts';
import type { Model } from './model.ts';
import { ensureStateTables, martObjects, recordLook } from './model-state.ts';
import { type PlannedModel, planModels } from './plan-models.ts';
import { selectModels } from './select-models.ts';
import { testModel } from './test-model.ts';

/** Of the memory limit: models take a good deal that it does not count (docs/decisions/warehouse-file.md). */
const MEMORY_SHARE = 0.5;

export interface RunModelsOptions {
  /** On the warehouse (`USE`), with schemas raw, mart and ops. */
  readonly connection: Connection;
  /** Every model under `sql/`: one that was built and is not among them is dropped. */
  readonly models: readonly Model[];
  /** Sources that this run wrote (`raw.crawl_pages`), or `all` to make and test everything. */
  readonly changed: ReadonlySet<string> | 'all';
  /** The models to make, as `selectModels` reads them; all when absent. */
  readonly only?: readonly string[];
  /** The raw tables that pipelines make; a model that reads another one is an error. */
  readonly sources?: ReadonlySet<string>;
  readonly logger: Logger;
  readonly runId: string;
  readonly signal?: AbortSignal;
  /** Runs in each transaction that makes or drops a model: to note there that something is to be published. */
  readonly onChange?: () => Promise<void>;
}

export interface ModelsReport {
  readonly models: ModelReport[];
  readonly tests: TestReport[];
}

/**
 * Makes the models that are behind what they read, in order, and tests them. Whether a failed test keeps the
 * warehouse from being published is the caller's to decide.
 *
 * @throws CrawlhouseError `bad_model`, before anything is changed, for models that can't hold
 */
export async function runModels(options: RunModelsOptions): Promise<ModelsReport> {
  const { connection, logger, runId, signal, onChange } = options;
  const plan = await planModels(options);
  const selected = selectModels(plan, options.only);
  await ensureStateTables(connection);
  await checkReads(connection, selected);
  await dropRemoved(options);
  const { assess, leave } = await assessModels(connection, options.changed, runId);
  const untested: PlannedModel[] = [];
  const again: PlannedModel[] = [];
  const models: ModelReport[] = [];

  for (const planned of plan) {
    signal?.throwIfAborted();
    const { name } = planned.model;
    if (!selected.includes(planned)) {
      leave(planned);
      continue;
    }
    const { build, stamp, former } = await assess(planned);
    if (build.how === 'none') {
      if (former?.looked_at !== stamp.lookedAt) await recordLook(connection, name, stamp.lookedAt);
      models.push({ name, status: 'unchanged', rows: former?.rows ?? null, seconds: 0 });
      if (former?.tested !== true) untested.push(planned);
      else again.push(planned);
      continue;
    }
    const startedAt = performance.now();
    let tries = 0;
    const rows = await withLowerMemory(connection, MEMORY_SHARE, () => {
      if (tries++ > 0) logger.info('model needs all of memory_limit', { stage: 'transform', model: name });
      return buildModel(connection, planned, build, stamp, { signal, onChange });
    });
    const seconds = (performance.now() - startedAt) / 1000;
    untested.push(planned);
    models.push({ name, status: 'built', rows, seconds });
    const pieces = build.how === 'pieces' ? build.changes.behind.length + build.changes.gone.length : 'all';
    logger.info('model built', {
      stage: 'transform',
      model: name,
      reason: build.reason,
      pieces,
      rows,
      seconds,
    });
  }
  const made = new Set(models.filter(({ status }) => status === 'built').map(({ name }) => name));
  for (const planned of again) {
    const tests = planned.tests.filter(({ dependsOnTime }) => dependsOnTime);
    if ([...planned.testedWith].some((name) => made.has(name))) untested.push(planned);
    else if (tests.length > 0) untested.push({ ...planned, tests });
  }
  return { models, tests: await testAll(untested, options) };
}

/** A model may be made by itself only where what it reads is there. */
async function checkReads(connection: Connection, selected: readonly PlannedModel[]): Promise<void> {
  const standing = await martObjects(connection);
  const chosen = new Set(selected.map(({ model }) => model.name));
  for (const { model, models } of selected) {
    const missing = [...models].find((name) => !chosen.has(name) && !standing.has(name));
    if (missing === undefined) continue;
    throw new CrawlhouseError('usage', `${model.name} reads ${missing}, which is not made yet`, {
      hint: `select +${model.name.replace('mart.', '')}: the plus takes what it reads as well`,
    });
  }
}

async function testAll(
  plan: readonly PlannedModel[],
  { connection, runId, signal, logger }: RunModelsOptions,
): Promise<TestReport[]> {
  const reports: TestReport[] = [];
  for (const planned of plan) {
    signal?.throwIfAborted();
    const found = await withLowerMemory(connection, MEMORY_SHARE, () =>
      testModel(connection, planned, runId, signal),
    );
    for (const { model, name, severity, failures } of found.filter((report) => report.status === 'failed')) {
      logger[severity]('data test failed', { model, test: name, failures });
    }
    reports.push(...found);
  }
  return reports;
}

async function dropRemoved({ connection, models, logger, onChange }: RunModelsOptions): Promise<void> {
  const names = new Set(models.map((model) => model.name));
  for (const { name } of await connection.rows<{ name: string }>(
    'SELECT name FROM ops.models ORDER BY name',
  )) {
    if (names.has(name)) continue;
    await dropModel(connection, name, onChange);
    logger.info('model dropped', { model: name });
  }
}
