import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Fault } from '../sandbox/faults/fault.ts';
import type { LogEntry } from './request-log.ts';

/** The state of one API request while it is answered. */
export interface Exchange {
  readonly entry: LogEntry;
  readonly fault: Fault | undefined;
  /** Aborts when the response is closed, by whichever side. */
  readonly closed: AbortSignal;
}

const exchanges = new WeakMap<FastifyRequest, Exchange>();

export function beginExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  entry: LogEntry,
  fault: Fault | undefined,
): Exchange {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.headersSent) entry.status = reply.raw.statusCode;
    controller.abort();
  });
  const exchange = { entry, fault, closed: controller.signal };
  exchanges.set(request, exchange);
  return exchange;
}

export function exchangeOf(request: FastifyRequest): Exchange | undefined {
  return exchanges.get(request);
}
