import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { ownUrl, requestPath } from '../../../core/net/web-url.ts';
import { keepSecret } from '../../../core/secrets/redact.ts';
import { basicAuthorization } from './digest-auth.ts';
import type { HostResolver } from './resolve-host.ts';

/**
 * The setting `crawl_proxy`: an HTTP proxy. The proxy is not part of a crawl's configuration, which only states whether
 * the proxy is used.
 */
export interface CrawlProxy {
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** The code of an error of the proxy, not of the site. */
export const PROXY_ERROR = 'ERR_CRAWL_PROXY';
const UNAUTHORIZED = 407;
const LATE = 'ETIMEDOUT';

interface Way {
  readonly resolver: HostResolver;
  /** Milliseconds to connect. */
  readonly timeout: number;
  /**
   * Whether only tunnels may be used. NTLM authenticates a connection, and through a proxy, only a tunnel is a
   * connection of a single client.
   */
  readonly tunnelsOnly: boolean;
}

/** The target and headers of a request on its connection. */
export interface RequestTarget {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isForwarded: boolean;
}

/** @throws CrawlhouseError `missing_feature` for a crawl with a proxy if the settings have none */
export function requireProxy(
  { useProxy }: { readonly useProxy: boolean },
  proxy: CrawlProxy | undefined,
): CrawlProxy | null {
  if (!useProxy) return null;
  if (proxy !== undefined) return proxy;
  throw new CrawlhouseError('missing_feature', 'use_proxy: no proxy is set', {
    hint: 'set the address of the proxy in crawl_proxy (docs/crawler.md#through-a-proxy)',
  });
}

/**
 * The route to the sites of a crawl through a proxy. It requests tunnels (CONNECT) to addresses that the crawl has
 * resolved and allowed, so the guard against private addresses also works with a proxy. If the proxy refuses tunnels to
 * http ports, it receives the requests themselves, for names whose addresses were checked here.
 */
export class ProxyRoute implements Disposable {
  readonly #proxy: URL;
  readonly #authorization: Readonly<Record<string, string>>;
  readonly #way: Way;
  readonly connect: buildConnector.connector;
  /** To hosts that only support HTTP/2. */
  readonly connectHttp2: buildConnector.connector;
  /** Whether requests to a port are forwarded. */
  readonly #ports = new Map<string, Promise<boolean>>();
  readonly #asking = new Set<ClientRequest>();

  private constructor({ url, username = '', password = '' }: CrawlProxy, way: Way) {
    keepSecret(password);
    this.#proxy = ownUrl(url);
    this.#authorization =
      username === '' ? {} : { 'proxy-authorization': basicAuthorization({ username, password }) };
    this.#way = way;
    this.connect = this.#connectBy(false);
    this.connectHttp2 = this.#connectBy(true);
  }

  /**
   * Null for a crawl without a proxy.
   *
   * @param way with the milliseconds to connect
   * @throws CrawlhouseError `missing_feature`
   */
  static forCrawl(
    settings: { readonly useProxy: boolean; readonly auth?: { readonly scheme: string } | null },
    given: CrawlProxy | undefined,
    way: Omit<Way, 'tunnelsOnly'>,
  ): ProxyRoute | null {
    const proxy = requireProxy(settings, given);
    const tunnelsOnly = settings.auth?.scheme === 'NTLM';
    return proxy === null ? null : new ProxyRoute(proxy, { ...way, tunnelsOnly });
  }

