import { spellUrl, webUrl } from '../../core/web-url.ts';
import type { Answer } from './fetcher.ts';
import { headerValues } from './parse/headers.ts';

/** Redirects that are followed from a URL until it is asked for again. */
const MOST_HOPS = 8;

/** Where an answer redirects to, in the one spelling of URLs; null for one that does not. */
export function redirectTarget({ url, statusCode, headers }: Answer): string | null {
  if (statusCode === null || statusCode < 300 || statusCode > 399) return null;
  const [location] = headerValues(headers, 'location');
  const next = location === undefined ? null : webUrl(location, url);
  return next === null ? null : spellUrl(next);
}

/**
 * The answer of a URL for a visitor whose cookies came on the way: a redirect that leads back to the URL, at once or over
 * others, is a door, and the URL is asked for again, as browsers do. Without a door it is the first answer.
 *
 * @param ask gives null for a URL that may not be asked for
 */
export async function passDoor(first: Answer, ask: (url: string) => Promise<Answer | null>): Promise<Answer> {
  let answer = first;
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const next = redirectTarget(answer);
    if (next === null) return answer.url === first.url ? answer : first;
    const found = await ask(next);
    if (found === null || found.statusCode === null) return first;
    answer = found;
  }
  return first;
}
