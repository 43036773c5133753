import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The state of an API request until it is answered. */
export interface Exchange {
  /** Aborts when either side closes the response. */
  readonly closed: AbortSignal;
  /** Changes that a sandbox makes to the lines of an export. */
  lines?: {
    readonly reordered: boolean;
    altered(lines: AsyncGenerator<Buffer>, hasHeader: boolean): AsyncGenerator<Buffer>;
  };
}

const exchanges = new WeakMap<FastifyRequest, Exchange>();

export function exchangeOf(request: FastifyRequest): Exchange | undefined {
  return exchanges.get(request);
}

/** Begins an exchange with each request of the API. The hooks in `between` see a response before it is sent. */
export function exchangeHooks(app: FastifyInstance, between?: (app: FastifyInstance) => void): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!/^\/(api\/v2|downloads)\b/.test(request.url)) return;
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort());
    exchanges.set(request, { closed: controller.signal });
  });
  between?.(app);
  app.addHook('onSend', async (request, _reply, payload: unknown) => {
    const exchange = exchangeOf(request);
    const body = (payload as AsyncIterable<Buffer> | null | undefined)?.[Symbol.asyncIterator];
    return exchange && body ? streamOf(payload as AsyncIterable<Buffer>, exchange) : payload;
  });
}

function streamOf(body: AsyncIterable<Buffer>, { closed }: Exchange): Readable {
  const stream = Readable.from(body, { objectMode: false, highWaterMark: 64 * 1024 });
  // A client that left gets no response. An error of the body itself still destroys the socket.
  closed.addEventListener('abort', () => stream.destroy(), { once: true });
  return stream;
}
