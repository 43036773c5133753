import type { CDPSession } from 'playwright-core';
import type { FetchedAnswer } from '../fetch/fetcher.ts';
import type { RenderWarning, Resource } from './rendered.ts';
import type { ResourceAnswer, ResourceFetcher } from './resource-fetcher.ts';

/** Requests of one page. */
const MOST_REQUESTS = 200;
/** Bytes of the responses to them, together. */
const MOST_BYTES = 30_000_000;
/** Redirects of one request. */
const MOST_REDIRECTS = 5;
/** Types that rendering does not need, unless the setting requests them. */
const MEDIA = new Set(['Image', 'Media', 'Font']);
/** Types that the browser caches for the next pages of a tab, as the crawl does: it reads and compiles them once. */
const KEPT = new Set(['Script', 'Stylesheet', 'Font']);
/** The scripts of workers, and requests of the browser itself, such as icons. */
const OTHER = 'Other';
/** Types that never end, or report the page to others. */
const REFUSED = new Set([
  'EventSource',
  'WebSocket',
  'Ping',
  'CSPViolationReport',
  'Prefetch',
  'SignedExchange',
]);
/** An image of one pixel: pages wait for their images to load. */
const PIXEL = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
/** Headers that apply to the connection, or would send the browser elsewhere. */
const NOT_FOR_THE_BROWSER =
  /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|trailer|upgrade|strict-transport-security|clear-site-data|report-to|reporting-endpoints|nel|alt-svc)$/;

/** Headers that set how long the browser caches a response; they are replaced. */
const CACHE_HEADERS = /^(?:cache-control|expires|pragma|age)$/;
const KEEP = ['cache-control', 'max-age=31536000'] as const;
/** Otherwise the hops of a redirect could no longer be distinguished. */
const KEEP_NOT = ['cache-control', 'no-store'] as const;

/** The resources that a tab has received, by URL: the browser may use them again without a request. */
export type GivenResources = Map<string, Resource>;

/** The document that is rendered: its response with the body after content-encoding. */
export interface MainAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: FetchedAnswer['headers'];
  readonly body: Uint8Array;
}

/** A request of the browser that waits for its response (`Fetch.requestPaused`). */
export interface PausedRequest {
  readonly requestId: string;
  readonly networkId?: string;
  readonly frameId: string;
  readonly resourceType: string;
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

interface PageRequestOptions {
  readonly frameId: string;
  readonly media: boolean;
  readonly given: GivenResources;
}

/** Answers all requests of one page; none reaches the network any other way. */
export class PageRequests {
  readonly #cdp: CDPSession;
  readonly #resources: ResourceFetcher;
  readonly #main: MainAnswer;
  readonly #options: PageRequestOptions;
  readonly #hops = new Map<string, number>();
  /** URLs by the browser's number of the request. */
  readonly #asked = new Map<string, string>();
  readonly #underWay = new Set<Promise<ResourceAnswer>>();
  #isServed = false;
  #waiting = 0;
  #bytes = 0;
  readonly seen: Resource[] = [];
  readonly warnings = new Set<RenderWarning>();
  scriptRedirect: string | null = null;

  constructor(cdp: CDPSession, resources: ResourceFetcher, main: MainAnswer, options: PageRequestOptions) {
    this.#cdp = cdp;
    this.#resources = resources;
    this.#main = main;
    this.#options = options;
  }

