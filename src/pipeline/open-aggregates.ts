import type { ServiceClient } from '../api/client.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { extractAggregates, RANKING_FILE, RANKING_VALUES } from '../extract/extract-aggregates.ts';
import { writeRecords } from '../extract/write-records.ts';
import type { RankingWindows } from './ranking-windows.ts';
import { declaredFields } from './requested-fields.ts';
import type { Source } from './source.ts';

/**
 * Opens a window of ranking performance: every column that the pipeline declares and that is no metric is a dimension.
 * Its rows came with those of other days, or are asked for alone.
 */
export async function openAggregates(
  client: ServiceClient,
  windows: RankingWindows,
  planned: PlannedUnit,
  folder: string,
  signal: AbortSignal,
): Promise<Source> {
  const { unit, pipeline, oql } = planned;
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
  const shared = await windows.rowsOf(planned, dimensions, signal);
  const request = { projectId: unit.source.id, dimensions, oql };
  const parts = shared
    ? writeRecords([shared], RANKING_FILE, folder)
    : extractAggregates(client, request, folder, signal);
  return { reported: null, catalogue, filter: oql, parts };
}
