import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, hostHeaderValidationResponse, type McpServer } from '@modelcontextprotocol/server';
import type { Logger } from '../../core/logs/logger.ts';
import { reportFault } from '../../core/logs/report-fault.ts';
import { listenAddress, listenHttp, pathOf, readBody } from '../../core/net/listen-http.ts';
import { MOST_BYTES, refuseMessage, refuseSize } from './refuse-message.ts';

const METHODS = ['GET', 'POST', 'DELETE'];
const JSON_TYPE = { 'content-type': 'application/json' };

export interface AssistantListener extends AsyncDisposable {
  /** `http://127.0.0.1:8091/mcp`. */
  readonly url: string;
}

/**
 * Serves assistants that have the token, over HTTP at `/mcp`. The Host header must contain the host of `address`, and
 * the Origin header the same host and port, so that no web page can connect under its own name or from another port.
 *
 * @param address `HOST:PORT`
 * @throws CrawlhouseError `usage` if it cannot listen on the address
 */
export async function listenForAssistants(
  address: string,
  token: string,
  serverFor: () => McpServer,
  logger: Logger,
): Promise<AssistantListener> {
  const { name, host } = listenAddress(address);
  const handler = createMcpHandler(serverFor, {
    onerror: (error) => reportFault(error, logger, { door: 'assistants' }),
  });
  const hosts = [host, name, 'localhost'];
  const answer = async (incoming: IncomingMessage): Promise<Response> => {
    if (pathOf(incoming) !== '/mcp') return new Response('not found\n', { status: 404 });
    if (!isToken(incoming, token)) return new Response('the token is missing or wrong\n', { status: 401 });
    if (!METHODS.includes(incoming.method ?? ''))
      return new Response('not a method of this address\n', {
        status: 405,
        headers: { allow: METHODS.join(', ') },
      });
    const body = await readBody(incoming, MOST_BYTES);
    if (body === null) return new Response(refuseSize().answer, { status: 413, headers: JSON_TYPE });
    const request = requestOf(incoming, body, address);
    const refused = hostHeaderValidationResponse(request, hosts) ?? refusedOrigin(incoming);
    if (refused !== undefined) return refused;
    const wrong = incoming.method === 'POST' ? refuseMessage(body) : undefined;
    if (wrong !== undefined) return new Response(wrong.answer, { status: 400, headers: JSON_TYPE });
    return await handler.fetch(request);
  };
  const listener = await listenHttp(
    address,
    async (incoming, response) => send(response, await answer(incoming)),
    { code: 'usage', way: (free) => `crawlhouse mcp --http ${free}`, door: 'assistants', logger },
  );
  return {
    url: `http://${name}:${listener.port}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await listener[Symbol.asyncDispose]();
    },
  };
}

/** Responds to a web page of another origin; different ports of a machine are different origins. */
function refusedOrigin({ headers }: IncomingMessage): Response | undefined {
  const { origin, host } = headers;
  if (origin === undefined || origin.replace(/^https?:\/\//i, '').toLowerCase() === host?.toLowerCase())
    return undefined;
  return new Response('requests from web pages of other origins are refused\n', { status: 403 });
}

function isToken({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [headers.authorization ?? '', `Bearer ${token}`].map((text) => Buffer.from(text));
  return given?.length === wanted?.length && timingSafeEqual(given as Buffer, wanted as Buffer);
}

function requestOf(incoming: IncomingMessage, body: Buffer, address: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  const { method = 'GET' } = incoming;
  const isBodiless = method === 'GET' || method === 'HEAD';
  return new Request(`http://${address}${incoming.url}`, {
    method,
    headers,
    body: isBodiless ? null : new Uint8Array(body),
  });
}

async function send(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers));
  if (body === null) response.end();
  else await pipeline(Readable.fromWeb(body as ReadableStream), response);
}
