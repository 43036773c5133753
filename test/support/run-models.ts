import { DuckDbModels } from '../../src/etl/engines/duckdb/duckdb-models.ts';
import {
  type MakeModelsOptions,
  type ModelsReport,
  makeModels,
} from '../../src/etl/pipeline/transform/build/make-models.ts';

/**
 * Makes and tests models, by default in DuckDB.
 *
 * @throws CrawlhouseError `bad_model`, also for a model that failed because of the values that it reads
 */
export async function runModels(
  options: Omit<MakeModelsOptions, 'engine'> & Partial<Pick<MakeModelsOptions, 'engine'>>,
): Promise<ModelsReport> {
  const engine = options.engine ?? new DuckDbModels(options.connection);
  const { models, tests, broken } = await makeModels({ ...options, engine });
  for (const error of broken.values()) throw error;
  return { models, tests };
}
