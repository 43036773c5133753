import { CRAWL_DATA_TYPES, type CrawlDataType } from '../api/fields.ts';
import { Oql } from '../api/oql.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Format, Pipeline, Route } from '../model/pipeline.ts';

/** What a command line asks for instead of the pipeline's own words. */
export interface RouteWish {
  readonly route: Route | null;
  readonly format: Format | null;
}

/** How a unit's rows come: a streamed export of a crawl, or a list of resources. */
export type ChosenRoute =
  | {
      readonly route: 'stream';
      readonly format: 'csv' | 'json';
      readonly dataType: CrawlDataType;
      readonly oql: Oql | null;
      readonly reason: string;
    }
  | {
      readonly route: 'list';
      readonly format: 'json';
      readonly list: 'projects' | 'crawls';
      readonly reason: string;
    };

/**
 * The route of a pipeline's units.
 *
 * @throws CrawlhouseError `impossible_route` or `bad_pipeline`, before anything starts
 */
export function chooseRoute(pipeline: Pipeline, wish: RouteWish): ChosenRoute {
  if (pipeline.source.kind === 'resource') return listRoute(pipeline);
  const { dataset } = pipeline;
  const dataType = CRAWL_DATA_TYPES.find((type) => type === pipeline.source.data_type);
  if (pipeline.source.kind !== 'crawl' || !dataType) {
    const source = `${pipeline.source.kind} ${pipeline.source.data_type}`;
    throw impossible(
      dataset,
      `the source ${source} has no route`,
      `crawl ${CRAWL_DATA_TYPES.join(', crawl ')}, resource`,
    );
  }
  const route = wish.route && wish.route !== 'auto' ? wish.route : pipeline.route;
  if (route !== 'auto' && route !== 'stream')
    throw impossible(dataset, `has no route ${route}`, 'auto, stream');
  const format = wish.format && wish.format !== 'auto' ? wish.format : pipeline.format;
  if (format === 'parquet')
    throw impossible(dataset, 'does not come as parquet by the route stream', 'auto, csv, json');
  const oql = filterOf(pipeline);
  return {
    route: 'stream',
    format: format === 'auto' ? 'json' : format,
    dataType,
    oql,
    // JSON tells a number from a text and a list from a lone value; CSV cannot.
    reason:
      format === 'auto' ? 'a streamed export carries every row; JSON keeps types apart' : 'as asked for',
  };
}

function listRoute(pipeline: Pipeline): ChosenRoute {
  const list = pipeline.source.data_type;
  if (list !== 'projects' && list !== 'crawls') {
    throw impossible(pipeline.dataset, `there is no list of ${list}`, 'projects, crawls');
  }
  if (Object.keys(pipeline.columns).length === 0) {
    throw new CrawlhouseError(
      'bad_pipeline',
      `pipelines/${pipeline.dataset}.yaml: a resource declares its columns`,
    );
  }
  return { route: 'list', format: 'json', list, reason: 'resources come as lists' };
}

function filterOf(pipeline: Pipeline): Oql | null {
  if (pipeline.filter === undefined || pipeline.filter === null) return null;
  const filter = Oql.safeParse(pipeline.filter);
  if (filter.success) return filter.data;
  throw new CrawlhouseError('bad_pipeline', `pipelines/${pipeline.dataset}.yaml: filter is not OQL`, {
    hint: 'for example { field: [status_code, equals, 404] }, { and: [...] } or { or: [...] }',
  });
}

function impossible(dataset: string, problem: string, possible: string): CrawlhouseError {
  return new CrawlhouseError('impossible_route', `${dataset}: ${problem}`, { hint: `possible: ${possible}` });
}
