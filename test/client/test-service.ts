import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import { Transport, type TransportOptions } from '../../src/client/http/transport.ts';

export const TOKEN = 'token-of-the-test-service';

/** A request as the service saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Milliseconds, for what is spaced in time. */
  readonly at: number;
}

export interface TestService {
  readonly baseUrl: string;
  readonly seen: readonly Seen[];
}

/** An HTTP server on a free port for one test; `answer` gets the number of the request, from 1. */
export async function testService(
  answer: (seen: Seen, response: ServerResponse, count: number) => void,
): Promise<TestService> {
  const seen: Seen[] = [];
  const listener: RequestListener = async (request, response) => {
    const at = performance.now();
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const one = { method: `${request.method}`, path: `${request.url}`, headers: request.headers, body, at };
    seen.push(one);
    answer(one, response, seen.length);
  };
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const QUICK = { attempts: 3, baseMs: 1, maxMs: 5 };

function options(service: { readonly baseUrl: string }): TransportOptions {
  return { baseUrl: service.baseUrl, accessToken: TOKEN, retry: QUICK };
}

/** A transport for one test, with short waits between its tries. */
export function testTransport(
  service: { readonly baseUrl: string },
  more: Partial<TransportOptions> = {},
): Transport {
  const transport = new Transport({ ...options(service), ...more });
  onTestFinished(() => transport[Symbol.asyncDispose]());
  return transport;
}

export function testClient(service: { readonly baseUrl: string }): ServiceClient {
  const client = new ServiceClient(options(service));
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}
