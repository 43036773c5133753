import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as data from '../../../client/data-endpoints.ts';
import {
  CRAWL_DATA_TYPES,
  type CrawlDataType,
  type Granularity,
  LOCAL_DATA_TYPES,
} from '../../../client/resources/fields.ts';
import { type ExportFileType, SEARCH_CEILING } from '../../../client/resources/search.ts';
import { aggregateRows } from '../../aggregates/aggregate-rows.ts';
import { planAggregate } from '../../aggregates/plan-aggregate.ts';
import {
  datasetOf,
  find,
  refuseUnlessReported,
  requireFeature,
  requireLogMonitoring,
} from '../../resources/find.ts';
import { invalidParameter, notFound, Refusal, wrongState } from '../../resources/refusal.ts';
import type { Resources, StoredDataset } from '../../resources/resources.ts';
import { checkPatterns, datasetQuery } from '../../rows/dataset-query.ts';
import { exportLines, searchRows } from '../../rows/export-lines.ts';
import { exchangeOf } from '../exchange.ts';
import { type Context, type EndpointCall, serve } from '../serve.ts';

const SEARCH_LIMIT = 10;

/** The data types of the specification, and the additional ones of website crawls. */
const CRAWL_VALUES = { data_type: [...CRAWL_DATA_TYPES, ...LOCAL_DATA_TYPES] };
const LOCAL_CRAWL = {
  search: { ...data.CRAWL.search, values: CRAWL_VALUES },
  aggregate: { ...data.CRAWL.aggregate, values: CRAWL_VALUES },
  export: { ...data.CRAWL.export, values: CRAWL_VALUES },
};

/** The endpoints of one of the four data sources, which differ only in their paths. */
type RowEndpoints = typeof data.LOG_EVENTS;
/** Parameters of a path, checked by the endpoint's definition. */
type Parameters = Readonly<Record<string, string>>;

/**
 * Registers the fields of a crawl, and search, aggregates and streamed export of all four sources of rows (api-spec.md
 * §4.1).
 */
export function dataRoutes(api: FastifyInstance, context: Context): void {
  const { resources, clock } = context;
  const comparedPages: typeof crawlOverCrawlSource = (_, parameters) => {
    const source = crawlOverCrawlSource(resources, parameters);
    const comparison = find(resources, 'crawl_over_crawls', String(parameters.coc_id));
    resources.put('crawl_over_crawls', '', { ...comparison, last_data_accessed_at: clock.now() });
    return source;
  };

  serve(api, { ...data.CRAWL.fields, values: CRAWL_VALUES }, ({ parameters }) => {
    const crawl = find(resources, 'crawls', parameters.crawl_id);
    const { columns } = crawlDataset(resources, crawl.id, parameters.data_type as CrawlDataType);
    return { fields: columns.map((column) => column.field) };
  });

  for (const [endpoints, sourceOf] of [
    [LOCAL_CRAWL, crawlSource],
    [data.CRAWL_OVER_CRAWL, comparedPages],
    [data.LOG_EVENTS, logEventsSource],
    [data.LOG_PAGES, logPagesSource],
  ] as const) {
    const { search, aggregate, export: exported } = endpoints as RowEndpoints;
    serve(api, search, (call) => sendSearch(call, context, sourceOf(resources, call.parameters)));
    serve(api, aggregate, (call) => sendAggregates(call, context, sourceOf(resources, call.parameters)));
    serve(api, exported, (call) => sendExport(call, context, sourceOf(resources, call.parameters)));
  }
}

/** Rows that can be read now, and the name of their file. */
interface ReadableRows {
  readonly dataset: StoredDataset;
  readonly name: string;
}

/**
 * Returns the rows of a finished crawl that has a report.
 *
 * @throws Refusal `resource_not_found` or `invalid_state_for_request`, as the other sources do
 */
function crawlSource(
  resources: Resources,
  { crawl_id = '', data_type: dataType = '' }: Parameters,
): ReadableRows {
  const crawl = find(resources, 'crawls', crawl_id);
  refuseUnlessReported(crawl, dataType as CrawlDataType);
  return {
    dataset: crawlDataset(resources, crawl.id, dataType as CrawlDataType),
    name: `${dataType}-${crawl.id}`,
  };
}

/** @throws Refusal `resource_not_found` for a data type that only crawls of websites have, of another crawl */
function crawlDataset(resources: Resources, crawlId: string, dataType: CrawlDataType): StoredDataset {
  const isLocal = LOCAL_DATA_TYPES.some((one) => one === dataType);
  if (isLocal && resources.dataset(crawlId, dataType) === undefined)
    throw notFound(`the data type ${dataType} of the crawl ${crawlId}`);
  return datasetOf(resources, crawlId, dataType);
}

/**
 * Returns the compared pages of a finished crawl over crawl without conflicting URLs.
 *
 * @throws Refusal also `forbidden`, if the project lacks the feature, as the sources of log monitoring do
 */
function crawlOverCrawlSource(resources: Resources, { coc_id = '' }: Parameters): ReadableRows {
  const comparison = find(resources, 'crawl_over_crawls', coc_id);
  const { id, status, end_reason: reason } = comparison;
  requireFeature(resources, find(resources, 'projects', String(comparison.project_id)), 'crawl_over_crawl');
  if (status !== 'done') throw wrongState(`the crawl over crawl ${id} is ${status}, not done`);
  if (reason === 'conflicting_urls') throw wrongState(`the crawl over crawl ${id} ended with ${reason}`);
  return {
    dataset: datasetOf(resources, id, 'crawl_over_crawl_pages'),
    name: `crawl-over-crawl-pages-${id}`,
  };
}

