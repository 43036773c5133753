import { setTimeout as sleep } from 'node:timers/promises';
import { ownUrl, requestPath } from '../../../../core/net/web-url.ts';
import { decodeBytes } from '../../../../core/text/encodings.ts';
import { retryAfterMs } from '../../../api/client/retry-after.ts';
import { decodeContent } from '../fetch/content-encoding.ts';
import { type FetchError, isOfHost } from '../fetch/fetch-error.ts';
import type { FetchedAnswer } from '../fetch/fetcher.ts';
import { headerValues, locationOf } from '../parse/headers.ts';
import { ROBOTS } from '../parse/robots-directives.ts';
import { parseRobots } from './robots-rules.ts';

/** Bytes of robots.txt that are read, at least (RFC 9309 §2.5). */
const MOST_BYTES = 512_000;
/** Redirects of robots.txt that are followed (RFC 9309 §2.3.1.2). */
const MOST_REDIRECTS = 5;
/** A longer Crawl-delay is a mistake or a refusal. */
const LONGEST_DELAY_MS = 60_000;

/** robots.txt of an origin, as it is kept. */
export interface RobotsFile {
  /** `missing`: all is allowed. `unavailable`: nobody answers, or the server fails: nothing is (RFC 9309 §2.3.1.4). */
  readonly status: 'found' | 'missing' | 'unavailable';
  readonly content: string;
  /** Of an unavailable one: why no page of the origin can be had either. */
  readonly hostError?: Pick<FetchedAnswer, 'error' | 'refusal'>;
}

/** The outcome of a try to fetch robots.txt. */
export interface RobotsAnswer extends RobotsFile {
  /** Of the last answer, behind its redirects. */
  readonly statusCode: number | null;
  /** Of one that was not answered. */
  readonly error?: FetchError | null;
  /** Of one that the proxy did not let through: why. */
  readonly refusal?: string | null;
  /** Of an unavailable one: why, in words. */
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
    /** The robots of search engines that a URL is denied to, whatever it is to this crawler; null for none. */
    deniedRobots: (url: string): string[] | null => {
      if (others.length === 0) return null;
      const path = requestPath(ownUrl(url));
      const denied = others.filter(({ isAllowed }) => !isAllowed(path)).map(({ name }) => name);
      return denied.length === 0 ? null : denied;
    },
    /** Whether robots.txt could not be had: nothing is fetched, and it is asked for again later. */
    isUnavailable: status === 'unavailable',
    hostError: status === 'found' ? null : (hostError ?? null),
    /** Milliseconds between two requests, or null. */
    delayMs: said?.crawlDelay == null ? null : Math.min(said.crawlDelay * 1000, LONGEST_DELAY_MS),
    /** As they are written. */
    sitemaps: said?.sitemaps ?? [],
  };
}

/** Robots of search engines that sites deny by name. A robot for news alone is no reason not to be found. */
const ENGINES = ROBOTS.filter((name) => name !== 'googlebot-news');

/** The rules of search engines that may be others than those of the crawler: the file names one of them. */
function rulesOfEngines(content: string, robotName: string) {
  const text = content.toLowerCase();
  const isNamed = (name: string): boolean => text.includes(name);
  return ENGINES.filter((name) => name !== robotName && (isNamed(name) || isNamed(robotName))).map(
    (name) => ({
      name,
      isAllowed: parseRobots(content, name).isAllowed,
    }),
  );
}

/** Asks for robots.txt once, following its redirects. */
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
      // Google takes an interrupted answer for one of a server that fails: a denial may stand in the rest.
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

/** Without the last line, which is cut: the rest of `/private/` may be `/`. */
function wholeLines(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

/** Waits before robots.txt is asked for again, in milliseconds; the server may ask for more, up to the longest. */
const ROBOTS_WAITS_MS: readonly number[] = [1_000, 3_000];
const LONGEST_WAIT_MS = 60_000;

interface PatientOptions {
  readonly waits?: readonly number[] | undefined;
  readonly signal?: AbortSignal;
  /** Whether a host that does not answer at all is asked again. */
  readonly asksSilent?: boolean;
  /** Is told in words why, and when it is asked for again. */
  readonly onProblem?: ((words: string) => void) | undefined;
}

/** Asks for robots.txt until it can be had, or the waits are used up. */
export async function fetchRobotsPatiently(
  origin: string,
  fetch: (url: string, bytes: number) => Promise<FetchedAnswer>,
  { waits = ROBOTS_WAITS_MS, signal, asksSilent = true, onProblem }: PatientOptions,
): Promise<RobotsAnswer> {
  let found = await fetchRobots(origin, fetch);
  for (const wait of waits) {
    if (found.status !== 'unavailable' || (found.error && !asksSilent)) break;
    const ms = Math.min(Math.max(wait, found.retryAfterMs ?? 0), LONGEST_WAIT_MS);
    onProblem?.(`${origin}/robots.txt: ${found.problem}; it is asked for again in ${Math.ceil(ms / 1000)} s`);
    await sleep(ms, undefined, signal ? { signal } : {});
    found = await fetchRobots(origin, fetch);
  }
  return found;
}
