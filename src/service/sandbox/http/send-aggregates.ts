import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AggregateBody } from '../../api/aggregates.ts';
import { aggregateRows } from '../aggregates/aggregate-rows.ts';
import { planAggregate } from '../aggregates/plan-aggregate.ts';
import type { Context } from './context.ts';
import type { ReadableRows } from './data-source.ts';
import { exchangeOf } from './exchange.ts';

export interface AggregatesCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: AggregateBody;
}

/** Answers aggregates, a table each; all are checked before the first is made (api-spec.md §4.1). */
export async function sendAggregates(
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
