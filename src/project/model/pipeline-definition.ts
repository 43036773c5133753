import { stringifyJson } from '../../core/text/json.ts';
import type { Pipeline } from './pipeline.ts';
import { pipelineFilter } from './unit-source.ts';

/** The filter and fields of a pipeline as JSON. Two that ask for the same are equal, in whatever order they name it. */
export function pipelineDefinition(pipeline: Pipeline): string {
  const { include, exclude } = pipeline.fields;
  const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
  return stringifyJson({
    filter: pipelineFilter(pipeline),
    fields: { include: sorted(include), exclude: sorted(exclude) },
  });
}
