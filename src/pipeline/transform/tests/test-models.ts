import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { ModelQueries } from '../../../engines/model-engine.ts';
import type { TestReport } from '../../../project/model/report.ts';
import type { Model } from '../../../project/sql/models/model.ts';
import { planModels } from '../../../project/sql/plan/plan-models.ts';
import { selectModels } from '../../../project/sql/plan/select-models.ts';
import { martObjects } from '../../../state/catalogue/catalog.ts';
import { countFailures } from './test-model.ts';

export interface TestModelsOptions {
  /** On the warehouse (`USE`), which may be read-only: nothing is written. */
  readonly connection: Connection;
  /** Answers the tests; absent: the connection. */
  readonly queries?: ModelQueries;
  readonly models: readonly Model[];
  /** The models to test, as `selectModels` reads them; all when absent. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Runs the data tests of the models that are built, as they stand. */
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
