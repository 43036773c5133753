import type { Settings } from '../project/settings/settings.ts';
import { loadModels } from '../project/sql/models/load-models.ts';
import type { Model } from '../project/sql/models/model.ts';
import { sqlFolders } from '../project/sql/models/sql-folders.ts';
import { isInCatalogue } from './registry.ts';

/** The models of a project, as the engine of its warehouse keeps them. */
export async function projectModels(settings: Settings): Promise<Model[]> {
  const models = await loadModels(sqlFolders(settings));
  if (isInCatalogue(settings)) return models;
  return models.map((model) => (model.elsewhere ? { ...model, kind: model.elsewhere } : model));
}
