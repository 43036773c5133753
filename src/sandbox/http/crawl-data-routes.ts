import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { CRAWL_DATA_TYPES, type CrawlDataType } from '../../api/fields.ts';
import { EXPORT_FILE_TYPES, SEARCH_CEILING, SearchBody } from '../../api/search.ts';
import { datasetOf } from '../dataset-of.ts';
import { invalidParameter, notFound, Refusal } from '../refusal.ts';
import type { Dataset } from '../resources.ts';
import { checkPatterns, datasetQuery } from '../rows/dataset-query.ts';
import { searchRows } from '../rows/search-rows.ts';
import { checkRequest } from './check-request.ts';
import type { Context } from './context.ts';
import { refuseUnlessReported } from './crawl-state.ts';
import { sendExport } from './send-export.ts';

type ByType = { Params: { crawlId: string; dataType: string } };

const DataQuery = z.strictObject({
  export: z.enum(['true', 'false']).optional(),
  file_type: z.enum(EXPORT_FILE_TYPES).optional(),
});
// The tree is checked by itself, against the fields, so that an error can name its place.
const Body = SearchBody.extend({ oql: z.unknown().optional() });
const SEARCH_LIMIT = 10;

/** Fields, search and streamed export of a crawl's data types (api-spec.md §4.1). */
export function crawlDataRoutes(api: FastifyInstance, context: Context): void {
  const config = { scope: 'projects:read' } as const;

  api.get<ByType>('/data/crawl/:crawlId/:dataType/fields', { config }, async (request) => {
    checkRequest(z.strictObject({}), request.query);
    const { dataset } = find(context, request.params);
    return { fields: dataset.columns.map((column) => column.field) };
  });

  api.post<ByType>('/data/crawl/:crawlId/:dataType', { config }, async (request, reply) => {
    const { crawl, dataType, dataset } = find(context, request.params);
    const query = checkRequest(DataQuery, request.query);
    const body = checkRequest(Body, request.body ?? {});
    refuseUnlessReported(crawl, dataType);
    return query.export === 'true'
      ? sendExport(request, reply, context, {
          dataset,
          body,
          fileType: fileType(query.file_type, body.file_type),
          name: `${dataType}-${crawl.id}`,
        })
      : search(reply, context, dataset, { ...body, inQuery: query.file_type });
  });
}

function find({ resources }: Context, params: ByType['Params']) {
  const crawl = resources.get('crawls', params.crawlId);
  if (crawl === undefined) throw notFound(`the crawl ${params.crawlId}`);
  if (!isDataType(params.dataType)) throw notFound(`the data type ${params.dataType} of crawls`);
  return { crawl, dataType: params.dataType, dataset: datasetOf(resources, crawl.id, params.dataType) };
}

function isDataType(text: string): text is CrawlDataType {
  return (CRAWL_DATA_TYPES as readonly string[]).includes(text);
}

/** Clients send it in the query, in the body or in both (wire-facts.md). */
function fileType(inQuery: SearchBody['file_type'], inBody: SearchBody['file_type']): 'csv' | 'json' {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidParameter('file_type', 'conflict', `is ${inQuery} in the query and ${inBody} in the body`);
  }
  return inQuery ?? inBody ?? 'csv';
}

async function search(
  reply: FastifyReply,
  { rows }: Context,
  dataset: Dataset,
  body: z.output<typeof Body> & { readonly inQuery: SearchBody['file_type'] },
): Promise<FastifyReply> {
  if (body.file_type !== undefined || body.inQuery !== undefined) {
    throw invalidParameter('file_type', 'conflict', 'is for exports: add export=true to the query');
  }
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
