import type { FastifyReply, FastifyRequest } from 'fastify';
import { SEARCH_CEILING, type SearchBody } from '../../api/search.ts';
import { Refusal } from '../resources/refusal.ts';
import { checkPatterns, datasetQuery } from '../rows/dataset-query.ts';
import { searchRows } from '../rows/search-rows.ts';
import type { Context } from './context.ts';
import type { ReadableRows } from './data-source.ts';
import { exchangeOf } from './exchange.ts';

const SEARCH_LIMIT = 10;

export interface SearchCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: SearchBody;
}

/** Answers a search: a page of rows, at most up to the ceiling (api-spec.md §8). */
export async function sendSearch(
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
