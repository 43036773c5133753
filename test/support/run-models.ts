import { DuckDbModels } from '../../src/engines/duckdb/duckdb-models.ts';
import {
  type ModelsReport,
  makeModels,
  type RunModelsOptions,
} from '../../src/pipeline/transform/build/run-models.ts';

/**
 * Makes and tests models, by default in DuckDB.
 *
 * @throws CrawlhouseError `bad_model`, also for a model that failed because of the values that it reads
 */
export async function runModels(
  options: Omit<RunModelsOptions, 'engine'> & Partial<Pick<RunModelsOptions, 'engine'>>,
): Promise<ModelsReport> {
  const engine = options.engine ?? new DuckDbModels(options.connection);
  const { models, tests, broken } = await makeModels({ ...options, engine });
  for (const error of broken.values()) throw error;
  return { models, tests };
}
