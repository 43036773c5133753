import type { ListName } from '../../project/model/listed.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';

/** The pipeline that loads a list itself, if one does. */
export function listPipeline(pipelines: readonly Pipeline[], list: ListName): Pipeline | undefined {
  return pipelines.find(({ source }) => source.kind === 'resource' && source.data_type === list);
}
