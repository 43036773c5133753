import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { type AnswerHead, LenientReader } from './lenient-reader.ts';
import type { ProtocolHandler, Protocols } from './protocol-client.ts';

interface LenientOptions {
  readonly connect: buildConnector.connector;
  /** The path and query, or the whole URL for a proxy. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between two pieces of the response. */
  readonly timeout: number;
}

/** Requests a URL on its own connection, and reads the response like browsers. Calls the handler as undici does. */
export function lenientRequest(url: URL, options: LenientOptions, handler: ProtocolHandler): void {
  const { hostname, host, protocol, port } = url;
  const plain = hostname.replace(/^\[|\]$/g, '');
  options.connect({ hostname: plain, host, protocol, port }, (...opened) => {
    if (opened[0] !== null) handler.onResponseError?.(new Exchange(null, handler), opened[0]);
    else new Exchange(opened[1], handler).begin(requestText(url, options), options.timeout);
  });
}

function requestText({ host }: URL, { path, headers }: LenientOptions): string {
  const lines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${[`GET ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

/** One request and its response, with the methods that undici's handlers use to stop and pause a response. */
class Exchange implements Dispatcher.DispatchController {
  readonly #socket: Socket | null;
  readonly #handler: ProtocolHandler;
  readonly #reader: LenientReader;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  rawHeaders: string[] = [];
  rawTrailers = null;
  #isOver = false;

  constructor(socket: Socket | null, handler: ProtocolHandler) {
    this.#socket = socket;
    this.#handler = handler;
    this.#reader = new LenientReader({
      head: (head) => this.#head(head),
      data: (piece) => handler.onResponseData?.(this, piece),
    });
  }

  begin(request: string, timeout: number): void {
    const socket = this.#socket;
    this.#handler.onRequestStart?.(this, {});
    socket?.setTimeout(timeout, () => this.abort(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    socket?.on('error', (error) => this.abort(error));
    socket?.on('data', (piece: Buffer) => this.#try(() => this.#reader.push(piece)));
    socket?.on('end', () => this.#try(() => this.#reader.end()));
    socket?.on('close', () => this.#try(() => this.#reader.end()));
    socket?.write(request, 'latin1');
  }

  #try(read: () => void): void {
    if (this.#isOver) return;
    try {
      read();
    } catch (error) {
      this.abort(error as Error);
    }
    if (!this.#reader.isDone || this.#isOver) return;
    this.#isOver = true;
    this.#socket?.destroy();
    this.#handler.onResponseEnd?.(this, {});
  }

  #head({ statusCode, version, headers }: AnswerHead): void {
    const socket = this.#socket;
    const tlsVersion = socket instanceof TLSSocket ? socket.getProtocol() : null;
    const protocols: Protocols = { httpVersion: version, tlsVersion };
    this.#handler.client = { protocols };
    this.rawHeaders = headers.flat();
    this.#handler.onResponseStart?.(this, statusCode, {});
  }

  abort(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.aborted = true;
    this.reason = reason;
    this.#socket?.destroy();
    this.#handler.onResponseError?.(this, reason);
  }

  pause(): void {
    this.paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.paused = false;
    this.#socket?.resume();
  }
}
