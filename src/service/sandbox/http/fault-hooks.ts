import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SERVICE_ERROR_STATUS } from '../../../client/http/service-error.ts';
import { exchangeOf } from '../../http/exchange.ts';
import type { Fault } from '../faults/fault.ts';
import { duplicateLine, wireFault } from '../faults/wire-fault.ts';
import type { LogEntry, SandboxContext } from './sandbox-context.ts';

const ON_THE_WIRE: readonly Fault['kind'][] = ['reset', 'truncate', 'stall', 'slow', 'corrupt_gzip'];

/** Logs every request of the API and applies the faults in force. */
export function faultHooks(
  app: FastifyInstance,
  { requests, faults }: Pick<SandboxContext, 'requests' | 'faults'>,
): void {
  const struck = new WeakMap<
    FastifyRequest,
    { readonly entry: LogEntry; readonly fault: Fault | undefined }
  >();
  app.addHook('onRequest', async (request, reply) => {
    const exchange = exchangeOf(request);
    if (exchange === undefined) return;
    const fault = faults.take(request.method, request.url);
    const entry = requests.begin(request.method, request.url);
    struck.set(request, { entry, fault });
    reply.raw.once('close', () => {
      if (reply.raw.headersSent) entry.status = reply.raw.statusCode;
    });
    if (fault?.kind === 'reorder' || fault?.kind === 'duplicate')
      exchange.lines = {
        reordered: fault.kind === 'reorder',
        altered: (lines, hasHeader) => (fault.kind === 'duplicate' ? duplicateLine(lines, hasHeader) : lines),
      };
    if (fault?.kind === 'reset' && !fault.after_bytes) {
      reply.hijack();
      request.raw.socket.resetAndDestroy();
    } else if (fault?.kind === 'status') {
      const status = fault.status ?? 503;
      if (fault.retry_after !== undefined) reply.header('retry-after', String(fault.retry_after));
      entry.status = status;
      return reply
        .code(status)
        .send({ type: typeOf(status), message: 'the sandbox produced this fault on request' });
    }
  });
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const { entry, fault } = struck.get(request) ?? {};
    const exchange = exchangeOf(request);
    if (exchange === undefined || entry === undefined) return payload;
    const onWire = fault !== undefined && ON_THE_WIRE.includes(fault.kind) ? fault : undefined;
    if (!(payload instanceof Readable) && onWire === undefined) {
      entry.bytes =
        payload === null || payload === undefined ? 0 : Buffer.byteLength(payload as string | Buffer);
      return payload;
    }
    const body = payload instanceof Readable ? payload : one(payload as string | Buffer | null);
    const wire = { response: reply.raw, closed: exchange.closed };
    return counted(onWire === undefined ? body : wireFault(body, onWire, wire), entry);
  });
}

function typeOf(status: number): string {
  if (status >= 500) return 'internal_error';
  if (status === 429) return 'quota_error';
  const found = Object.entries(SERVICE_ERROR_STATUS).find(([, known]) => known === status);
  return found?.[0] ?? 'invalid_request';
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
