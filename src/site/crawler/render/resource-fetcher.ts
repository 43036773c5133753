import { ownUrl } from '../../../core/net/web-url.ts';
import { decodeContent } from '../fetch/content-encoding.ts';
import type { FetchedAnswer, Fetcher } from '../fetch/fetcher.ts';
import type { Pace } from '../frontier/pace.ts';
import type { RobotsCache } from '../robots/robots-cache.ts';

/** Bytes of one resource, on the wire and after content-encoding, each. */
const MOST_BYTES = 5_000_000;
/** Bytes of the responses that are kept for the other pages of a crawl. */
const MOST_KEPT = 48_000_000;
/** From the turn of a request to the last byte; a page waits no longer. */
const LONGEST_MS = 10_000;
/** The longest wait for a turn, such as for a host with an unavailable robots.txt. */
const LONGEST_TURN_MS = 30_000;
/** Headers that belong to the crawl or to the connection. */
const NOT_THE_PAGES =
  /^(?:user-agent|cookie|accept-encoding|host|connection|content-length|content-type|te|transfer-encoding|upgrade.*|proxy-.*|sec-.*|keep-alive|expect|if-.*|range)$/;
/** Headers that do not change the resource. */
const SAME_RESOURCE = /^(?:accept|accept-language|referer|cache-control|pragma|priority)$/;

export interface ResourceAnswer {
  readonly status: number | null;
  readonly headers: FetchedAnswer['headers'];
  readonly body: Uint8Array;
  readonly isDenied: boolean;
  readonly error: string | null;
}

export interface ResourceTools {
  readonly fetcher: Fetcher;
  readonly robots: RobotsCache;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/**
 * Fetches the resources of rendered pages under the rules of the crawl: robots.txt, the pace of the host and the guard
 * against private addresses. Fetches each resource once for all pages, regardless of its cache headers.
 */
export class ResourceFetcher {
  readonly #tools: ResourceTools;
  /** The least recently used one first. */
  readonly #kept = new Map<string, ResourceAnswer>();
  readonly #underWay = new Map<string, Promise<ResourceAnswer>>();
  #bytes = 0;

  constructor(tools: ResourceTools) {
    this.#tools = tools;
  }

  /** @param onTurn is called when the request is sent; until then it waited for its turn */
  get(
    url: string,
    pageHeaders: Readonly<Record<string, string>>,
    onTurn: () => void,
  ): Promise<ResourceAnswer> {
    const headers = Object.fromEntries(
      Object.entries(pageHeaders)
        .map(([name, value]) => [name.toLowerCase(), value] as const)
        .filter(([name]) => !NOT_THE_PAGES.test(name)),
    );
    const telling = Object.entries(headers).filter(([name]) => !SAME_RESOURCE.test(name));
    const key = JSON.stringify([url, ...telling.toSorted()]);
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      onTurn();
      return Promise.resolve(kept);
    }
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay.finally(onTurn);
    const asked = this.#fetch(ownUrl(url), headers, onTurn)
      .then((answer) => this.#keep(key, answer))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, asked);
    return asked;
  }

  #keep(key: string, answer: ResourceAnswer): ResourceAnswer {
    const size = answer.body.length;
    if ((answer.status === null && !answer.isDenied) || size > MOST_KEPT / 4) return answer;
    this.#kept.set(key, answer);
    this.#bytes += size;
    for (const [oldest, { body }] of this.#kept) {
      if (this.#bytes <= MOST_KEPT) break;
      this.#kept.delete(oldest);
      this.#bytes -= body.length;
    }
    return answer;
  }

  async #fetch(
    url: URL,
    headers: Readonly<Record<string, string>>,
    onTurn: () => void,
  ): Promise<ResourceAnswer> {
    const { fetcher, signal } = this.#tools;
    const refusal = await orLate(this.#turn(url), LONGEST_TURN_MS, 'timeout');
    onTurn();
    if (refusal !== null) return nothing(refusal === 'robots_txt' ? null : refusal, refusal === 'robots_txt');
    signal.throwIfAborted();
    const answer = await orLate(fetcher.fetch(url.href, MOST_BYTES, undefined, headers), LONGEST_MS, null);
    if (answer === null) return nothing('timeout');
    return fromAnswer(answer);
  }

  /** Waits until the host is ready; returns why the request is not allowed, or null. */
  async #turn(url: URL): Promise<'robots_txt' | 'robots_unavailable' | null> {
    const { robots, pace, signal } = this.#tools;
    const rules = await robots.rulesOf(url);
    if (rules.isUnavailable) return 'robots_unavailable';
    if (!rules.isAllowed(url.href)) return 'robots_txt';
    await pace.turn(url.host, rules.delayMs, signal);
    return null;
  }
}

function fromAnswer(answer: FetchedAnswer): ResourceAnswer {
  const { statusCode, error, headers, body, isTruncated, isBrokenOff } = answer;
  if (statusCode === null || isBrokenOff) return nothing(error ?? 'connection');
  const decoded = decodeContent(body ?? new Uint8Array(0), headers, MOST_BYTES);
  if (isTruncated || decoded.isTruncated || decoded.body === null)
    return { ...nothing(decoded.body === null ? 'protocol' : 'too_large'), status: statusCode, headers };
  return { status: statusCode, headers, body: decoded.body, isDenied: false, error: null };
}

function nothing(error: string | null, isDenied = false): ResourceAnswer {
  return { status: null, headers: [], body: new Uint8Array(0), isDenied, error };
}

async function orLate<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  const timer = Promise.withResolvers<L>();
  const timeout = setTimeout(() => timer.resolve(late), ms);
  // A late request may still fail after the page has stopped waiting for it.
  work.catch(() => {});
  return Promise.race([work, timer.promise]).finally(() => clearTimeout(timeout));
}
