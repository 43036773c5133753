import type { Connection } from '../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import type {
  MakeModelsOptions,
  ModelsReport,
} from '../../../../src/etl/pipeline/transform/build/make-models.ts';
import { runModels } from '../../../support/run-models.ts';
import { loadFiles, type ModelText, modelText } from './model-files.ts';

/** Runs models that are given as texts, by the name after `mart.`. */
export async function runTexts(
  connection: Connection,
  models: Readonly<Record<string, ModelText>>,
  changed: readonly string[] | 'all' = [],
  more: Partial<MakeModelsOptions> = {},
): Promise<ModelsReport> {
  const files = Object.entries(models).map(([name, model]) => [`m/${name}.sql`, modelText(name, model)]);
  return runModels({
    connection,
    models: await loadFiles(Object.fromEntries(files)),
    changed: changed === 'all' ? 'all' : new Set(changed),
    logger: silentLogger,
    runId: 'run',
    ...more,
  });
}

export function statuses({ models }: ModelsReport): object {
  return Object.fromEntries(models.map(({ name, status }) => [name, status]));
}
