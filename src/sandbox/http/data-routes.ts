import type { FastifyInstance, FastifyReply } from 'fastify';
import { EXPORT_CRAWL, GET_CRAWL_FIELDS, SEARCH_CRAWL } from '../../api/data-endpoints.ts';
import type { CrawlDataType } from '../../api/fields.ts';
import { type ExportFileType, SEARCH_CEILING, type SearchBody } from '../../api/search.ts';
import { datasetOf } from '../dataset-of.ts';
import { invalidParameter, Refusal } from '../refusal.ts';
import type { Dataset } from '../resources.ts';
import { checkPatterns, datasetQuery } from '../rows/dataset-query.ts';
import { searchRows } from '../rows/search-rows.ts';
import type { Context } from './context.ts';
import { refuseUnlessReported } from './crawl-state.ts';
import { find } from './find.ts';
import { sendExport } from './send-export.ts';
import { serve } from './serve.ts';

const SEARCH_LIMIT = 10;

/** Fields, search and streamed export of a crawl's data types (api-spec.md §4.1). */
export function dataRoutes(api: FastifyInstance, context: Context): void {
  const { resources } = context;
  const crawlData = ({ crawl_id, data_type }: { crawl_id: string; data_type: string }): CrawlData => {
    const crawl = find(resources, 'crawls', crawl_id);
    const dataType = data_type as CrawlDataType;
    refuseUnlessReported(crawl, dataType);
    return { dataset: datasetOf(resources, crawl.id, dataType), name: `${dataType}-${crawl.id}` };
  };

  serve(api, GET_CRAWL_FIELDS, ({ parameters }) => {
    const crawl = find(resources, 'crawls', parameters.crawl_id);
    const { columns } = datasetOf(resources, crawl.id, parameters.data_type as CrawlDataType);
    return { fields: columns.map((column) => column.field) };
  });
  serve(api, SEARCH_CRAWL, ({ parameters, body, reply }) =>
    search(reply, context, crawlData(parameters).dataset, body),
  );
  serve(api, EXPORT_CRAWL, ({ parameters, query, body, request, reply }) => {
    const fileType = fileTypeOf(query.file_type, body.file_type);
    return sendExport(request, reply, context, { ...crawlData(parameters), body, fileType });
  });
}

interface CrawlData {
  readonly dataset: Dataset;
  readonly name: string;
}

/** Clients send it in the query, in the body or in both (wire-facts.md). */
function fileTypeOf(inQuery: ExportFileType | undefined, inBody: ExportFileType | undefined): ExportFileType {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidParameter('file_type', 'conflict', `is ${inQuery} in the query and ${inBody} in the body`);
  }
  return inQuery ?? inBody ?? 'csv';
}

async function search(
  reply: FastifyReply,
  { rows }: Context,
  dataset: Dataset,
  body: SearchBody,
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
  });
  return reply.type('application/json; charset=utf-8').send(text);
}
