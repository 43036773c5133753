import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as data from '../../../api/data-endpoints.ts';
import type { AggregateBody } from '../../../api/resources/aggregates.ts';
import type { CrawlDataType } from '../../../api/resources/fields.ts';
import { SEARCH_CEILING, type SearchBody } from '../../../api/resources/search.ts';
import { aggregateRows } from '../../aggregates/aggregate-rows.ts';
import { planAggregate } from '../../aggregates/plan-aggregate.ts';
import { datasetOf, find } from '../../resources/find.ts';
import { Refusal } from '../../resources/refusal.ts';
import { checkPatterns, datasetQuery } from '../../rows/dataset-query.ts';
import { searchRows } from '../../rows/export-lines.ts';
import type { Context } from '../context.ts';
import {
  crawlOverCrawlSource,
  crawlSource,
  logEventsSource,
  logPagesSource,
  type ReadableRows,
} from '../data-source.ts';
import { exchangeOf } from '../exchange.ts';
import { sendExport } from '../send-export.ts';
import { serve } from '../serve.ts';

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
