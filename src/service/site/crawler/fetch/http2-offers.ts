import { isIP, type LookupFunction } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { ProxyRoute } from './crawl-proxy.ts';

/** Hosts whose answers are kept. */
const MOST_HOSTS = 1_000;

/** Asks each host once, by a handshake without a request, whether it would speak HTTP/2 with a browser (RFC 7301). */
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

  /** Null for a host that does not say, and over http. */
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
