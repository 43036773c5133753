import { ownUrl, webUrl } from '../../../../core/net/web-url.ts';
import type { RobotsCache } from '../robots/robots-cache.ts';
import type { CrawlSession } from '../session.ts';
import type { GuardProxy } from './guard-proxy.ts';
import type { AskedRequest, RequestVerdict } from './thread-messages.ts';

/** Requests of one load. A page that asks for more has no vitals. */
const MOST_REQUESTS = 500;
/** Types without which a page loads as well: they never end, tell others of it, or are for a later page. */
const NOT_THE_PAGES = new Set(['EventSource', 'Ping', 'CSPViolationReport', 'Prefetch']);
/** Headers that a browser has of its own. */
const THE_BROWSERS = new Set(['user-agent', 'accept', 'accept-encoding', 'cookie']);

export interface GateTools {
  readonly robots: RobotsCache;
  readonly session: CrawlSession;
  readonly guard: GuardProxy;
}

/** Says of each request of a page whether it may be sent, as the crawl asks for its pages. */
export class RequestGate {
  readonly #tools: GateTools;
  #requests = 0;
  /** Something that the page asks for was refused. */
  isIncomplete = false;
  /** A request waited for a robots.txt: the times of this load are not the page's. */
  hasWaited = false;

  constructor(tools: GateTools) {
    this.#tools = tools;
  }

  /** The next requests are those of another load. */
  begin(url: string): void {
    this.#requests = 0;
    this.isIncomplete = false;
    this.hasWaited = false;
    this.#tools.guard.reset();
    // Connections to the page's own host are opened before its request is sent.
    this.#tools.guard.allow(ownUrl(url));
  }

  get hasTooMany(): boolean {
    return this.#requests > MOST_REQUESTS;
  }

  async judge({ url: text, method, type }: AskedRequest): Promise<RequestVerdict> {
    const url = webUrl(text);
    if (url === null) return false;
    this.#requests++;
    if (this.hasTooMany || NOT_THE_PAGES.has(type)) return false;
    const isAllowed = ['GET', 'HEAD', 'OPTIONS'].includes(method) && (await this.#isAllowed(url));
    if (!isAllowed) {
      this.isIncomplete = true;
      return false;
    }
    this.#tools.guard.allow(url);
    const headers = Object.entries(this.#tools.session.headersFor(url));
    return { headers: Object.fromEntries(headers.filter(([name]) => !THE_BROWSERS.has(name))) };
  }

  async #isAllowed(url: URL): Promise<boolean> {
    const { robots } = this.#tools;
    if (robots.known(url) === undefined) this.hasWaited = true;
    const rules = await robots.rulesOf(url);
    return !rules.isUnavailable && rules.isAllowed(url.href);
  }
}
