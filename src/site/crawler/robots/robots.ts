import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { retryAfterMs } from '../../../client/http/retry-after.ts';
import { ownUrl, requestPath } from '../../../core/net/web-url.ts';
import { decodeBytes } from '../../../core/text/encodings.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { decodeContent } from '../fetch/content-encoding.ts';
import { type FetchError, isOfHost } from '../fetch/fetch-error.ts';
import type { FetchedAnswer } from '../fetch/fetcher.ts';
import { headerValues, locationOf } from '../parse/headers.ts';
import { ROBOTS } from '../parse/robots-directives.ts';
import { linesOfRobots, parseRobots } from './robots-rules.ts';

/** Bytes of robots.txt that are read, at least (RFC 9309 §2.5). */
const MOST_BYTES = 512_000;
/** Redirects of robots.txt that are followed (RFC 9309 §2.3.1.2). */
const MOST_REDIRECTS = 5;
/** A longer Crawl-delay is an error or a refusal. */
const LONGEST_DELAY_MS = 60_000;

/** The stored robots.txt of an origin. */
export const RobotsFile = z.object({
  /**
   * `missing`: everything is allowed. `unavailable`: no response, or a server error: nothing is allowed (RFC 9309
   * §2.3.1.4).
   */
  status: z.enum(['found', 'missing', 'unavailable']),
  content: z.string(),
});
export interface RobotsFile extends Typed<typeof RobotsFile> {
  /** If unavailable: why no page of the origin is available either. */
  readonly hostError?: Pick<FetchedAnswer, 'error' | 'refusal'>;
}

