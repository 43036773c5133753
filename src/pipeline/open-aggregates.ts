import type { ServiceClient } from '../api/client.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { extractAggregates, RANKING_VALUES } from '../extract/extract-aggregates.ts';
import { declaredFields } from './requested-fields.ts';
import type { Source } from './source.ts';

/** Opens a window of ranking performance: every column that the pipeline declares and that is no metric is a dimension. */
export function openAggregates(
  client: ServiceClient,
  { unit, pipeline, oql }: PlannedUnit,
  folder: string,
  signal: AbortSignal,
): Source {
  const catalogue = declaredFields(pipeline.columns);
  const metrics = new Set<string>(RANKING_VALUES.map((value) => value.alias));
  const dimensions = catalogue.map((field) => field.name).filter((name) => !metrics.has(name));
  if (dimensions.length === 0) {
    throw new CrawlhouseError(
      'bad_pipeline',
      `pipelines/${pipeline.dataset}.yaml: no dimension is declared`,
      {
        hint: 'columns: {date: date, url: string, query: string, device: enum, …}',
      },
    );
  }
  const request = { projectId: unit.source.id, dimensions, oql };
  return {
    reported: null,
    catalogue,
    filter: oql,
    parts: extractAggregates(client, request, folder, signal),
  };
}
