import { buildConnector, type Dispatcher, Pool } from 'undici';
import { ownUrl, requestPath } from '../../../core/net/web-url.ts';
import type { CrawlSession } from '../crawl-session.ts';
import type { Fetched } from '../records/records.ts';
import { coded, ProxyRoute, type RequestTarget } from './crawl-proxy.ts';
import { errorOf, type FetchError, isBrokenOffBy, LATE, refusalOf } from './fetch-error.ts';
import { hasNoBody, headerText, MOST_HEADERS } from './lenient-reader.ts';
import { lenientRequest } from './lenient-request.ts';
import { askByNtlm } from './ntlm-auth.ts';
import {
  Http2Offers,
  NO_PROTOCOLS,
  ProtocolClient,
  type ProtocolHandler,
  type Protocols,
} from './protocol-client.ts';
import type { HostResolver } from './resolve-host.ts';

export const DEFAULT_FETCH_LIMITS = {
  /** Milliseconds. */
  connectTimeout: 10_000,
  headersTimeout: 30_000,
  /** Between two pieces of a body. */
  bodyTimeout: 30_000,
  /** From the request to the last byte. */
  totalTimeout: 60_000,
  /** Bytes of a body, on the wire and after content-encoding, each. */
  bytes: 10_000_000,
};
export type FetchLimits = Readonly<typeof DEFAULT_FETCH_LIMITS>;

/** A raw answer: redirects are not followed, content-encoding is not decoded. */
export interface FetchedAnswer extends Omit<Fetched, 'error' | 'problem' | 'bytes'> {
  readonly error: FetchError | null;
  /** The body ended early. */
  readonly isBrokenOff: boolean;
}

/** Resolves when there is room for a body of more than `LARGE_BODY` bytes. */
export type Room = () => Promise<void>;

type AskedRequest = Pick<RequestTarget, 'path' | 'headers'>;
type CollectorLimits = Pick<FetchLimits, 'bytes' | 'totalTimeout'> & { readonly room: Room | undefined };

const LARGE_BODY = 1_000_000;
/** Files of which a crawl reads only the beginning, which identifies them. */
const MEDIA = /^(?:image|video|audio|font)\/|^application\/(?:x-)?(?:zip|gzip|tar|7z|rar|iso9660)/i;
const CUT = 'ERR_CRAWL_BODY_LIMIT';
/** Statuses such as 204, which cannot have a body. The strict reader would wait for an announced body. */
const BODILESS = 'ERR_CRAWL_NO_BODY';
/** Hosts whose connections are kept. */
const MOST_POOLS = 256;
/** Origins that are known to need the lenient reader. */
const MOST_LENIENT = 1_000;
interface FetcherOptions {
  readonly limits: FetchLimits;
  /** The maximum number of connections to one host. */
  readonly connections: number;
  readonly proxy?: ProxyRoute | null;
}

/** Sends the requests of a crawl, with one pool of connections per host, and one request at a time per connection. */
export class Fetcher implements AsyncDisposable {
  readonly #pools = new Map<string, Pool>();
  readonly #session: CrawlSession;
  readonly #resolver: HostResolver;
  readonly #options: FetcherOptions;
  readonly #http2: Http2Offers;
  readonly #connect: buildConnector.connector;
  /** Origins that need the lenient reader, because the pool could not read a response. */
  readonly #lenient = new Set<string>();
  /** Origins that only support HTTP/2. */
  readonly #onlyHttp2 = new Set<string>();
  #isClosed = false;

  constructor(session: CrawlSession, resolver: HostResolver, options: FetcherOptions) {
    this.#session = session;
    this.#resolver = resolver;
    this.#options = options;
    const { lookup } = resolver;
    const { proxy = null, limits } = options;
    const timeout = limits.connectTimeout;
    this.#connect = proxy?.connect ?? buildConnector({ timeout, lookup, allowH2: false });
    this.#http2 = new Http2Offers(lookup, timeout, proxy);
  }

