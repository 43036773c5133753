import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { ProxyRoute } from '../fetch/crawl-proxy.ts';
import type { HostResolver } from '../fetch/resolve-host.ts';

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const CONNECT = 1;
const NOT_ALLOWED = 2;
const UNREACHABLE = 4;
/** Kinds of addresses. */
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const CONNECT_MS = 10_000;

/**
 * A SOCKS proxy (RFC 1928) on this machine, through which a browser has its only access to the network. It resolves
 * names by the rules of the crawl, and refuses private addresses when it opens a connection. It connects only to the
 * targets of allowed page requests, so the browser's own requests do not leave the machine.
 */
export class GuardProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #resolver: HostResolver;
  readonly #proxy: ProxyRoute | null;
  readonly #sockets = new Set<Socket>();
  readonly #allowed = new Set<string>();

  private constructor(resolver: HostResolver, proxy: ProxyRoute | null) {
    this.#resolver = resolver;
    this.#proxy = proxy;
    this.#server = createServer((socket) => void this.#serve(socket));
  }

  /** @param proxy of the crawl, by which this one reaches the network */
  static async open(resolver: HostResolver, proxy: ProxyRoute | null): Promise<GuardProxy> {
    const guard = new GuardProxy(resolver, proxy);
    guard.#server.listen(0, '127.0.0.1');
    await once(guard.#server, 'listening');
    return guard;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets the browser connect to the host and port of a URL. */
  allow({ hostname, port, protocol }: URL): void {
    this.#allowed.add(placeOf(hostname, port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)));
  }

  /** Ends all connections, so that the next page starts without any. */
  reset(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#allowed.clear();
  }

  async #serve(socket: Socket): Promise<void> {
    this.#keep(socket);
    try {
      const [version, methods = 0] = await take(socket, 2);
      await take(socket, methods);
      if (version !== VERSION) return void socket.destroy();
      socket.write(Buffer.of(VERSION, NO_AUTHENTICATION));
      const { host, port, command } = await readRequest(socket);
      const upstream = command === CONNECT ? await this.#connect(host, port) : null;
      if (upstream === null) return void socket.end(reply(NOT_ALLOWED));
      socket.once('close', () => upstream.destroy());
      upstream.once('close', () => socket.destroy());
      socket.write(reply(0));
      socket.pipe(upstream).pipe(socket);
    } catch {
      // Reports to the browser that the target is unreachable.
      socket.end(reply(UNREACHABLE));
    }
  }

  async #connect(host: string, port: number): Promise<Socket | null> {
    if (!this.#allowed.has(placeOf(host, port))) return null;
    this.#resolver.checkHost(host);
    if (this.#proxy !== null) {
      const tunnel = await this.#proxy.tunnel(host, port);
      this.#keep(tunnel);
      return tunnel;
    }
    const upstream = connect({ host, port, lookup: this.#resolver.lookup, timeout: CONNECT_MS });
    this.#keep(upstream);
    upstream.once('timeout', () => upstream.destroy(new Error('no connection in time')));
    await once(upstream, 'connect');
    upstream.setTimeout(0);
    return upstream;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    // Its other end is closed with it.
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.reset();
  }
}

/** Returns the requested target of a connection (RFC 1928, section 4). */
async function readRequest(socket: Socket) {
  const [, command, , kind] = await take(socket, 4);
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : ((await take(socket, 1))[0] ?? 0);
  const address = await take(socket, length);
  const port = (await take(socket, 2)).readUInt16BE();
  return { command, host: hostOf(kind, address), port };
}

function hostOf(kind: number | undefined, address: Buffer): string {
  if (kind === NAME) return address.toString('latin1');
  if (kind === IPV4) return address.join('.');
  return Array.from({ length: 8 }, (_, group) => address.readUInt16BE(2 * group).toString(16)).join(':');
}

async function take(socket: Socket, size: number): Promise<Buffer> {
  for (;;) {
    const bytes = (size === 0 ? Buffer.alloc(0) : socket.read(size)) as Buffer | null;
    if (bytes !== null && bytes.length < size) throw new Error('the request is cut off');
    if (bytes !== null) return bytes;
    await once(socket, 'readable');
  }
}

function reply(code: number): Buffer {
  return Buffer.of(VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0);
}

function placeOf(host: string, port: number): string {
  return `${host.replace(/^\[|\]$/g, '').toLowerCase()} ${port}`;
}
