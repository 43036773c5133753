import type { Oql } from '../../../client/oql/oql.ts';
import { OqlError, parseOql } from '../../../client/oql/parse-oql.ts';
import type { DataSource } from '../../../client/resources/data-source.ts';
import type { CrawlDataType, Granularity } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { Pipeline } from './pipeline.ts';
import type { Unit } from './unit.ts';

/** Returns where a unit's rows are searched and exported; null for lists and aggregates. */
export function dataSourceOf(pipeline: Pipeline, unit: Unit): DataSource | null {
  const { kind, data_type } = pipeline.source;
  const { id } = unit.source;
  switch (kind) {
    case 'crawl':
      return data_type === 'fields' ? null : { kind, id, dataType: data_type as CrawlDataType };
    case 'crawl_over_crawl':
      return { kind, id };
    case 'log_monitoring':
      return data_type === 'events'
        ? { kind: 'log_events', projectId: id }
        : { kind: 'log_pages', projectId: id, granularity: granularityOf(pipeline) };
    default:
      return null;
  }
}

/** Returns the granularity of log pages, which is that of their windows. */
function granularityOf({ dataset, window }: Pipeline): Granularity {
  if (window !== null) return `${window}s`;
  throw new CrawlhouseError('bad_pipeline', `pipelines/${dataset}.yaml: log pages need a window`, {
    hint: 'window: day, week or month',
  });
}

/** An example of a filter. */
export const OQL_HINT =
  'for example { field: [status_code, equals, 404] }, { and: [...] } or { or: [...] }; docs/client.md#filters has more';

/** @throws CrawlhouseError `bad_pipeline` when a pipeline's filter is not OQL */
export function pipelineFilter(pipeline: Pipeline): Oql | null {
  if (pipeline.filter === undefined || pipeline.filter === null) return null;
  try {
    return parseOql(pipeline.filter, { root: 'filter' });
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    throw new CrawlhouseError('bad_pipeline', `pipelines/${pipeline.dataset}.yaml: ${error.message}`, {
      hint: OQL_HINT,
    });
  }
}

/**
 * Returns the filter and fields of a pipeline as JSON. Pipelines that request the same have equal definitions, in any
 * order.
 */
export function pipelineDefinition(pipeline: Pipeline): string {
  const { include, exclude } = pipeline.fields;
  const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
  return stringifyJson({
    filter: pipelineFilter(pipeline),
    fields: { include: sorted(include), exclude: sorted(exclude) },
  });
}
