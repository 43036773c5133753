import { CrawlhouseError } from '../../core/errors/errors.ts';
import { stringifyJson } from '../../core/text/json.ts';
import type { Oql } from '../../service/api/oql/oql.ts';
import { OqlError, parseOql } from '../../service/api/oql/parse-oql.ts';
import type { DataSource } from '../../service/api/resources/data-source.ts';
import type { CrawlDataType, Granularity } from '../../service/api/resources/fields.ts';
import type { Pipeline } from './pipeline.ts';
import type { Unit } from './unit.ts';

/** Where a unit's rows are searched in and exported from; null for what comes as a list or as aggregates. */
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

/** Log pages come by the span of their windows. */
function granularityOf({ dataset, window }: Pipeline): Granularity {
  if (window !== null) return `${window}s`;
  throw new CrawlhouseError('bad_pipeline', `pipelines/${dataset}.yaml: log pages need a window`, {
    hint: 'window: day, week or month',
  });
}

/** What a filter looks like. */
export const OQL_HINT =
  'for example { field: [status_code, equals, 404] }, { and: [...] } or { or: [...] }; docs/client.md#filters has more';

/** @throws CrawlhouseError `bad_pipeline` when a pipeline's filter is no OQL */
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

/** The filter and fields of a pipeline as JSON. Two that ask for the same are equal, in whatever order they name it. */
export function pipelineDefinition(pipeline: Pipeline): string {
  const { include, exclude } = pipeline.fields;
  const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
  return stringifyJson({
    filter: pipelineFilter(pipeline),
    fields: { include: sorted(include), exclude: sorted(exclude) },
  });
}
