import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as data from '../../../api/data-endpoints.ts';
import type { AggregateBody } from '../../../api/resources/aggregates.ts';
import type { CrawlDataType } from '../../../api/resources/fields.ts';
import {
  type ExportBody,
  type ExportFileType,
  SEARCH_CEILING,
  type SearchBody,
} from '../../../api/resources/search.ts';
import { aggregateRows } from '../../aggregates/aggregate-rows.ts';
import { planAggregate } from '../../aggregates/plan-aggregate.ts';
import { datasetOf, find } from '../../resources/find.ts';
import { invalidParameter, Refusal } from '../../resources/refusal.ts';
import { checkPatterns, datasetQuery } from '../../rows/dataset-query.ts';
import { exportLines, searchRows } from '../../rows/export-lines.ts';
import {
  crawlOverCrawlSource,
  crawlSource,
  logEventsSource,
  logPagesSource,
  type ReadableRows,
} from '../data-source.ts';
import { exchangeOf } from '../exchange.ts';
import { type Context, serve } from '../serve.ts';

const SEARCH_LIMIT = 10;

interface SearchCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: SearchBody;
}

interface AggregatesCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: AggregateBody;
}

/** Fields of a crawl; search, aggregates and streamed export of all four sources of rows (api-spec.md §4.1). */
export function dataRoutes(api: FastifyInstance, context: Context): void {
  const { resources, clock } = context;
  const comparisonData = (parameters: { readonly coc_id: string }): ReadableRows => {
    const source = crawlOverCrawlSource(resources, parameters);
    const comparison = find(resources, 'crawl_over_crawls', parameters.coc_id);
    resources.put('crawl_over_crawls', '', { ...comparison, last_data_accessed_at: clock.now() });
    return source;
  };

  serve(api, data.CRAWL.fields, ({ parameters }) => {
    const crawl = find(resources, 'crawls', parameters.crawl_id);
    const { columns } = datasetOf(resources, crawl.id, parameters.data_type as CrawlDataType);
    return { fields: columns.map((column) => column.field) };
  });

  serve(api, data.CRAWL.search, (call) => sendSearch(call, context, crawlSource(resources, call.parameters)));
  serve(api, data.CRAWL_OVER_CRAWL.search, (call) =>
    sendSearch(call, context, comparisonData(call.parameters)),
  );
  serve(api, data.LOG_EVENTS.search, (call) =>
    sendSearch(call, context, logEventsSource(resources, call.parameters)),
  );
  serve(api, data.LOG_PAGES.search, (call) =>
    sendSearch(call, context, logPagesSource(resources, call.parameters)),
  );

  serve(api, data.CRAWL.aggregate, (call) =>
    sendAggregates(call, context, crawlSource(resources, call.parameters)),
  );
  serve(api, data.CRAWL_OVER_CRAWL.aggregate, (call) =>
    sendAggregates(call, context, comparisonData(call.parameters)),
  );
  serve(api, data.LOG_EVENTS.aggregate, (call) =>
    sendAggregates(call, context, logEventsSource(resources, call.parameters)),
  );
  serve(api, data.LOG_PAGES.aggregate, (call) =>
    sendAggregates(call, context, logPagesSource(resources, call.parameters)),
  );

  serve(api, data.CRAWL.export, (call) => sendExport(call, context, crawlSource(resources, call.parameters)));
  serve(api, data.CRAWL_OVER_CRAWL.export, (call) =>
    sendExport(call, context, comparisonData(call.parameters)),
  );
  serve(api, data.LOG_EVENTS.export, (call) =>
    sendExport(call, context, logEventsSource(resources, call.parameters)),
  );
  serve(api, data.LOG_PAGES.export, (call) =>
    sendExport(call, context, logPagesSource(resources, call.parameters)),
  );
}

/** Answers aggregates, a table each; all are checked before the first is made (api-spec.md §4.1). */
async function sendAggregates(
  { request, reply, body }: AggregatesCall,
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
  { request, reply, body }: SearchCall,
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

interface ExportCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: { readonly file_type?: ExportFileType | undefined };
  readonly body: ExportBody;
}

const CONTENT_TYPES: Readonly<Record<ExportFileType, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/x-ndjson; charset=utf-8',
};

/** Streams an export. Only once its first bytes are there does the answer begin; a later error cuts the connection. */
async function sendExport(
  { request, reply, query: { file_type }, body }: ExportCall,
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
  // The one who asked has gone: whatever has not been read is let go.
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

/** Clients send it in the query, in the body or in both (wire-facts.md). */
function fileTypeOf(inQuery: ExportFileType | undefined, inBody: ExportFileType | undefined): ExportFileType {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidParameter('file_type', 'conflict', `is ${inQuery} in the query and ${inBody} in the body`);
  }
  return inQuery ?? inBody ?? 'csv';
}

/** Waits for the first item, so that an error before it is still thrown here. */
async function primed<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  let first: IteratorResult<T> | undefined = await source.next();
  const next = async (): Promise<IteratorResult<T>> => {
    if (first === undefined) return source.next();
    const item = first;
    first = undefined;
    return item;
  };
  // Not a generator of its own: one that never began would not pass `return` on to its source.
  return Object.assign(Object.create(source), { next, return: () => source.return(undefined) });
}

/** Whether an Accept-Encoding header allows gzip; without the header it does not. */
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

/** The bytes as one gzip member. Level 1: a local server is asked for speed, not for bytes. */
async function* gzipped(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 1, chunkSize: 64 * 1024 });
  // An error of the source destroys the gzip stream, which then throws below.
  pipeline(Readable.from(body, { objectMode: false }), gzip, () => {});
  for await (const piece of gzip) yield piece as Buffer;
}
