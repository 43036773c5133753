import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { nothingPublished } from '../../../../core/errors/errors.ts';
import type { ModelQueries } from '../../../engines/model-engine.ts';
import { openEngine } from '../../../engines/open-engine.ts';
import { type ModelSettings, projectModels } from '../../../engines/project-models.ts';
import type { TestReport } from '../../../project/model/runs/unit-report.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { planModels } from '../../../project/sql/plan/plan-models.ts';
import { selectModels } from '../../../project/sql/plan/select-models.ts';
import { martObjects } from '../../../state/catalog/catalog.ts';
import { readPublished } from '../../../state/catalog/published/read-published.ts';
import { compileQuestions, type QuestionSettings } from './compile-questions.ts';
import { countFailures } from './test-model.ts';

interface TestModelsOptions {
  /** A connection to the warehouse (`USE`), which may be read-only because nothing is written. */
  readonly connection: Connection;
  /** Answers the tests; by default the connection. */
  readonly queries?: ModelQueries;
  readonly models: readonly Model[];
  /** The models to test, as `selectModels` reads them; all by default. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Runs the data tests of the models on the published warehouse, after checking that the saved questions compile there.
 * Writes nothing, and can be used during a run.
 *
 * @throws CrawlhouseError `nothing_published`, or `bad_model` for a broken question with its file and line
 */
export async function testPublished(
  settings: QuestionSettings & ModelSettings,
  names: readonly string[],
  signal: AbortSignal,
): Promise<TestReport[]> {
  const models = await projectModels(settings);
  await compileQuestions(settings, models);
  const engine = await openEngine(settings.engine);
  const reports = await readPublished(settings, async (connection) => {
    await using published = await engine.openQueries(connection);
    return await testModels({ connection, models, only: names, signal, queries: published.queries });
  });
  if (reports) return reports;
  throw nothingPublished(settings.warehouse);
}

/** Runs the data tests of the existing models, without building any. */
export async function testModels(options: TestModelsOptions): Promise<TestReport[]> {
  const { connection, queries = connection, only, signal } = options;
  const selected = selectModels(await planModels(options), only);
  const objects = await martObjects(connection);
  const reports: TestReport[] = [];
  for (const planned of selected) {
    if (objects.has(planned.model.name)) reports.push(...(await countFailures(queries, planned, { signal })));
  }
  return reports;
}
