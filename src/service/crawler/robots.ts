import robotsParser from 'robots-parser';
import { decodeContent } from './content-encoding.ts';
import type { Answer } from './fetcher.ts';

/** Bytes of robots.txt that are read, at least (RFC 9309 §2.5). */
const MOST_BYTES = 512_000;
/** Redirects of robots.txt that are followed (RFC 9309 §2.3.1.2). */
const MOST_REDIRECTS = 5;
/** A longer Crawl-delay is a mistake or a refusal. */
const LONGEST_DELAY_MS = 60_000;

/** robots.txt of an origin, as it is kept. */
export interface RobotsFile {
  /** `missing`: all is allowed. `unavailable`: the server failed, and nothing is allowed (RFC 9309 §2.3.1.4). */
  readonly status: 'found' | 'missing' | 'unavailable';
  readonly content: string;
}

/** What robots.txt of one origin says to this crawler. */
export interface RobotsRules {
  isAllowed(url: string): boolean;
  /** Milliseconds between two requests, or null. */
  readonly delayMs: number | null;
  readonly sitemaps: readonly string[];
}

export function robotsRules(origin: string, file: RobotsFile, robotName: string): RobotsRules {
  if (file.status !== 'found')
    return { isAllowed: () => file.status === 'missing', delayMs: null, sitemaps: [] };
  const parsed = parseRobots(`${origin}/robots.txt`, file.content.replace(/^\uFEFF/, ''));
  const seconds = parsed.getCrawlDelay(robotName);
  return {
    isAllowed: (url) => parsed.isAllowed(url, robotName) ?? true,
    delayMs: seconds === undefined || !(seconds > 0) ? null : Math.min(seconds * 1000, LONGEST_DELAY_MS),
    sitemaps: parsed.getSitemaps(),
  };
}

/** A robots.txt that can't be reached at all is missing: the pages of its host then fail by themselves. */
export async function fetchRobots(
  origin: string,
  fetch: (url: string, bytes: number) => Promise<Answer>,
): Promise<RobotsFile> {
  let url = `${origin}/robots.txt`;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const { statusCode, headers, body } = await fetch(url, MOST_BYTES);
    const header = (name: string): string | undefined => headers.find(([one]) => one === name)?.[1];
    if (statusCode === null) break;
    if (statusCode >= 500) return { status: 'unavailable', content: '' };
    if (statusCode >= 400) break;
    if (statusCode < 300) {
      const plain = decodeContent(body ?? new Uint8Array(0), header('content-encoding'), MOST_BYTES).body;
      return { status: 'found', content: new TextDecoder().decode(plain ?? undefined) };
    }
    const next = URL.parse(header('location') ?? '', url);
    if (next === null || !/^https?:$/.test(next.protocol)) break;
    url = next.href;
  }
  return { status: 'missing', content: '' };
}

/** The library's own types describe it as a default export of a module, which it is not. */
const parseRobots = robotsParser as unknown as (
  url: string,
  content: string,
) => {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
};
