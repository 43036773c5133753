import type { FastifyInstance } from 'fastify';
import * as data from '../../api/data-endpoints.ts';
import type { CrawlDataType } from '../../api/fields.ts';
import { datasetOf } from '../resources/dataset-of.ts';
import { find } from '../resources/find.ts';
import type { Context } from './context.ts';
import {
  crawlOverCrawlSource,
  crawlSource,
  logEventsSource,
  logPagesSource,
  type ReadableRows,
} from './data-source.ts';
import { sendAggregates } from './send-aggregates.ts';
import { sendExport } from './send-export.ts';
import { sendSearch } from './send-search.ts';
import { serve } from './serve.ts';

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