function logEventsSource(resources: Resources, { project_id = '' }: Parameters): ReadableRows {
  const project = requireLogMonitoring(resources, project_id);
  return { dataset: datasetOf(resources, project.id, 'events'), name: `events-${project.id}` };
}

/** Returns the pages of log monitoring, by day, week or month. */
function logPagesSource(
  resources: Resources,
  { project_id = '', granularity: by = '' }: Parameters,
): ReadableRows {
  const project = requireLogMonitoring(resources, project_id);
  return {
    dataset: datasetOf(resources, project.id, `log_pages_${by as Granularity}`),
    name: `log-pages-${by}-${project.id}`,
  };
}

/** Answers aggregates, one table each. All are checked before the first is computed (api-spec.md §4.1). */
async function sendAggregates(
  { request, reply, body }: EndpointCall<RowEndpoints['aggregate']>,
  { rows }: Context,
  { dataset }: ReadableRows,
): Promise<FastifyReply> {
  const plans = body.aggs.map((query, index) => planAggregate(dataset, query, `aggs[${index}]`));
  const aggs = await rows.use(async (connection) => {
    const done: string[] = [];
    for (const plan of plans) done.push(await aggregateRows(connection, dataset, plan));
    return done;
  }, exchangeOf(request)?.closed);
  return reply.type('application/json; charset=utf-8').send(`{"aggs":[${aggs.join(',')}]}`);
}

/** Answers a search: a page of rows, at most up to the ceiling (api-spec.md §8). */
async function sendSearch(
  { request, reply, body }: EndpointCall<RowEndpoints['search']>,
  { rows }: Context,
  { dataset }: ReadableRows,
): Promise<FastifyReply> {
  const { offset = 0, limit = SEARCH_LIMIT } = body;
  if (offset + limit > SEARCH_CEILING) {
    const asked = `offset ${offset} + limit ${limit}`;
    throw new Refusal('invalid_request', `${asked} is beyond ${SEARCH_CEILING} results: use an export`);
  }
  const query = datasetQuery(dataset, body);
  const text = await rows.use(async (connection) => {
    await checkPatterns(connection, query.condition);
    return searchRows(connection, query, { offset, limit });
  }, exchangeOf(request)?.closed);
  return reply.type('application/json; charset=utf-8').send(text);
}

const CONTENT_TYPES: Readonly<Record<ExportFileType, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/x-ndjson; charset=utf-8',
};

/** Streams an export. The response begins when the first bytes are available; a later error cuts the connection. */
async function sendExport(
  { request, reply, query: { file_type }, body }: EndpointCall<RowEndpoints['export']>,
  { rows }: Context,
  { dataset, name }: ReadableRows,
): Promise<FastifyReply> {
  const fileType = fileTypeOf(file_type, body.file_type);
  const query = datasetQuery(dataset, body);
  await rows.use((connection) => checkPatterns(connection, query.condition));
  const { closed, lines: changed } = exchangeOf(request) ?? {};
  const lines = rows.stream(
    (connection) => {
      const options = {
        fileType,
        limit: body.limit,
        offset: body.offset,
        reordered: changed?.reordered === true,
      };
      const exported = exportLines(connection, query, options);
      return changed?.altered(exported, fileType === 'csv') ?? exported;
    },
    closed,
    query.columns.length,
  );
  // The client has gone: drop the unread rows.
  closed?.addEventListener('abort', () => void lines.return(undefined).catch(() => {}), { once: true });
  const bytes = await primed(lines);
  const extension = fileType === 'csv' ? 'csv' : 'jsonl';
  reply
    .header('content-disposition', `attachment; filename="${name}.${extension}"`)
    .type(CONTENT_TYPES[fileType]);
  reply.header('vary', 'accept-encoding');
  const zips = acceptsGzip(request.headers['accept-encoding']);
  if (zips) reply.header('content-encoding', 'gzip');
  return reply.send(Readable.from(zips ? gzipped(bytes) : bytes, { objectMode: false }));
}

/** Returns the requested file type. Clients send it in the query, in the body or in both (wire-facts.md). */
function fileTypeOf(inQuery: ExportFileType | undefined, inBody: ExportFileType | undefined): ExportFileType {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw invalidParameter('file_type', 'conflict', `is ${inQuery} in the query and ${inBody} in the body`);
  return inQuery ?? inBody ?? 'csv';
}

/** Waits for the first item, so that an earlier error is still thrown here. */
async function primed<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  let first: IteratorResult<T> | undefined = await source.next();
  const next = async (): Promise<IteratorResult<T>> => {
    if (first === undefined) return source.next();
    const item = first;
    first = undefined;
    return item;
  };
  // Not a generator: one that never began would not pass `return` to its source.
  return Object.assign(Object.create(source), { next, return: () => source.return(undefined) });
}

/** Returns whether an Accept-Encoding header allows gzip; without the header it is not allowed. */
function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  const weights = new Map(
    String(header ?? '')
      .split(',')
      .map((part): [string, number] => {
        const [coding = '', ...parameters] = part
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/);
        const weight = parameters.find((parameter) => parameter.startsWith('q='));
        return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
      }),
  );
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}

/** Returns the bytes as one gzip member. Level 1, because a local server needs speed more than small responses. */
async function* gzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  // An error of the source destroys the gzip stream, which then throws below.
  pipeline(Readable.from(body, { objectMode: false }), gzip, () => {});
  for await (const piece of gzip) yield piece as Buffer;
}
