import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fault, FaultPlace } from '../faults/fault.ts';
import type { FaultBox } from '../faults/fault-box.ts';
import { wireFault } from '../faults/wire-fault.ts';

/** A request to a store; path and query as on the wire. */
export interface StoreRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly rawQuery: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

export interface StoreAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text, or bytes that stream; then `content-length` is among the headers. */
  readonly body?: string | AsyncIterable<Buffer>;
}

/** One of the stores: its responses, and the form of its errors. */
export interface Store {
  readonly place: FaultPlace;
  answer(request: StoreRequest): Promise<StoreAnswer>;
  /** The response after `answer` threw an error. */
  refusal(error: unknown, request: StoreRequest): StoreAnswer;
  /** The response of the fault `status`. */
  faulty(status: number): StoreAnswer;
}

/**
 * Time to keep an idle connection, longer than clients do, because closing a connection while a request arrives breaks
 * that request.
 */
const KEEP_ALIVE_MS = 72_000;

/** A store at its own free port, because the clients of stores need the root of an address. */
export class StoreServer implements AsyncDisposable {
  readonly endpoint: string;
  readonly #server: Server;

  private constructor(server: Server, endpoint: string) {
    this.#server = server;
    this.endpoint = endpoint;
  }

  static async listen(store: Store, faults: FaultBox, host: string): Promise<StoreServer> {
    const server = createServer(
      { requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS },
      (request, response) => {
        // The response has begun, or its sender has gone: cut the connection so that the client notices.
        exchange(store, faults, request, response).catch(() => response.destroy());
      },
    );
    server.listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new StoreServer(server, `http://${host}:${port}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function exchange(
  store: Store,
  faults: FaultBox,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request = requestOf(incoming);
  const fault = faults.take(request.method, incoming.url ?? '', store.place);
  if (fault?.kind === 'reset' && !fault.after_bytes) {
    incoming.socket.resetAndDestroy();
    return;
  }
  const answer =
    fault?.kind === 'status'
      ? faulty(store, fault)
      : await store.answer(request).catch((error: unknown) => store.refusal(error, request));
  await send(answer, request.method, fault, response);
}

function faulty(store: Store, fault: Fault): StoreAnswer {
  const answer = store.faulty(fault.status ?? 503);
  const wait = fault.retry_after;
  return wait === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, 'retry-after': String(wait) } };
}

async function send(
  { status, headers = {}, body = '' }: StoreAnswer,
  method: string,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  try {
    await sendBody({ status, headers, body }, method, fault, response);
  } finally {
    // The response is not read if the client disconnected before its first byte.
    if (body instanceof Readable) body.destroy();
  }
}

async function sendBody(
  { status, headers, body }: Required<StoreAnswer>,
  method: string,
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<void> {
  const whole = typeof body === 'string' ? Buffer.from(body) : undefined;
  const bodiless = status === 204 || status === 304;
  if (whole !== undefined && !bodiless && !('content-length' in headers))
    response.setHeader('content-length', whole.length);
  response.writeHead(status, headers);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  const bytes = whole === undefined ? (body as AsyncIterable<Buffer>) : [whole];
  await pipeline(Readable.from(struck(bytes, fault, response), { objectMode: false }), response);
}

async function* struck(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  fault: Fault | undefined,
  response: ServerResponse,
): AsyncGenerator<Buffer> {
  if (fault === undefined) {
    yield* bytes;
    return;
  }
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const source = Readable.from(bytes, { objectMode: false });
  yield* wireFault(source, fault, { response, closed: closed.signal });
  // A length was announced: only the end of the connection can end such a body early.
  if (fault.kind === 'truncate') response.socket?.end();
}

function requestOf(incoming: IncomingMessage): StoreRequest {
  const url = incoming.url ?? '/';
  const at = url.indexOf('?');
  const rawQuery = at < 0 ? '' : url.slice(at + 1);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? 'GET',
    path: at < 0 ? url : url.slice(0, at),
    query: new URLSearchParams(rawQuery),
    rawQuery,
    headers: Object.fromEntries(headers),
    body: incoming,
  };
}
