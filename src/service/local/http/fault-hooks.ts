import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Fault } from '../sandbox/faults/fault.ts';
import { wireFault } from '../sandbox/faults/wire-fault.ts';
import type { Context } from './context.ts';
import { beginExchange, type Exchange, exchangeOf } from './exchange.ts';
import type { LogEntry } from './request-log.ts';

const ON_THE_WIRE: readonly Fault['kind'][] = ['reset', 'truncate', 'stall', 'slow', 'corrupt_gzip'];

/** Logs every request of the API and lets the faults in force strike it. */
export function faultHooks(app: FastifyInstance, { requests, faults }: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!/^\/(api\/v2|downloads)\b/.test(request.url)) return;
    const fault = faults.take(request.method, request.url);
    const { entry } = beginExchange(request, reply, requests.begin(request.method, request.url), fault);
    if (fault?.kind === 'reset' && !fault.after_bytes) {
      reply.hijack();
      request.raw.socket.resetAndDestroy();
    } else if (fault?.kind === 'status') {
      const status = fault.status ?? 503;
      if (fault.retry_after !== undefined) reply.header('retry-after', String(fault.retry_after));
      entry.status = status;
      return reply
        .code(status)
        .send({ type: typeOf(status), message: 'a fault of the sandbox, as asked for' });
    }
  });
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const exchange = exchangeOf(request);
    if (exchange === undefined) return payload;
    const { fault, entry } = exchange;
    const struck = fault !== undefined && ON_THE_WIRE.includes(fault.kind) ? fault : undefined;
    if (!(payload instanceof Readable) && struck === undefined) {
      entry.bytes =
        payload === null || payload === undefined ? 0 : Buffer.byteLength(payload as string | Buffer);
      return payload;
    }
    const body = payload instanceof Readable ? payload : one(payload as string | Buffer | null);
    const wire = { response: reply.raw, closed: exchange.closed };
    const sent = struck === undefined ? body : wireFault(body, struck, wire);
    return streamOf(counted(sent, entry), exchange);
  });
}

function typeOf(status: number): string {
  if (status >= 500) return 'internal_error';
  const types: Readonly<Record<number, string>> = {
    401: 'unauthorized',
    403: 'forbidden',
    404: 'resource_not_found',
    409: 'invalid_state_for_request',
    429: 'quota_error',
  };
  return types[status] ?? 'invalid_request';
}

async function* one(payload: string | Buffer | null): AsyncGenerator<Buffer> {
  if (payload !== null && payload !== undefined) yield Buffer.from(payload as string);
}

async function* counted(body: AsyncIterable<Buffer>, entry: LogEntry): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    entry.bytes += piece.length;
    yield piece;
  }
}

function streamOf(body: AsyncIterable<Buffer>, { closed }: Exchange): Readable {
  const stream = Readable.from(body, { objectMode: false, highWaterMark: 64 * 1024 });
  // A client that left gets nothing. An error of the body itself still destroys the socket.
  closed.addEventListener('abort', () => stream.destroy(), { once: true });
  return stream;
}
