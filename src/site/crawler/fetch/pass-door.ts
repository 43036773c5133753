import { spellUrl } from '../../../core/net/web-url.ts';
import { locationOf } from '../parse/headers.ts';
import type { FetchedAnswer } from './fetcher.ts';
import { leadsOn } from './redirect-status.ts';

/** The maximum number of redirects that are followed from a URL before it is requested again. */
const MOST_HOPS = 8;
const MOST_TARGETS = 10_000;

/** Returns the target of a redirect, in the normalized spelling of URLs; null for other responses. */
export function redirectTarget(answer: Pick<FetchedAnswer, 'url' | 'statusCode' | 'headers'>): string | null {
  const next = leadsOn(answer.statusCode) ? locationOf(answer.headers, answer.url) : null;
  return next === null ? null : spellUrl(next);
}

type Ask = (url: string) => Promise<FetchedAnswer | null>;

/** The redirects of a crawl that keeps cookies. */
export class Doors {
  /** Redirect targets that are known to lead to no door, so that they are not requested again. */
  readonly #others = new Set<string>();

  /**
   * Returns the response of a URL for a visitor who accepts the cookies on the way. A redirect that leads back to the
   * URL, directly or via other URLs, is a door, and the URL is requested again, as browsers do. Without a door, this is
   * the first response.
   *
   * @param hasNewCookie whether the first response set a cookie, which may change the next response
   * @param ask gives null for a URL that may not be requested
   */
  async pass(first: FetchedAnswer, hasNewCookie: boolean, ask: Ask): Promise<FetchedAnswer> {
    const target = redirectTarget(first);
    if (target === null || (!hasNewCookie && this.#others.has(target))) return first;
    const last = await follow(first, ask);
    if (last?.url === first.url) return last;
    if (this.#others.size >= MOST_TARGETS) this.#others.clear();
    this.#others.add(target);
    return first;
  }
}

/** Returns the end of a chain of redirects; null if there is no response, or after too many redirects. */
async function follow(first: FetchedAnswer, ask: Ask): Promise<FetchedAnswer | null> {
  let answer = first;
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const next = redirectTarget(answer);
    if (next === null) return answer;
    const found = await ask(next);
    if (found === null || found.statusCode === null) return null;
    answer = found;
  }
  return null;
}
