import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceClient } from '../api/client.ts';
import type { Crawl } from '../api/crawls.ts';
import { CrawlhouseError } from '../core/errors.ts';

/** Waits between two looks at a crawl that is being restored, in milliseconds: they grow until the longest. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

/**
 * Restores archived crawls, each once a run whoever asks for it, and no more of them than a run may
 * (spec-notes.md 23).
 */
export class Unarchiver {
  readonly #client: ServiceClient;
  readonly #most: number;
  readonly #signal: AbortSignal;
  readonly #restored = new Map<string, Promise<void>>();

  constructor(client: ServiceClient, most: number, signal: AbortSignal) {
    this.#client = client;
    this.#most = most;
    this.#signal = signal;
  }

  /**
   * Resolves when the crawl's data can be exported.
   *
   * @throws CrawlhouseError `not_exportable` when this run has restored its share, or the crawl ends in another state
   */
  restore(crawlId: string, command: 'unarchive' | 'unarchive-fast', links: boolean): Promise<void> {
    const known = this.#restored.get(crawlId);
    if (known) return known;
    if (this.#restored.size >= this.#most) {
      throw new CrawlhouseError(
        'not_exportable',
        `the crawl ${crawlId} is archived, and this run has restored ${this.#most} already`,
        { hint: 'the next run goes on; the setting unarchive_per_run raises the number' },
      );
    }
    const restored = this.#restore(crawlId, command, links);
    this.#restored.set(crawlId, restored);
    return restored;
  }

  async #restore(crawlId: string, command: 'unarchive' | 'unarchive-fast', links: boolean): Promise<void> {
    const isLive = (crawl: Crawl): boolean =>
      crawl.status === 'done' && (!links || command === 'unarchive-fast' || crawl.link_status !== 'archived');
    let crawl = await this.#client.crawl(crawlId, this.#signal);
    // A run that was killed may have asked already.
    if (!isLive(crawl) && crawl.status !== 'unarchiving') {
      crawl = await this.#client.pilotCrawl(crawlId, command, this.#signal);
    }
    for (let wait = FIRST_WAIT; !isLive(crawl); wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
      if (crawl.status !== 'unarchiving' && crawl.status !== 'archived' && crawl.status !== 'done') {
        throw new CrawlhouseError('not_exportable', `the crawl ${crawlId} is ${crawl.status}, not restored`);
      }
      await sleep(wait, undefined, { signal: this.#signal });
      crawl = await this.#client.crawl(crawlId, this.#signal);
    }
  }
}
