import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorCode } from '../errors/error-codes.ts';
import { CrawlhouseError } from '../errors/errors.ts';
import type { Logger } from '../logs/logger.ts';
import { reportFault } from '../logs/report-fault.ts';
import { stringifyJson } from '../text/json.ts';
import { lookUp } from '../text/look-up.ts';

/** The parts of `HOST:PORT`. */
export interface ListenAddress {
  /** As in a URL: an IPv6 address has brackets. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export function listenAddress(text: string): ListenAddress {
  const colon = text.lastIndexOf(':');
  const name = text.slice(0, colon).toLowerCase();
  return { name, host: name.replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(colon + 1)) };
}

export interface ListenHttpOptions {
  readonly code: ErrorCode;
  readonly way: ListenElsewhere;
  /** Its name in the log. */
  readonly door: string;
  readonly logger: Logger;
}

/** A server, open until disposed. */
export interface Listener extends AsyncDisposable {
  readonly port: number;
}

/**
 * Serves HTTP requests at `HOST:PORT`. If a response fails, the client receives status 500 and the identifier under
 * which the cause is logged.
 *
 * @throws CrawlhouseError of the code of `options` if it cannot listen on the address
 */
export async function listenHttp(
  address: string,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { code, way, door, logger }: ListenHttpOptions,
): Promise<Listener> {
  const { host, port } = listenAddress(address);
  const server = createServer((request, response) => {
    answer(request, response).catch((thrown: unknown) => {
      if (response.destroyed || response.socket?.destroyed) return;
      answerFault(response, reportFault(thrown, logger, { door, path: pathOf(request) }));
    });
  });
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw await listenError(code, address, way, cause);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Handles the fault of a request. A response that has started is cut off. */
function answerFault(response: ServerResponse, { code, message, hint }: CrawlhouseError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, { 'content-type': 'application/json' });
  response.end(`${stringifyJson({ error: { code, message, hint } })}\n`);
}

/** Returns the path of a request, without its query. */
export function pathOf({ url }: IncomingMessage): string | undefined {
  return url?.split('?')[0];
}

/** The reason of each error, and the next step. */
const REASONS: Readonly<Record<string, readonly [reason: string, way: string]>> = {
  EADDRINUSE: ['another program listens on it', 'stop that program, or use a free port: '],
  EADDRNOTAVAIL: ['this machine does not have this address', 'use an address of this machine: '],
  EACCES: ['this user may not listen on this port', 'use a port above 1023: '],
  ENOTFOUND: ['no machine has this name', 'use an address of this machine: '],
};

/** The command that listens on another address, which is free now. */
export type ListenElsewhere = (address: string, port: number) => string;

/** Returns the error of a server that cannot listen on `address` (`HOST:PORT`). */
export async function listenError(
  code: ErrorCode,
  address: string,
  way: ListenElsewhere,
  cause: unknown,
): Promise<CrawlhouseError> {
  const { code: system = '', message } = cause as NodeJS.ErrnoException;
  const [reason, before] = lookUp(REASONS, system) ?? [message, 'use another port: '];
  const { name, host } = listenAddress(address);
  // If the address itself is wrong, none of its ports is free.
  const own = await freePort(host).catch(() => undefined);
  const [free, port] = own === undefined ? ['127.0.0.1', await freePort('127.0.0.1')] : [name, own];
  return new CrawlhouseError(code, `cannot listen on ${address}: ${reason}`, {
    cause,
    hint: before + way(`${free}:${port}`, port),
  });
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Beyond this size, the rest of an oversized body is not even read: the connection is closed. */
const MOST_DRAINED = 64_000_000;

/**
 * Reads the body of a request; null if it has more than `most` bytes. Such a body is still read to its end, because a
 * sender that is still writing would receive a reset instead of the response.
 */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= most) pieces.push(piece);
    else pieces.length = 0;
    if (bytes > MOST_DRAINED) break;
  }
  return bytes > most ? null : Buffer.concat(pieces);
}