  /** Whether a request waits for its turn: that time does not count for the page. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Resolves when the requests in progress are done. */
  async answered(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async answer(paused: PausedRequest): Promise<void> {
    const { resourceType, frameId, request } = paused;
    const isMain = resourceType === 'Document' && frameId === this.#options.frameId;
    if (isMain && !this.#isServed) {
      this.#isServed = true;
      return this.#fulfill(paused, this.#main.status, this.#main);
    }
    // A request of the previous page, which ends now.
    if (!this.#isServed) return this.#fail(paused, 'Aborted');
    if (isMain) {
      this.scriptRedirect ??= request.url;
      return this.#fail(paused, 'Aborted');
    }
    if (request.method === 'OPTIONS') return this.#allowPreflight(paused);
    await this.#serveResource(paused);
  }

  asked(requestId: string, url: string): void {
    if (this.#isServed) this.#asked.set(requestId, url);
  }

  /** Records that the browser has used a resource of an earlier page, which also counts as a resource of this page. */
  kept(requestId: string): void {
    const given = this.#options.given.get(this.#asked.get(requestId) ?? '');
    if (given === undefined || this.seen.some(({ url }) => url === given.url)) return;
    if (this.seen.length < MOST_REQUESTS) this.seen.push(given);
    else this.warnings.add('render_request_limit');
  }

  async #serveResource(paused: PausedRequest): Promise<void> {
    const { resourceType, request } = paused;
    if (this.seen.length >= MOST_REQUESTS) {
      this.warnings.add('render_request_limit');
      return this.#fail(paused, 'BlockedByClient');
    }
    if (!/^https?:/.test(request.url) || (resourceType === OTHER && !isOfWorker(paused)))
      return this.#fail(paused, 'BlockedByClient');
    const hops = this.#hops.get(paused.networkId ?? '') ?? 0;
    this.#hops.set(paused.networkId ?? '', hops + 1);
    if (request.method !== 'GET' || REFUSED.has(resourceType) || isAhead(paused))
      return this.#refuse(paused, 'refused');
    if (hops > MOST_REDIRECTS) return this.#refuse(paused, 'too_many_redirects');
    if (MEDIA.has(resourceType) && !this.#options.media) return this.#withoutMedia(paused);
    const place = this.seen.push(resourceOf(paused, null, 'unfinished')) - 1;
    const asked = this.#get(paused);
    this.#underWay.add(asked);
    const answer = await asked.finally(() => this.#underWay.delete(asked));
    const resource = resourceOf(paused, answer, answer.error);
    this.seen[place] = resource;
    this.#bytes += answer.body.length;
    if (this.#bytes > MOST_BYTES) this.warnings.add('render_size_limit');
    if (answer.status === null || answer.error !== null || this.#bytes > MOST_BYTES)
      return this.#fail(paused, answer.error === 'timeout' ? 'TimedOut' : 'Failed');
    this.#options.given.set(request.url, resource);
    const isHop = hops > 0 || (answer.status >= 300 && answer.status < 400);
    const cached = isHop ? KEEP_NOT : KEPT.has(resourceType) && answer.status === 200 ? KEEP : null;
    const others = answer.headers.filter(([name]) => cached === null || !CACHE_HEADERS.test(name));
    const headers = cached === null ? others : [...others, cached];
    await this.#fulfill(paused, answer.status, { headers, body: answer.body });
  }

  async #get({ request }: PausedRequest): Promise<ResourceAnswer> {
    let isWaiting = true;
    this.#waiting++;
    const onTurn = (): void => {
      if (isWaiting) this.#waiting--;
      isWaiting = false;
    };
    try {
      return await this.#resources.get(request.url, request.headers, onTurn);
    } finally {
      onTurn();
    }
  }

  async #refuse(paused: PausedRequest, error: string): Promise<void> {
    this.seen.push(resourceOf(paused, null, error));
    await this.#fail(paused, 'BlockedByClient');
  }

  async #withoutMedia(paused: PausedRequest): Promise<void> {
    const resource = resourceOf(paused, null, 'not_loaded');
    this.seen.push(resource);
    this.#options.given.set(resource.url, resource);
    if (paused.resourceType !== 'Image') return this.#fail(paused, 'BlockedByClient');
    const headers = [['content-type', 'image/gif'], ['access-control-allow-origin', '*'], KEEP] as const;
    await this.#fulfill(paused, 200, { headers, body: Buffer.from(PIXEL, 'base64') });
  }

  /** Allows a preflight request. The response itself is still subject to CORS. */
  async #allowPreflight(paused: PausedRequest): Promise<void> {
    const header = (name: string): string => headerOf(paused, name);
    const headers = [
      ['access-control-allow-origin', header('origin') || '*'],
      ['access-control-allow-methods', 'GET'],
      ['access-control-allow-headers', header('access-control-request-headers')],
      ['access-control-allow-credentials', 'true'],
    ] as const;
    await this.#fulfill(paused, 204, { headers, body: new Uint8Array(0) });
  }

  async #fulfill(
    { requestId }: PausedRequest,
    responseCode: number,
    { headers, body }: { readonly headers: FetchedAnswer['headers']; readonly body: Uint8Array },
  ): Promise<void> {
    const responseHeaders = headers
      .filter(([name]) => !NOT_FOR_THE_BROWSER.test(name))
      .map(([name, value]) => ({ name, value }));
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
    await this.#cdp.send('Fetch.fulfillRequest', { requestId, responseCode, responseHeaders, body: text });
  }

  async #fail(
    { requestId }: PausedRequest,
    errorReason: 'Aborted' | 'BlockedByClient' | 'Failed' | 'TimedOut',
  ): Promise<void> {
    await this.#cdp.send('Fetch.failRequest', { requestId, errorReason });
  }
}

/** Icons are requested as images. */
function isOfWorker(paused: PausedRequest): boolean {
  return headerOf(paused, 'accept') === '*/*';
}

/** Returns whether it is for a page that the user may visit next. */
function isAhead(paused: PausedRequest): boolean {
  return headerOf(paused, 'sec-purpose').startsWith('prefetch');
}

function headerOf({ request }: PausedRequest, name: string): string {
  return Object.entries(request.headers).find(([one]) => one.toLowerCase() === name)?.[1] ?? '';
}

function resourceOf(
  { resourceType, request }: PausedRequest,
  answer: ResourceAnswer | null,
  error: string | null,
): Resource {
  const type = answer?.headers.find(([name]) => name === 'content-type')?.[1];
  return {
    url: request.url,
    type: resourceType.toLowerCase(),
    status: answer?.status ?? null,
    content_type: type?.split(';')[0]?.trim().toLowerCase() ?? null,
    size: answer === null || answer.status === null ? null : answer.body.length,
    robots_txt_denied: answer?.isDenied ?? false,
    error,
  };
}
