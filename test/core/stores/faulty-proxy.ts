import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What happens to a request on its way, instead of its answer or to it. */
export type Strike =
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is reset after so many bytes of the body. */
  | { readonly cutAfter: number }
  /** The body stands still after so many bytes. */
  | { readonly stallAfter: number }
  /** The body ends after so many bytes, as if that were all. */
  | { readonly shortBy: number }
  /** One bit of the body is another one. */
  | { readonly flip: true };

export interface FaultyProxy {
  readonly endpoint: string;
  /** Requests so far, struck or not: method and path with query. */
  readonly seen: readonly string[];
}

/** A server in front of a store that lets all pass but what `strike` picks. */
export async function faultyProxy(
  upstream: string,
  strike: (request: string, times: number, headers: IncomingHttpHeaders) => Strike | undefined,
): Promise<FaultyProxy> {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const request = `${incoming.method} ${incoming.url}`;
    seen.push(request);
    const times = seen.filter((one) => one === request).length;
    const struck = strike(request, times, incoming.headers);
    if (struck && 'status' in struck) {
      incoming.resume();
      outgoing.writeHead(struck.status, struck.headers).end(struck.body ?? '');
      return;
    }
    pass(upstream, incoming, outgoing, struck);
  });
  // Only what `strike` picks may fail: a connection that closes for its age would be one more fault.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** The client's own headers go on, `Host` too: it is what was signed. */
function pass(
  upstream: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  strike: Strike | undefined,
): void {
  const { method, headers, url } = incoming;
  // A connection of its own, for the same reason.
  const options = { method, headers, agent: false };
  const onward = httpRequest(new URL(url ?? '/', upstream), options, (answer) => {
    answer.on('error', () => outgoing.destroy());
    void forward(answer, outgoing, strike).catch(() => outgoing.destroy());
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

async function forward(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  strike: Strike | undefined,
): Promise<void> {
  if (strike === undefined) {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    return;
  }
  const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
  if ('flip' in strike) body[body.length >> 1] = (body[body.length >> 1] ?? 0) ^ 1;
  const shortened = 'shortBy' in strike ? body.subarray(0, body.length - strike.shortBy) : body;
  const headers = { ...answer.headers, 'content-length': String(shortened.length) };
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  if ('cutAfter' in strike) {
    outgoing.write(shortened.subarray(0, strike.cutAfter), () => outgoing.socket?.resetAndDestroy());
  } else if ('stallAfter' in strike) outgoing.write(shortened.subarray(0, strike.stallAfter));
  else outgoing.end(shortened);
}
