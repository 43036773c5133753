import { spellUrl } from '../../../../core/net/web-url.ts';
import { locationOf } from '../parse/headers.ts';
import type { FetchedAnswer } from './fetcher.ts';
import { leadsOn } from './redirect-status.ts';

/** Redirects that are followed from a URL until it is asked for again. */
const MOST_HOPS = 8;
const MOST_TARGETS = 10_000;

/** Where an answer redirects to, in the one spelling of URLs; null for one that does not. */
export function redirectTarget(answer: Pick<FetchedAnswer, 'url' | 'statusCode' | 'headers'>): string | null {
  const next = leadsOn(answer.statusCode) ? locationOf(answer.headers, answer.url) : null;
  return next === null ? null : spellUrl(next);
}

type Ask = (url: string) => Promise<FetchedAnswer | null>;

/** The redirects of a crawl that keeps cookies. */
export class Doors {
  /** Targets of redirects that are known to lead to no door, so that they are not asked for again. */
  readonly #others = new Set<string>();

  /**
   * The answer of a URL for a visitor whose cookies came on the way: a redirect that leads back to the URL, at once or
   * over others, is a door, and the URL is asked for again, as browsers do. Without a door it is the first answer.
   *
   * @param hasNewCookie whether the first answer brought a cookie, by which the next one may be another than before
   * @param ask gives null for a URL that may not be asked for
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

/** What a redirect ends at; null where nobody answers, or after too many. */
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
