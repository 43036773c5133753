import { setTimeout as sleep } from 'node:timers/promises';
import { ownUrl } from '../../../core/net/web-url.ts';
import { fetchStatus } from '../fetch/fetch-status.ts';
import type { FetchedAnswer } from '../fetch/fetcher.ts';
import { MOST_ATTEMPTS, mayRetry } from '../fetch/may-retry.ts';
import { leadsOn } from '../fetch/redirect-status.ts';
import type { FetchTools } from '../fetch-round.ts';
import { locationOf } from '../parse/headers.ts';
import { textOf } from '../parse/threads/parse-messages.ts';
import type { PageRecord } from '../records/records.ts';
import { fetchDate, isRefusal, type RequestRecord, UNANSWERED_REQUEST } from '../records/request-record.ts';

/** Bytes of a response that are read: its declarations are at its beginning. */
const MOST_BYTES = 1_000_000;

export interface AskTools
  extends Pick<FetchTools, 'fetcher' | 'robots' | 'pace' | 'parser' | 'scope' | 'signal'> {
  readonly retryDelayMs: number;
}

export type Answered = Omit<RequestRecord, 'kind' | 'source_url' | 'declared_as'>;

/** Requests a URL without following redirects. A URL that is blocked by robots.txt is not requested. */
export async function askUrl(url: string, tools: AskTools): Promise<Answered> {
  const { fetcher, robots, pace, signal, retryDelayMs } = tools;
  const to = ownUrl(url);
  const unasked = { ...UNANSWERED_REQUEST, url, fetch_date: fetchDate(new Date()) };
  for (let attempt = 1; ; attempt++) {
    const rules = await robots.rulesOf(to);
    if (rules.isUnavailable) {
      const error = rules.hostError?.error ?? 'robots_unavailable';
      return { ...unasked, fetch_status: fetchStatus(null), error };
    }
    if (!rules.isAllowed(url))
      return {
        ...unasked,
        fetch_status: fetchStatus(null, true),
        robots_txt_denied: true,
        is_indexable: false,
      };
    await pace.turn(to.host, rules.delayMs, signal);
    const answer = await fetcher.fetch(url, MOST_BYTES);
    signal.throwIfAborted();
    // The rest of a body is not needed.
    const isCut = answer.statusCode !== null && answer.isBrokenOff;
    if (isCut || !mayRetry(answer, to, pace) || attempt === MOST_ATTEMPTS) return recordOf(answer, tools);
    await sleep(retryDelayMs * attempt, undefined, { signal });
  }
}

async function recordOf(answer: FetchedAnswer, { parser, scope }: AskTools): Promise<Answered> {
  const { url, statusCode, error, headers, fetchedAt } = answer;
  const location = leadsOn(statusCode) ? locationOf(headers, url) : null;
  const record = {
    ...UNANSWERED_REQUEST,
    url,
    status_code: statusCode,
    fetch_status: fetchStatus(statusCode),
    error,
    redirect_location: location === null ? null : scope.spell(location),
    fetch_date: fetchDate(fetchedAt),
  };
  if (statusCode === null || isRefusal(statusCode)) return record;
  if (statusCode < 200 || statusCode > 299) return { ...record, is_indexable: false };
  let page: PageRecord | undefined;
  const facts = { depth: null, sources: [], robots_txt_denied: false, denied_robots: null };
  await parser.parse({ answer, facts, rendered: null }, async ({ pages }) => {
    page = JSON.parse(textOf(pages)) as PageRecord;
  });
  if (page === undefined) throw new Error(`${url} has no record`);
  return {
    ...record,
    is_noindex: page.meta_robots_index === null ? null : !page.meta_robots_index,
    is_indexable: page.indexable,
    canonical: page.rel_canonical,
    hreflang_hrefs: page.hreflang_hrefs,
  };
}
