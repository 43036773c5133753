import type { Connection } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { ModelsReport, RunModelsOptions } from '../../../src/pipeline/transform/build/run-models.ts';
import { runModels } from '../../support/run-models.ts';
import { loadFiles, type ModelText, modelText } from './model-files.ts';

/** Runs models that are given as texts, by the name after `mart.`. */
export async function runTexts(
  connection: Connection,
  models: Readonly<Record<string, ModelText>>,
  changed: readonly string[] | 'all' = [],
  more: Partial<RunModelsOptions> = {},
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
