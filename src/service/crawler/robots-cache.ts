import type { CrawlSettings } from './crawl-settings.ts';
import type { Fetcher } from './fetcher.ts';
import type { Frontier } from './frontier.ts';
import { fetchRobots, type RobotsFile, type RobotsRules, robotsRules } from './robots.ts';

/** Origins whose rules are held in memory. */
const MOST_RULES = 1_000;

/** robots.txt of each origin, fetched once in a crawl, also over a resumption. */
export class RobotsCache {
  readonly #settings: CrawlSettings;
  readonly #frontier: Frontier;
  readonly #fetcher: Fetcher;
  readonly #signal: AbortSignal;
  readonly #rules = new Map<string, RobotsRules>();

  constructor(settings: CrawlSettings, frontier: Frontier, fetcher: Fetcher, signal: AbortSignal) {
    this.#signal = signal;
    this.#settings = settings;
    this.#frontier = frontier;
    this.#fetcher = fetcher;
  }

  async rulesOf({ origin, host, hostname }: URL): Promise<RobotsRules> {
    const known = this.#rules.get(origin);
    if (known !== undefined) return known;
    const { robots, robotName } = this.#settings;
    const content = robots.get(host) ?? robots.get(hostname);
    const file = content === undefined ? await this.#file(origin) : ({ status: 'found', content } as const);
    const rules = robotsRules(origin, file, robotName);
    // The frontier keeps the files; a site may have any number of subdomains.
    if (this.#rules.size >= MOST_RULES) this.#rules.clear();
    this.#rules.set(origin, rules);
    return rules;
  }

  async #file(origin: string): Promise<RobotsFile> {
    const kept = this.#frontier.robots(origin);
    if (kept !== undefined) return kept;
    const file = await fetchRobots(origin, (url, bytes) => this.#fetcher.fetch(url, bytes));
    // What an interruption cut off says nothing about the site.
    this.#signal.throwIfAborted();
    this.#frontier.putRobots(origin, file);
    return file;
  }
}
