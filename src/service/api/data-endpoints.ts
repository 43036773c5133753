import { AggregateBody, AggregateResponse } from './aggregates.ts';
import { endpoint } from './endpoint.ts';
import { CRAWL_DATA_TYPES, FieldsResponse, GRANULARITIES } from './fields.ts';
import { LogMetadata } from './log-monitoring.ts';
import { NoQuery } from './pagination.ts';
import { ExportBody, ExportQuery, SearchBody, SearchQuery, SearchResponse } from './search.ts';

/**
 * The four places that data is read from (api-spec.md §4.1). Granularity has a place only behind `pages` of log
 * monitoring, `/aggs` and the export come behind it (spec-notes.md 9).
 */
const CRAWL = '/data/crawl/{crawl_id}/{data_type}';
const CRAWL_OVER_CRAWL = '/data/crawl_over_crawl/{coc_id}/{data_type}';
const LOG_EVENTS = '/data/project/{project_id}/log_monitoring/{data_type}';
const LOG_PAGES = '/data/project/{project_id}/log_monitoring/{data_type}/{granularity}';

const CRAWL_VALUES = { data_type: CRAWL_DATA_TYPES };
const CRAWL_OVER_CRAWL_VALUES = { data_type: ['pages'] };
const LOG_EVENT_VALUES = { data_type: ['events'] };
const LOG_PAGE_VALUES = { data_type: ['pages'], granularity: GRANULARITIES };

const common = { scope: 'projects:read', source: '§4.1', repeatable: true } as const;
const READING_ERRORS = [
  'invalid_request',
  'invalid_request_parameters',
  'resource_not_found',
  'invalid_state_for_request',
] as const;

function search<const Path extends string>(
  path: Path,
  values: Readonly<Record<string, readonly string[]>>,
  what: string,
) {
  return endpoint({
    ...common,
    method: 'POST',
    path,
    values,
    summary: `Search ${what}`,
    query: SearchQuery,
    body: SearchBody,
    answers: 'json',
    response: SearchResponse,
    errors: READING_ERRORS,
  });
}

function unspecifiedFields<const Path extends string>(
  path: Path,
  values: Readonly<Record<string, readonly string[]>>,
) {
  return endpoint({
    ...common,
    method: 'GET',
    path: `${path}/fields`,
    values,
    summary: 'Fields, if the service lists them',
    query: NoQuery,
    answers: 'json',
    response: FieldsResponse,
    result: 'fields',
    errors: ['resource_not_found'],
  });
}

function exported<const Path extends string>(
  path: Path,
  values: Readonly<Record<string, readonly string[]>>,
  what: string,
) {
  return endpoint({
    ...common,
    method: 'POST',
    path,
    values,
    summary: `Export ${what} as a streamed file`,
    query: ExportQuery,
    body: ExportBody,
    answers: 'file',
    errors: READING_ERRORS,
  });
}

function aggregated<const Path extends string>(
  path: Path,
  values: Readonly<Record<string, readonly string[]>>,
  what: string,
) {
  return endpoint({
    ...common,
    method: 'POST',
    path: `${path}/aggs`,
    values,
    summary: `Aggregate ${what}`,
    query: NoQuery,
    body: AggregateBody,
    answers: 'json',
    response: AggregateResponse,
    errors: READING_ERRORS,
  });
}

export const GET_CRAWL_FIELDS = endpoint({
  ...common,
  method: 'GET',
  path: `${CRAWL}/fields`,
  values: CRAWL_VALUES,
  summary: 'Fields of a data type of a crawl',
  query: NoQuery,
  answers: 'json',
  response: FieldsResponse,
  result: 'fields',
  errors: ['invalid_request_parameters', 'resource_not_found'],
});

/** Not of the specification, and so in no list of its operations: a service may answer all the same (spec-notes.md 11). */
export const GET_CRAWL_OVER_CRAWL_FIELDS = unspecifiedFields(CRAWL_OVER_CRAWL, CRAWL_OVER_CRAWL_VALUES);
export const GET_LOG_EVENT_FIELDS = unspecifiedFields(LOG_EVENTS, LOG_EVENT_VALUES);
export const GET_LOG_PAGE_FIELDS = unspecifiedFields(LOG_PAGES, LOG_PAGE_VALUES);

export const GET_LOG_METADATA = endpoint({
  ...common,
  method: 'GET',
  path: `${LOG_EVENTS}/metadata`,
  values: { data_type: ['pages', 'events'] },
  summary: 'What log monitoring holds: dates, bots, search engines, the definition of a week',
  query: NoQuery,
  answers: 'json',
  response: LogMetadata,
  errors: ['invalid_request_parameters', 'resource_not_found', 'invalid_state_for_request'],
});

export const SEARCH_CRAWL = search(CRAWL, CRAWL_VALUES, 'the data of a crawl');
export const SEARCH_CRAWL_OVER_CRAWL = search(
  CRAWL_OVER_CRAWL,
  CRAWL_OVER_CRAWL_VALUES,
  'the pages of a crawl over crawl',
);
export const SEARCH_LOG_EVENTS = search(LOG_EVENTS, LOG_EVENT_VALUES, 'the events of log monitoring');
export const SEARCH_LOG_PAGES = search(LOG_PAGES, LOG_PAGE_VALUES, 'the pages of log monitoring');

export const AGGREGATE_CRAWL = aggregated(CRAWL, CRAWL_VALUES, 'the data of a crawl');
export const AGGREGATE_CRAWL_OVER_CRAWL = aggregated(
  CRAWL_OVER_CRAWL,
  CRAWL_OVER_CRAWL_VALUES,
  'the pages of a crawl over crawl',
);
export const AGGREGATE_LOG_EVENTS = aggregated(LOG_EVENTS, LOG_EVENT_VALUES, 'the events of log monitoring');
export const AGGREGATE_LOG_PAGES = aggregated(LOG_PAGES, LOG_PAGE_VALUES, 'the pages of log monitoring');

export const EXPORT_CRAWL = exported(CRAWL, CRAWL_VALUES, 'the data of a crawl');
export const EXPORT_CRAWL_OVER_CRAWL = exported(
  CRAWL_OVER_CRAWL,
  CRAWL_OVER_CRAWL_VALUES,
  'the pages of a crawl over crawl',
);
export const EXPORT_LOG_EVENTS = exported(LOG_EVENTS, LOG_EVENT_VALUES, 'the events of log monitoring');
export const EXPORT_LOG_PAGES = exported(LOG_PAGES, LOG_PAGE_VALUES, 'the pages of log monitoring');