  /** Returns the target of a request. Refuses a URL whose address is not allowed. */
  async target(url: URL): Promise<RequestTarget> {
    const path = requestPath(url);
    if (!(await this.#forwards(url))) return { path, headers: {}, isForwarded: false };
    // The proxy resolves the name itself; this checks that it has allowed addresses.
    await this.#way.resolver.addresses(url.hostname);
    return { path: `${url.origin}${path}`, headers: this.#authorization, isForwarded: true };
  }

  /** Connections for undici, to hosts that `target` was called for. */
  #connectBy(allowH2: boolean): buildConnector.connector {
    const connector = buildConnector({ timeout: this.#way.timeout, allowH2 });
    const connect = async (to: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
      const { protocol, hostname, port } = to;
      if (await this.#forwards({ protocol, hostname, port })) {
        const proxy = { ...to, hostname: plainHost(this.#proxy.hostname), host: this.#proxy.host };
        return connector({ ...proxy, port: this.#proxy.port || '80' }, (...opened) => {
          if (opened[0] === null) callback(...opened);
          else callback(this.#silent(opened[0]), null);
        });
      }
      const httpSocket = await this.tunnel(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
      if (protocol === 'https:') connector({ ...to, httpSocket }, callback);
      else callback(null, httpSocket);
    };
    return (to, callback) => {
      connect(to, callback).catch((error: Error) => callback(error, null));
    };
  }

  /** Returns whether the proxy receives requests of this kind themselves, because it opens no tunnel to their port. */
  #forwards(url: Pick<URL, 'protocol' | 'hostname' | 'port'>): Promise<boolean> {
    const { protocol, hostname } = url;
    const { tunnelsOnly, resolver } = this.#way;
    // The proxy would not find an address that the configuration sets.
    if (protocol === 'https:' || tunnelsOnly || resolver.isGiven(hostname)) return Promise.resolve(false);
    const port = url.port || '80';
    const known = this.#ports.get(port);
    if (known !== undefined) return known;
    const asked = this.tunnel(hostname, Number(port)).then(
      (socket) => {
        socket.destroy();
        return false;
      },
      (error: NodeJS.ErrnoException) => {
        const isRefused = error instanceof TunnelRefusal;
        // For another host the proxy may open one.
        if (!isRefused) this.#ports.delete(port);
        return isRefused;
      },
    );
    this.#ports.set(port, asked);
    return asked;
  }

  async tunnel(host: string, port: number): Promise<Socket> {
    const addresses = await this.#way.resolver.addresses(host);
    // More proxies can reach these.
    const sorted = addresses.toSorted((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)));
    let first: unknown;
    for (const address of sorted) {
      try {
        return await this.#connectTo(`${isIPv6(address) ? `[${address}]` : address}:${port}`);
      } catch (error) {
        first ??= error;
        if ((error as NodeJS.ErrnoException).code === PROXY_ERROR) break;
      }
    }
    throw first;
  }

  async #connectTo(path: string): Promise<Socket> {
    const { hostname, port } = this.#proxy;
    const asked = request({
      host: plainHost(hostname),
      port: Number(port || 80),
      method: 'CONNECT',
      path,
      headers: { host: path, ...this.#authorization },
      agent: false,
    });
    this.#asking.add(asked);
    const timer = setTimeout(() => asked.destroy(coded('no tunnel in time', LATE)), this.#way.timeout);
    try {
      asked.end();
      const opened = await once(asked, 'connect').catch((error: NodeJS.ErrnoException) => {
        throw error.code === LATE ? error : this.#silent(error);
      });
      const [{ statusCode = 0 }, socket, head] = opened as [{ statusCode?: number }, Socket, Buffer];
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        return socket;
      }
      socket.on('error', () => {}); // It is of no use.
      socket.destroy();
      throw notOpened(statusCode, path);
    } finally {
      clearTimeout(timer);
      this.#asking.delete(asked);
    }
  }

  #silent(cause: Error): Error {
    const { code = cause.name } = cause as NodeJS.ErrnoException;
    return coded(`the proxy ${this.#proxy.host} does not answer (${code})`, PROXY_ERROR, cause);
  }

  /** Returns why a status of a forwarded request is not a response of the site; null if it may be. */
  static refusal({ isForwarded }: RequestTarget, statusCode: number | null): Error | null {
    return isForwarded && statusCode === UNAUTHORIZED ? notOpened(statusCode, '') : null;
  }

  [Symbol.dispose](): void {
    for (const asked of this.#asking) asked.destroy();
  }
}

class TunnelRefusal extends Error {
  readonly code = PROXY_ERROR;
}

function notOpened(statusCode: number, path: string): Error {
  // tinyproxy answers 401 for a wrong password.
  if (statusCode === UNAUTHORIZED || statusCode === 401)
    return coded(`the proxy asks for another user name or password (status ${statusCode})`, PROXY_ERROR);
  if (statusCode === 504) return coded('the proxy did not answer in time', LATE);
  // The request did not reach the site.
  if (statusCode >= 500 && statusCode !== 501) return coded(`status ${statusCode}`, 'ERR_CRAWL_UNREACHED');
  return new TunnelRefusal(`the proxy opens no connection to ${path} (status ${statusCode})`);
}

function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function coded(message: string, code: string, cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { code });
}
