import { STATE_ERRORS, section } from './endpoint.ts';
import { AggregateBody, AggregateResponse } from './resources/aggregates.ts';
import { CRAWL_DATA_TYPES, FieldsResponse, GRANULARITIES, LOCAL_DATA_TYPES } from './resources/fields.ts';
import { LogMetadata } from './resources/log-monitoring.ts';
import { ExportBody, ExportQuery, SearchBody, SearchQuery, SearchResponse } from './resources/search.ts';

const { get, post } = section('§4.1', 'projects');
/** Read requests with a body. */
const reading = { scope: 'projects:read', repeatable: true, errors: STATE_ERRORS } as const;
const fields = { response: FieldsResponse, result: 'fields' } as const;

type Values = Readonly<Record<string, readonly string[]>>;

/** Returns the endpoints of a data source; `/aggs` follows its path. */
function rowsOf<const Path extends string>(path: Path, values: Values, what: string) {
  const searched = { query: SearchQuery, body: SearchBody, response: SearchResponse };
  const counted = { body: AggregateBody, response: AggregateResponse };
  const exported = { query: ExportQuery, body: ExportBody, answers: 'file' } as const;
  return {
    search: post(path, `Search ${what}`, { ...reading, values, ...searched }),
    aggregate: post(`${path}/aggs`, `Aggregate ${what}`, { ...reading, values, ...counted }),
    export: post(path, `Export ${what} as a streamed file`, { ...reading, values, ...exported }),
    /**
     * Missing from the specification, and therefore from its list of operations. A service may still support it
     * (spec-notes.md 11).
     */
    fields: get(`${path}/fields`, 'Fields, if the service lists them', {
      values,
      ...fields,
      errors: ['resource_not_found'],
    }),
  };
}

/**
 * The four data sources (api-spec.md §4.1). A granularity is valid only after `pages` of log monitoring (spec-notes.md
 * 9).
 */
const CRAWL_PATH = '/data/crawl/{crawl_id}/{data_type}';
const CRAWL_VALUES = { data_type: CRAWL_DATA_TYPES };
export const CRAWL = {
  ...rowsOf(CRAWL_PATH, CRAWL_VALUES, 'the data of a crawl'),
  fields: get(`${CRAWL_PATH}/fields`, 'Fields of a data type of a crawl', {
    values: CRAWL_VALUES,
    ...fields,
  }),
};
/**
 * For data types that only crawls by the local service have. They are in no specification, and therefore in no list of
 * operations.
 */
export const LOCAL_CRAWL = rowsOf(
  CRAWL_PATH,
  { data_type: LOCAL_DATA_TYPES },
  'the data of a crawl by the local service',
);
export const CRAWL_OVER_CRAWL = rowsOf(
  '/data/crawl_over_crawl/{coc_id}/{data_type}',
  { data_type: ['pages'] },
  'the pages of a crawl over crawl',
);
const LOGS = '/data/project/{project_id}/log_monitoring/{data_type}';
export const LOG_EVENTS = rowsOf(LOGS, { data_type: ['events'] }, 'the events of log monitoring');
export const LOG_PAGES = rowsOf(
  `${LOGS}/{granularity}`,
  { data_type: ['pages'], granularity: GRANULARITIES },
  'the pages of log monitoring',
);

export const GET_LOG_METADATA = get(
  `${LOGS}/metadata`,
  'Properties of log monitoring: dates, bots, search engines, the definition of a week',
  {
    values: { data_type: ['pages', 'events'] },
    response: LogMetadata,
    errors: ['invalid_request_parameters', 'resource_not_found', 'invalid_state_for_request'],
  },
);
