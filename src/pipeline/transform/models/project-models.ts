import type { Settings } from '../../../project/settings/settings.ts';
import { loadModels } from './load-models.ts';
import type { Model } from './model.ts';
import { sqlFolders } from './sql-folders.ts';

/** The models of a project, as the engine of its warehouse keeps them. */
export async function projectModels(settings: Settings): Promise<Model[]> {
  const models = await loadModels(sqlFolders(settings));
  if (!settings.trino) return models;
  return models.map((model) => (model.onTrino ? { ...model, kind: model.onTrino } : model));
}
