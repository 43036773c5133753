import { counted } from '../../../../core/text/amounts.ts';
import { reasonWords } from '../../presentation/reason-words.ts';
import type { UrlPage } from './read-page.ts';
import type { UrlStory } from './read-url.ts';

/** Returns the status of a page, or why it has none. */
export function statusText({
  status_code,
  observation_reason: reason,
}: Pick<UrlPage, 'status_code' | 'observation_reason'>): string {
  return status_code === null ? reasonWords(reason ?? 'no_answer') : String(status_code);
}

/** Returns the depth as text. A page counts as unlinked only if the crawl covers the whole site and counts links. */
export function depthText({ crawl }: UrlStory, { depth, nb_inlinks }: UrlPage): string {
  if (depth !== null) return counted(depth, 'click');
  return crawl.scope_note === null && nb_inlinks !== null ? 'no link leads here' : 'unknown';
}
