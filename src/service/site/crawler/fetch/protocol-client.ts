import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type buildConnector, Client, type Dispatcher } from 'undici';

export interface Protocols {
  /** `1.0` or `1.1`, as its status line has it; null without an answer. */
  readonly httpVersion: string | null;
  /** Such as `TLSv1.3`; null without TLS. */
  readonly tlsVersion: string | null;
}

export const NO_PROTOCOLS: Protocols = { httpVersion: null, tlsVersion: null };

/** A handler that is told whom its request was given to. */
export interface ProtocolHandler extends Dispatcher.DispatchHandler {
  client: { readonly protocols: Protocols } | null;
}

const STATUS_LINE = /^HTTP\/(\d\.\d) /;

interface Connection {
  socket: Socket | null;
  httpVersion: string | null;
}

/** A client that knows its connection, of which undici tells no handler. It has one at a time. */
export class ProtocolClient extends Client {
  readonly #connection: Connection;

  constructor(origin: URL, options: Client.Options & { readonly connect: buildConnector.connector }) {
    const connection: Connection = { socket: null, httpVersion: null };
    super(origin, {
      ...options,
      connect: (to, callback) =>
        options.connect(to, (...opened) => {
          // Of an error, undici gives no second argument.
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

  /** Those of the answer that begins. */
  get protocols(): Protocols {
    const { socket, httpVersion } = this.#connection;
    return { httpVersion, tlsVersion: socket instanceof TLSSocket ? socket.getProtocol() : null };
  }
}

function watch(socket: Socket, connection: Connection): void {
  connection.socket = socket;
  connection.httpVersion = null;
  // With one request at a time, each answer begins a piece of its own.
  socket.on('data', (piece: Buffer) => {
    connection.httpVersion = STATUS_LINE.exec(piece.toString('latin1', 0, 9))?.[1] ?? connection.httpVersion;
  });
}
