import type { ListName } from '../model/listed.ts';
import type { Pipeline } from '../model/pipeline.ts';

/** The pipeline that loads a list itself, if one does. */
export function listPipeline(pipelines: readonly Pipeline[], list: ListName): Pipeline | undefined {
  return pipelines.find(({ source }) => source.kind === 'resource' && source.data_type === list);
}
