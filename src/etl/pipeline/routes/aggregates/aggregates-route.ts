import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Download } from '../../../project/model/download.ts';
import type { Field } from '../../../project/model/field.ts';
import type { Task } from '../../../project/model/task.ts';
import { declaredFields } from '../describe-rows.ts';
import { writeRecords } from '../download/write-records.ts';
import type { RouteContext, RouteKind, RouteRequest } from '../route.ts';
import { extractAggregates, RANKING_FILE, RANKING_VALUES, type RankingWindows } from './ranking-windows.ts';

/**
 * A window of ranking performance. Each declared column that is not a metric is a dimension; an optional column only if
 * the service has it. The rows are requested together with those of other days, or separately
 * (docs/decisions/service.md).
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

/** Opens aggregates. Uses only some of a route's inputs. */
export async function openAggregates(
  { client, rankings, signal }: Pick<RouteContext, 'client' | 'rankings' | 'signal'>,
  { task, folder }: Pick<RouteRequest, 'task' | 'folder'>,
): Promise<Download> {
  const { unit, pipeline, oql } = task;
  const fields = await knownFields(rankings, task, signal);
  const metrics = new Set<string>(RANKING_VALUES.map((value) => value.alias));
  const dimensions = fields.map((field) => field.name).filter((name) => !metrics.has(name));
  if (dimensions.length === 0) {
    throw new CrawlhouseError(
      'bad_pipeline',
      `pipelines/${pipeline.dataset}.yaml: no dimension is declared`,
      {
        hint: 'declare dimensions, such as columns: {date: date, url: string, query: string, device: enum, …}',
      },
    );
  }
  const shared = await rankings.rowsOf(task, dimensions, signal);
  const request = { projectId: unit.source.id, dimensions, oql };
  const parts = shared
    ? writeRecords([shared], RANKING_FILE, folder)
    : extractAggregates(client, request, folder, signal);
  // There is a row for each set of values of the dimensions.
  return { reported: null, fields, filter: oql, parts, key: dimensions };
}

/** Returns the declared columns, without optional ones that the service lacks. */
async function knownFields(
  rankings: RankingWindows,
  { unit, pipeline }: Task,
  signal: AbortSignal,
): Promise<Field[]> {
  const declared = declaredFields(pipeline.columns);
  const optional = Object.entries(pipeline.columns)
    .filter(([, column]) => typeof column !== 'string' && column.optional)
    .map(([name]) => name);
  if (optional.length === 0) return declared;
  const present = await rankings.fieldsOf(unit.source.id, signal);
  return declared.filter(({ name }) => !optional.includes(name) || present.has(name));
}
