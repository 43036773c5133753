import type { EngineAddress } from '../project/settings/settings.ts';
import { loadModels } from '../project/sql/models/load-models.ts';
import type { Model } from '../project/sql/models/model.ts';
import { type SqlSettings, sqlFolders } from '../project/sql/models/sql-folders.ts';
import { isInCatalog } from './registry.ts';

export interface ModelSettings extends SqlSettings {
  readonly engine: EngineAddress;
}

/** Returns the models of a project, as the engine of its warehouse stores them. */
export async function projectModels(settings: ModelSettings): Promise<Model[]> {
  const models = await loadModels(sqlFolders(settings));
  if (isInCatalog(settings)) return models;
  return models.map((model) => (model.materialize ? { ...model, kind: model.materialize } : model));
}