/** The outcome of a try to fetch robots.txt. */
export interface RobotsAnswer extends RobotsFile {
  /** Status of the last response, after its redirects. */
  readonly statusCode: number | null;
  /** If there was no response: the error. */
  readonly error?: FetchError | null;
  /** If the proxy stopped the request: why. */
  readonly refusal?: string | null;
  /** Why it is unavailable, as a message. */
  readonly problem?: string;
  /** Milliseconds that the server asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** The rules of one origin's robots.txt for this crawler. */
export type RobotsRules = ReturnType<typeof robotsRules>;

export function robotsRules({ status, content, hostError }: RobotsFile, robotName: string) {
  const said = status === 'found' ? parseRobots(content, robotName) : null;
  const others = status === 'found' ? rulesOfEngines(content, robotName) : [];
  return {
    isAllowed: (url: string) => said?.isAllowed(requestPath(ownUrl(url))) ?? status === 'missing',
    /** The line that decides about a URL, with its number from 1; null: no rule matches. */
    lineFor: (url: string): { readonly line: number; readonly text: string } | null => {
      const line = said?.lineFor(requestPath(ownUrl(url))) ?? null;
      return line === null ? null : { line, text: (linesOfRobots(content)[line - 1] ?? '').trim() };
    },
    /** The robots of search engines that may not fetch a URL, independent of this crawler; null for none. */
    deniedRobots: (url: string): string[] | null => {
      if (others.length === 0) return null;
      const path = requestPath(ownUrl(url));
      const denied = others.filter(({ isAllowed }) => !isAllowed(path)).map(({ name }) => name);
      return denied.length === 0 ? null : denied;
    },
    /** Whether robots.txt was unavailable: nothing is fetched, and it is requested again later. */
    isUnavailable: status === 'unavailable',
    hostError: status === 'found' ? null : (hostError ?? null),
    /** Milliseconds between two requests, or null. */
    delayMs: said?.crawlDelay == null ? null : Math.min(said.crawlDelay * 1000, LONGEST_DELAY_MS),
    /** As written. */
    sitemaps: said?.sitemaps ?? [],
  };
}

/** Robots of search engines that sites block by name. A robot for news only does not affect web search. */
const ENGINES = ROBOTS.filter((name) => name !== 'googlebot-news');

/**
 * Returns the search engine rules that can differ from the crawler's, because the file names the engine or the crawler.
 */
function rulesOfEngines(content: string, robotName: string) {
  const text = content.toLowerCase();
  const isNamed = (name: string): boolean => text.includes(name);
  return ENGINES.filter((name) => name !== robotName && (isNamed(name) || isNamed(robotName))).map(
    (name) => ({ name, isAllowed: parseRobots(content, name).isAllowed }),
  );
}

/** Requests robots.txt once, following its redirects. */
async function fetchRobots(
  origin: string,
  fetch: (url: string, bytes: number) => Promise<FetchedAnswer>,
): Promise<RobotsAnswer> {
  let url = `${origin}/robots.txt`;
  let last: number | null = null;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const { statusCode, headers, body, error, refusal, isBrokenOff, isTruncated } = await fetch(
      url,
      MOST_BYTES,
    );
    const header = (name: string): string | undefined => headers.find(([one]) => one === name)?.[1];
    if (statusCode === null || statusCode >= 500 || statusCode === 429) {
      const problem = statusCode === null ? `no answer (${error})` : `status ${statusCode}`;
      return {
        status: 'unavailable',
        content: '',
        statusCode,
        error,
        refusal: error === 'proxy' ? refusal : null,
        problem,
        retryAfterMs: retryAfterMs(header('retry-after')),
        ...(hops === 0 && error !== null && isOfHost(error) ? { hostError: { error, refusal } } : {}),
      };
    }
    last = statusCode;
    if (statusCode >= 400) break;
    if (statusCode < 300) {
      // Google treats an interrupted answer as a server error: a rule that disallows may be in the rest.
      if (isBrokenOff) return { status: 'unavailable', content: '', statusCode, problem: 'it is broken off' };
      const decoded = decodeContent(body ?? new Uint8Array(0), headers, MOST_BYTES);
      if (decoded.body !== null) {
        const text = decodeBytes(decoded.body, 'utf-8');
        const content = isTruncated || decoded.isTruncated ? wholeLines(text) : text;
        return { status: 'found', content, statusCode };
      }
      const problem = `it is not in the content encoding ${headerValues(headers, 'content-encoding').join()}`;
      return { status: 'unavailable', content: '', statusCode, problem };
    }
    const next = locationOf(headers, url);
    if (next === null) break;
    url = next.href;
  }
  return { status: 'missing', content: '', statusCode: last };
}

/** Returns the text without its last line, which is incomplete: `/` may be the beginning of `/private/`. */
function wholeLines(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

/** Waits before robots.txt is requested again, in milliseconds; the server may require more, up to the longest wait. */
const ROBOTS_WAITS_MS: readonly number[] = [1_000, 3_000];
const LONGEST_WAIT_MS = 60_000;

interface PatientOptions {
  readonly waits?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether to try a host again that does not answer at all. */
  readonly asksSilent?: boolean;
  /** Called with the reason, and the time of the next request. */
  readonly onProblem?: ((words: string) => void) | undefined;
}

/** Requests robots.txt until it is available, or the waits are used up. */
export async function fetchRobotsPatiently(
  origin: string,
  fetch: (url: string, bytes: number) => Promise<FetchedAnswer>,
  { waits = ROBOTS_WAITS_MS, signal, asksSilent = true, onProblem }: PatientOptions,
): Promise<RobotsAnswer> {
  let found = await fetchRobots(origin, fetch);
  for (const wait of waits) {
    if (found.status !== 'unavailable' || (found.error && !asksSilent)) break;
    const ms = Math.min(Math.max(wait, found.retryAfterMs ?? 0), LONGEST_WAIT_MS);
    onProblem?.(`${origin}/robots.txt: ${found.problem}; the next try is in ${Math.ceil(ms / 1000)} s`);
    await sleep(ms, undefined, signal ? { signal } : {});
    found = await fetchRobots(origin, fetch);
  }
  return found;
}
