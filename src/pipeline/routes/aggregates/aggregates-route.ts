import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Field } from '../../../project/model/field.ts';
import type { PlannedUnit } from '../../../project/model/planned-unit.ts';
import type { Source } from '../../../project/model/source.ts';
import { declaredFields } from '../describe-rows.ts';
import { writeRecords } from '../download/write-records.ts';
import type { RouteContext, RoutedUnit, RouteKind } from '../route.ts';
import { extractAggregates, RANKING_FILE, RANKING_VALUES, type RankingWindows } from './ranking-windows.ts';

/**
 * A window of ranking performance. Each declared column that is not a metric is a dimension; an optional one only where
 * the service has it. Its rows came with those
 * of other days, or are requested alone (docs/decisions/service.md).
 */
export const AGGREGATES_ROUTE: RouteKind = {
  reason: 'ranking performance comes as aggregates',
  isOnly: true,
  formats: ({ kind }) => (kind === 'ranking_performance' ? ['json'] : []),
  suits: () => true,
  // One aggregate of everything, then the pages.
  requests: () => 2,
  open: openAggregates,
};

/** Needs only a part of what a route gets. */
export async function openAggregates(
  { client, rankings, signal }: Pick<RouteContext, 'client' | 'rankings' | 'signal'>,
  { planned, folder }: Pick<RoutedUnit, 'planned' | 'folder'>,
): Promise<Source> {
  const { unit, pipeline, oql } = planned;
  const fields = await knownFields(rankings, planned, signal);
  const metrics = new Set<string>(RANKING_VALUES.map((value) => value.alias));
  const dimensions = fields.map((field) => field.name).filter((name) => !metrics.has(name));
  if (dimensions.length === 0) {
    throw new CrawlhouseError(
      'bad_pipeline',
      `pipelines/${pipeline.dataset}.yaml: no dimension is declared`,
      {
        hint: 'columns: {date: date, url: string, query: string, device: enum, …}',
      },
    );
  }
  const shared = await rankings.rowsOf(planned, dimensions, signal);
  const request = { projectId: unit.source.id, dimensions, oql };
  const parts = shared
    ? writeRecords([shared], RANKING_FILE, folder)
    : extractAggregates(client, request, folder, signal);
  // A row is made for each set of values of the dimensions.
  return { reported: null, fields, filter: oql, parts, key: dimensions };
}

/** The declared columns, without optional ones that the service does not have. */
async function knownFields(
  rankings: RankingWindows,
  { unit, pipeline }: PlannedUnit,
  signal: AbortSignal,
): Promise<Field[]> {
  const declared = declaredFields(pipeline.columns);
  const optional = Object.entries(pipeline.columns)
    .filter(([, column]) => typeof column !== 'string' && column.optional)
    .map(([name]) => name);
  if (optional.length === 0) return declared;
  const known = await rankings.fieldsOf(unit.source.id, signal);
  return declared.filter(({ name }) => !optional.includes(name) || known.has(name));
}
