import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect, TLSSocket } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { ProxyRoute } from './crawl-proxy.ts';

/** Hosts whose responses are kept. */
const MOST_HOSTS = 1_000;

export interface Protocols {
  /** `1.0` or `1.1`, according to its status line, or `2`; null if there is no response. */
  readonly httpVersion: string | null;
  /** Such as `TLSv1.3`; null without TLS. */
  readonly tlsVersion: string | null;
}

export const NO_PROTOCOLS: Protocols = { httpVersion: null, tlsVersion: null };

/** A handler that receives the client that sends its request. */
export interface ProtocolHandler extends Dispatcher.DispatchHandler {
  client: { readonly protocols: Protocols } | null;
}

const STATUS_LINE = /^HTTP\/(\d\.\d) /;

interface Connection {
  socket: Socket | null;
  httpVersion: string | null;
}

/** A client that knows its connection, which undici does not pass to handlers. It has one connection at a time. */
export class ProtocolClient extends Client {
  readonly #connection: Connection;

  constructor(origin: URL, options: Client.Options & { readonly connect: buildConnector.connector }) {
    const connection: Connection = { socket: null, httpVersion: null };
    super(origin, {
      ...options,
      connect: (to, callback) =>
        options.connect(to, (...opened) => {
          // For an error, undici passes no second argument.
          if (opened[0] === null) watch(opened[1], connection);
          callback(...opened);
        }),
    });
    this.#connection = connection;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if ('client' in handler) handler.client = this;
    return super.dispatch(options, handler);
  }

  /** The protocols of the response that begins. */
  get protocols(): Protocols {
    const { socket, httpVersion } = this.#connection;
    if (!(socket instanceof TLSSocket)) return { httpVersion, tlsVersion: null };
    return {
      httpVersion: socket.alpnProtocol === 'h2' ? '2' : httpVersion,
      tlsVersion: socket.getProtocol(),
    };
  }
}

function watch(socket: Socket, connection: Connection): void {
  connection.socket = socket;
  connection.httpVersion = null;
  // With one request at a time, each response begins a new piece.
  socket.on('data', (piece: Buffer) => {
    connection.httpVersion = STATUS_LINE.exec(piece.toString('latin1', 0, 9))?.[1] ?? connection.httpVersion;
  });
}

/** Asks each host once, by a handshake without a request, whether it would use HTTP/2 with a browser (RFC 7301). */
export class Http2Offers implements Disposable {
  readonly #lookup: LookupFunction;
  readonly #timeout: number;
  readonly #proxy: ProxyRoute | null;
  readonly #known = new Map<string, Promise<boolean | null>>();
  readonly #sockets = new Set<TLSSocket>();

  /** @param timeout milliseconds */
  constructor(lookup: LookupFunction, timeout: number, proxy: ProxyRoute | null) {
    this.#lookup = lookup;
    this.#proxy = proxy;
    this.#timeout = timeout;
  }

  /** Returns null if the host does not answer, and over http. */
  of(url: URL): Promise<boolean | null> {
    if (url.protocol !== 'https:') return Promise.resolve(null);
    const known = this.#known.get(url.host);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_HOSTS) this.#known.clear();
    const asked = this.#ask(url);
    this.#known.set(url.host, asked);
    return asked;
  }

  async #ask({ hostname, port }: URL): Promise<boolean | null> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const tunnel = await this.#proxy?.tunnel(host, Number(port || 443)).catch(() => null); // A host that does not say.
    if (tunnel === null) return null;
    const socket = connect({
      ...(tunnel === undefined ? {} : { socket: tunnel }),
      host,
      port: Number(port || 443),
      servername: isIP(host) === 0 ? host : '',
      lookup: this.#lookup,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    this.#sockets.add(socket);
    return new Promise((resolve) => {
      const end = (offer: boolean | null): void => {
        this.#sockets.delete(socket);
        resolve(offer);
        socket.destroy();
      };
      socket.setTimeout(this.#timeout, () => end(null));
      socket.once('secureConnect', () => end(socket.alpnProtocol === 'h2'));
      socket.on('error', () => end(null));
      socket.once('close', () => end(null));
    });
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
