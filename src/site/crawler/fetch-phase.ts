import { setTimeout as sleep } from 'node:timers/promises';
import type { CRAWL_END_REASONS } from '../../client/resources/crawls.ts';
import { FetchRound, type FetchTools } from './fetch-round.ts';
import type { QueuedUrl } from './frontier/frontier.ts';
import type { ParseReply } from './parse/threads/parse-messages.ts';

export type CrawlEndReason = (typeof CRAWL_END_REASONS)[number];

/** Rounds without a single answer (api-spec.md §2.4, `stopped_progressing`). */
const MOST_FRUITLESS_ROUNDS = 3;
/** Rounds of a crawl (api-spec.md §2.4, `max_iteration_reached`). */
const MOST_ROUNDS = 500;
/** Redirects that are followed from a URL that only sitemaps list. */
const MOST_HOPS = 17;

export interface FetchPhaseOptions {
  readonly tools: Omit<FetchTools, 'select'>;
  /** Resolves when the sitemaps are stored. */
  readonly sitemaps: Promise<void>;
  /** Links are not followed. */
  readonly isList: boolean;
  readonly maxDepth: number;
  /** Why a crawl ends after fetching `mostFetched` URLs. */
  readonly fullReason: 'max_url_reached' | 'quota_reached';
  /** Milliseconds before failed URLs are tried again. */
  readonly retryDelayMs: number;
}

/**
 * Fetches a site level by level: all URLs of a depth before the URLs of the next depth. Each level is repeated in
 * rounds until every URL has a response or has failed three times. URLs that only sitemaps list come last.
 */
export class FetchPhase {
  readonly #options: FetchPhaseOptions;
  readonly #tools: FetchTools;
  #fruitless = 0;

  constructor(options: FetchPhaseOptions) {
    this.#options = options;
    this.#tools = { ...options.tools, select: (item, reply) => this.#select(item, reply) };
  }

  async run(): Promise<CrawlEndReason> {
    const { frontier, control } = this.#tools;
    for (;;) {
      const reason = await this.#fetchLevel();
      // Fetched pages may be in a sitemap, so sitemaps are read to the end of their budget.
      if (reason !== null && control.state === 'running') await this.#options.sitemaps;
      if (reason !== null) return reason;
      if (frontier.fact('hop') === undefined && this.#queueDepth()) continue;
      await this.#options.sitemaps;
      if (!this.#queueHop()) break;
    }
    return frontier.fact('depth cut') === undefined ? 'ok' : 'max_depth_reached';
  }

  /** Fills the queue for the next depth; false if there is none. */
  #queueDepth(): boolean {
    const { frontier } = this.#tools;
    let isFilled = false;
    frontier.transaction(() => {
      const depth = Number(frontier.fact('depth') ?? -1) + 1;
      frontier.setFact('depth', depth);
      // Seeds have depth 1, even if the start URL leads nowhere.
      isFilled = frontier.queueDepth(depth) > 0 || depth === 0;
    });
    return isFilled;
  }

  /**
   * Fills the queue for the URLs that only sitemaps list, then for the targets of their redirects; false if there are
   * none.
   */
  #queueHop(): boolean {
    const { frontier } = this.#tools;
    let isFilled = false;
    frontier.transaction(() => {
      const hop = frontier.fact('hop');
      const next = hop === undefined ? 0 : Number(hop) + 1;
      frontier.setFact('hop', next);
      isFilled = next <= MOST_HOPS && frontier.queueUnlinked(next) > 0;
    });
    return isFilled;
  }

  /** Fetches a level. Returns null when the level is done. */
  async #fetchLevel(): Promise<CrawlEndReason | null> {
    const { frontier, control, signal } = this.#tools;
    for (let round = 0; frontier.open() > 0; round++) {
      if (round > 0) await sleep(this.#options.retryDelayMs * round, undefined, { signal });
      const rounds = Number(frontier.fact('rounds') ?? 0);
      if (rounds >= MOST_ROUNDS) return 'max_iteration_reached';
      frontier.setFact('rounds', rounds + 1);
      const { isFull, answered, failed } = await new FetchRound(this.#tools).run();
      if (control.state === 'cancelling') return 'user_cancelled';
      if (control.state === 'terminating') return 'user_requested';
      if (isFull) return this.#options.fullReason;
      if (answered > 0) this.#fruitless = 0;
      else if (failed > 0) this.#fruitless++;
      if (this.#fruitless >= MOST_FRUITLESS_ROUNDS) return 'stopped_progressing';
    }
    return null;
  }

  #select({ depth }: QueuedUrl, { targets, redirect }: ParseReply): readonly string[] {
    if (this.#options.isList) return [];
    // Links of a page that no link leads to are recorded, but not followed.
    if (depth === null) return redirect === null ? [] : [redirect];
    if (depth < this.#options.maxDepth) return targets;
    const { frontier } = this.#tools;
    if (frontier.fact('depth cut') === undefined && !frontier.knowsAll(targets))
      frontier.setFact('depth cut', depth);
    return [];
  }
}