  /**
   * Sends a request; an error is in the response. Answers the challenge of a server once. A closed fetcher sends
   * nothing.
   *
   * @param extra headers of this request, which replace the crawl's
   */
  async fetch(
    text: string,
    bytes: number = this.#options.limits.bytes,
    room?: Room,
    extra: Readonly<Record<string, string>> = {},
  ): Promise<FetchedAnswer> {
    const url = ownUrl(text);
    const credentials = this.#session.ntlmFor(url);
    if (credentials !== null)
      return askByNtlm(this.#pool(url.origin), credentials, (headers) =>
        this.#once(url, bytes, room, { ...extra, ...headers }),
      );
    let answer = await this.#once(url, bytes, room, extra);
    if (answer.statusCode !== null && this.#session.isChallenged(url, answer.statusCode, answer.headers))
      answer = await this.#once(url, bytes, room, extra);
    return answer;
  }

  /** Returns the cookies for a request to a URL now; null if none are kept. */
  cookiesFor(url: URL): string | null {
    return this.#session.cookiesFor(url);
  }

  /** Fetches a page, and checks whether its host offers HTTP/2. */
  async fetchPage(text: string, room: Room): Promise<FetchedAnswer> {
    // A request that waits for room must not hold the only connection: the requests that have room need it.
    if (this.#session.ntlmFor(ownUrl(text)) !== null) await room();
    const answer = await this.fetch(text, undefined, room);
    return answer.statusCode === null
      ? answer
      : { ...answer, offersHttp2: await this.#http2.of(ownUrl(text)) };
  }

  async #once(
    url: URL,
    bytes: number,
    room: Room | undefined,
    extra: Readonly<Record<string, string>>,
  ): Promise<FetchedAnswer> {
    let target: RequestTarget = { path: requestPath(url), headers: {}, isForwarded: false };
    try {
      if (this.#isClosed) throw new Error('the fetcher is closed');
      this.#resolver.checkHost(url.hostname);
      target = (await this.#options.proxy?.target(url)) ?? target;
    } catch (error) {
      return failed(url.href, error, new Date());
    }
    const headers = { ...this.#session.headersFor(url), ...extra, ...target.headers };
    const asked = { path: target.path, headers };
    const limits = { bytes, totalTimeout: this.#options.limits.totalTimeout, room };
    const isLenient = this.#lenient.has(url.origin);
    let answer = await this.#send(url, asked, limits, isLenient);
    if (await this.#needsHttp2(url, answer)) {
      this.#onlyHttp2.add(url.origin);
      this.#close(url.origin);
      answer = await this.#send(url, asked, limits, false);
    }
    // The lenient reader uses its own connections, which NTLM has not signed in.
    if (!isLenient && answer.error === 'protocol' && this.#session.ntlmFor(url) === null) {
      answer = await this.#send(url, asked, limits, true);
      if (answer.statusCode !== null && this.#lenient.size >= MOST_LENIENT) this.#lenient.clear();
      // The next answers of the origin are not requested twice.
      if (answer.statusCode !== null) this.#lenient.add(url.origin);
    }
    const refusal = ProxyRoute.refusal(target, answer.statusCode);
    if (refusal !== null) return failed(url.href, refusal, answer.fetchedAt);
    this.#session.received(url, answer.headers);
    return answer;
  }

  /**
   * Whether a host that does not support HTTP/1.1 supports HTTP/2. Other hosts use HTTP/1.1, because undici joins the
   * headers of HTTP/2 by name and sends many requests on one connection.
   */
  async #needsHttp2(url: URL, { error }: FetchedAnswer): Promise<boolean> {
    if (this.#onlyHttp2.has(url.origin) || this.#session.ntlmFor(url) !== null) return false;
    if (error !== 'tls_protocol' && error !== 'protocol') return false;
    return (await this.#http2.of(url)) === true;
  }

  async #send(
    url: URL,
    asked: AskedRequest,
    limits: CollectorLimits,
    isLenient: boolean,
  ): Promise<FetchedAnswer> {
    const { promise, resolve } = Promise.withResolvers<FetchedAnswer>();
    const { bodyTimeout } = this.#options.limits;
    const handler = new Collector(url.href, limits, resolve);
    try {
      if (isLenient) lenientRequest(url, { connect: this.#connect, ...asked, timeout: bodyTimeout }, handler);
      else this.#pool(url.origin).dispatch({ ...asked, method: 'GET' }, handler);
    } catch (error) {
      return failed(url.href, error, new Date());
    }
    return promise;
  }

  #pool(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    this.#closeOldest();
    const { headersTimeout, bodyTimeout, connectTimeout } = this.#options.limits;
    const allowH2 = this.#onlyHttp2.has(origin);
    const { lookup } = this.#resolver;
    const connect = allowH2
      ? (this.#options.proxy?.connectHttp2 ?? buildConnector({ timeout: connectTimeout, lookup, allowH2 }))
      : this.#connect;
    const pool = new Pool(origin, {
      // NTLM signs in a connection: each further one would need a sign-in too.
      connections: this.#session.ntlmFor(ownUrl(origin)) === null ? this.#options.connections : 1,
      pipelining: 1,
      allowH2,
      headersTimeout,
      bodyTimeout,
      maxHeaderSize: MOST_HEADERS,
      factory: (to, options) => new ProtocolClient(to, { ...options, connect }),
    });
    this.#pools.set(origin, pool);
    return pool;
  }

  /** Closes the oldest pool. A closed pool still finishes its requests. */
  #closeOldest(): void {
    const [oldest] = this.#pools.keys();
    if (oldest !== undefined && this.#pools.size >= MOST_POOLS) this.#close(oldest);
  }

  #close(origin: string): void {
    const pool = this.#pools.get(origin);
    this.#pools.delete(origin);
    // Each of its requests has its own error.
    void pool?.close().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#http2[Symbol.dispose]();
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }
}

/**
 * Collects one response. Its times begin when the request is written to a connection, so they do not include waiting
 * for one.
 */
class Collector implements ProtocolHandler {
  client: { readonly protocols: Protocols } | null = null;
  readonly #url: string;
  readonly #limits: CollectorLimits;
  readonly #resolve: (answer: FetchedAnswer) => void;
  readonly #chunks: Buffer[] = [];
  #startedAt = performance.now();
  #fetchedAt = new Date();
  #timer: NodeJS.Timeout | undefined;
  #ttfbMs = 0;
  #bytes = 0;
  #statusCode = 0;
  #hasRoom = false;
  #most: number;
  /** The time spent waiting for room, which is not the server's. */
  #waitedMs = 0;
  #headers: FetchedAnswer['headers'] = [];
  #protocols = NO_PROTOCOLS;

  constructor(url: string, limits: CollectorLimits, resolve: (answer: FetchedAnswer) => void) {
    this.#url = url;
    this.#limits = limits;
    this.#most = limits.bytes;
    this.#resolve = resolve;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#startedAt = performance.now();
    this.#fetchedAt = new Date();
    this.#watch(controller);
  }

  #watch(controller: Dispatcher.DispatchController): void {
    const left = this.#limits.totalTimeout - this.#loadTimeMs();
    this.#timer = setTimeout(() => controller.abort(coded(LATE, LATE)), Math.max(0, left));
  }

  #loadTimeMs(): number {
    return performance.now() - this.#startedAt - this.#waitedMs;
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number): void {
    this.#ttfbMs = performance.now() - this.#startedAt;
    this.#statusCode = statusCode;
    this.#headers = headerList(controller.rawHeaders);
    this.#protocols = this.client?.protocols ?? NO_PROTOCOLS;
    // Only pages wait for room.
    const isMedia = this.#headers.some(([name, value]) => name === 'content-type' && MEDIA.test(value));
    if (isMedia && this.#limits.room !== undefined) this.#most = Math.min(this.#most, LARGE_BODY);
    const announcesBody = this.#headers.some(([name]) => /^(?:transfer-encoding|content-length)$/.test(name));
    if (hasNoBody(statusCode) && announcesBody) controller.abort(coded(BODILESS, BODILESS));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#most - this.#bytes;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += chunk.length;
    if (chunk.length > room) controller.abort(coded(CUT, CUT));
    else if (this.#bytes > LARGE_BODY && !this.#hasRoom) this.#waitForRoom(controller);
  }

  #waitForRoom(controller: Dispatcher.DispatchController): void {
    this.#hasRoom = true;
    if (this.#limits.room === undefined) return;
    const since = performance.now();
    clearTimeout(this.#timer);
    controller.pause();
    void this.#limits.room().then(() => {
      this.#waitedMs = performance.now() - since;
      if (controller.aborted) return;
      this.#watch(controller);
      controller.resume();
    });
  }

  onResponseEnd(): void {
    this.#answered(false, false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    const { code = '' } = error as NodeJS.ErrnoException;
    // Like browsers, it keeps the received part once the headers are complete.
    const isBrokenOff = this.#statusCode > 0 && isBrokenOffBy(code);
    if (code === BODILESS) this.#answered(false, false);
    else if (code === CUT || isBrokenOff) this.#answered(true, isBrokenOff);
    else this.#resolve(failed(this.#url, error, this.#fetchedAt, this.#loadTimeMs()));
  }

  #answered(isTruncated: boolean, isBrokenOff: boolean): void {
    clearTimeout(this.#timer);
    this.#resolve({
      url: this.#url,
      statusCode: this.#statusCode,
      error: null,
      refusal: null,
      headers: this.#headers,
      body: this.#chunks.length === 1 ? (this.#chunks[0] ?? null) : Buffer.concat(this.#chunks),
      isTruncated,
      isBrokenOff,
      loadTimeMs: this.#loadTimeMs(),
      ttfbMs: this.#ttfbMs,
      fetchedAt: this.#fetchedAt,
      ...this.#protocols,
      offersHttp2: null,
    });
  }
}

function failed(url: string, error: unknown, fetchedAt: Date, loadTimeMs = 0): FetchedAnswer {
  return { ...UNANSWERED, url, error: errorOf(error), refusal: refusalOf(error), fetchedAt, loadTimeMs };
}

export const UNANSWERED = {
  statusCode: null,
  error: null,
  refusal: null,
  headers: [],
  body: null,
  isTruncated: false,
  isBrokenOff: false,
  loadTimeMs: 0,
  ttfbMs: 0,
  ...NO_PROTOCOLS,
  offersHttp2: null,
} as const;

function headerList(raw: Dispatcher.DispatchController['rawHeaders']): FetchedAnswer['headers'] {
  // For HTTP/2 they are an object, with pseudo-headers.
  if (raw !== null && typeof raw === 'object' && !Array.isArray(raw))
    return Object.entries(raw as Readonly<Record<string, string | readonly string[]>>)
      .filter(([name]) => !name.startsWith(':'))
      .flatMap(([name, values]) => [values].flat().map((value) => [name, String(value)] as const));
  const flat = Array.isArray(raw) ? raw : [];
  return Array.from({ length: flat.length >> 1 }, (_, index) => {
    const name = headerText(flat[index * 2] ?? '').toLowerCase();
    return [name, headerText(flat[index * 2 + 1] ?? '', name)] as const;
  });
}
