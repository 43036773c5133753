import { ownUrl } from '../../../core/net/web-url.ts';
import type { CrawlSettings } from '../crawl-settings.ts';
import { fetchStatus } from '../fetch/fetch-status.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { Frontier } from '../frontier/frontier.ts';
import type { SideWork } from '../progress-reporter.ts';
import { fetchDate, type RequestRecord, UNANSWERED_REQUEST } from '../records/request-record.ts';
import {
  fetchRobotsPatiently,
  type RobotsAnswer,
  type RobotsFile,
  type RobotsRules,
  robotsRules,
} from './robots.ts';

/** Origins whose rules are held in memory. */
const MOST_RULES = 1_000;

/** Milliseconds before an unavailable robots.txt is requested again. */
const ASK_AGAIN_MS = 60_000;

/** Lifetime of a robots.txt (RFC 9309 §2.4), in milliseconds. */
const KEPT_FOR_MS = 24 * 60 * 60 * 1000;

interface RobotsTools {
  readonly frontier: Frontier;
  readonly fetcher: Fetcher;
  readonly waits?: readonly number[] | undefined;
  readonly sideWork: SideWork;
  /** Whether a host belongs to the site: its robots.txt is recorded. */
  readonly isOwn: (url: URL) => boolean;
}

/**
 * robots.txt of each origin, fetched once a day, also across a resumption. An unavailable robots.txt is not stored. If
 * it was available before, its rules stay in force until it is available again (RFC 9309 §2.4).
 */
export class RobotsCache {
  readonly #settings: CrawlSettings;
  readonly #tools: RobotsTools;
  readonly #signal: AbortSignal;
  readonly #rules = new Map<string, RobotsRules & { readonly until: number }>();
  readonly #asking = new Map<string, Promise<RobotsRules>>();

  constructor(settings: CrawlSettings, tools: RobotsTools, signal: AbortSignal) {
    this.#settings = settings;
    this.#tools = tools;
    this.#signal = signal;
  }

  known({ origin }: URL): RobotsRules | undefined {
    const rules = this.#rules.get(origin);
    return rules !== undefined && Date.now() < rules.until ? rules : undefined;
  }

  rulesOf(url: URL): Promise<RobotsRules> {
    const known = this.known(url);
    if (known !== undefined) return Promise.resolve(known);
    const { origin } = url;
    const asked = this.#asking.get(origin) ?? this.#ask(url).finally(() => this.#asking.delete(origin));
    this.#asking.set(origin, asked);
    return asked;
  }

  async #ask({ origin, host, hostname }: URL): Promise<RobotsRules> {
    const { robots, robotName } = this.#settings;
    const content = robots.get(host) ?? robots.get(hostname);
    const { until, ...file } =
      content === undefined
        ? await this.#file(origin)
        : ({ status: 'found', content, until: Number.POSITIVE_INFINITY } as const);
    const rules = robotsRules(file, robotName);
    // The frontier stores the files; a site may have any number of subdomains.
    if (this.#rules.size >= MOST_RULES) this.#rules.clear();
    this.#rules.set(origin, { ...rules, until });
    return rules;
  }

  async #file(origin: string): Promise<RobotsFile & { readonly until: number }> {
    const { frontier, fetcher, waits, sideWork, isOwn } = this.#tools;
    const kept = frontier.robots(origin);
    if (kept !== undefined && Date.now() < kept.readAt + KEPT_FOR_MS)
      return { ...kept, until: kept.readAt + KEPT_FOR_MS };
    const file = await fetchRobotsPatiently(origin, (url, bytes) => fetcher.fetch(url, bytes), {
      waits,
      signal: this.#signal,
      onProblem: (words) => sideWork.say(origin, words),
    });
    sideWork.end(origin);
    // An interrupted request proves nothing about the site.
    this.#signal.throwIfAborted();
    const readAt = Date.now();
    const url = `${origin}/robots.txt`;
    if (isOwn(ownUrl(url))) frontier.requests.putFile(recordOf(url, file));
    if (file.status !== 'unavailable') {
      frontier.putRobots(origin, { ...file, readAt });
      return { ...file, until: readAt + KEPT_FOR_MS };
    }
    const until = readAt + ASK_AGAIN_MS;
    if (kept !== undefined) return { ...kept, until };
    sideWork.say(origin, `${origin}/robots.txt: ${file.problem}; nothing is fetched from there`);
    return { ...file, until };
  }
}

function recordOf(url: string, { status, content, statusCode, error, problem }: RobotsAnswer): RequestRecord {
  return {
    ...UNANSWERED_REQUEST,
    url,
    kind: 'robots_txt',
    status_code: statusCode,
    fetch_status: fetchStatus(statusCode),
    error: status === 'unavailable' ? (error ?? problem ?? null) : null,
    content: status === 'found' ? content : null,
    fetch_date: fetchDate(new Date()),
  };
}
