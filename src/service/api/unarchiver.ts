import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { withoutSlot } from '../../core/queue/fair-queue.ts';
import { durationText } from '../../core/text/amounts.ts';
import type { ServiceClient } from './client/client.ts';
import { ServiceErrorBody } from './client/service-error.ts';
import type { Crawl } from './resources/crawls.ts';

/** Waits between two polls of a crawl that is being restored, in milliseconds. They grow up to the longest. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

type UnarchiveCommand = 'unarchive' | 'unarchive-fast';

/** Restores archived crawls, each once a run, up to the limit of a run (spec-notes.md 23). */
export class Unarchiver {
  readonly #client: ServiceClient;
  #most: number;
  readonly #waitMs: number;
  readonly #signal: AbortSignal;
  /** By crawl, then by command: one after the other. */
  readonly #crawls = new Map<string, Map<string, Promise<void>>>();
  /** The last request to restore a crawl. */
  #request: Promise<unknown> = Promise.resolve();
  /** Once the service said that the token may restore none: it is not asked again. */
  #forbidden: CrawlhouseError | undefined;

  constructor(client: ServiceClient, most: number, waitMs: number, signal: AbortSignal) {
    this.#client = client;
    this.#most = most;
    this.#waitMs = waitMs;
    this.#signal = signal;
  }

  /**
   * Resolves when the crawl's data can be exported; with `links` its links too.
   *
   * @throws CrawlhouseError `not_exportable` when this run has restored its share, or the crawl ends in another state;
   *   `unarchive_forbidden` when the token may not restore
   */
  restore(crawlId: string, command: UnarchiveCommand, links: boolean): Promise<void> {
    if (this.#forbidden) throw this.#forbidden;
    const known = this.#crawls.get(crawlId);
    if (!known && this.#crawls.size >= this.#most) {
      throw new CrawlhouseError(
        'not_exportable',
        `the crawl ${crawlId} is archived, and this run has already restored ${this.#most}`,
        { hint: 'the next run continues; raise the setting unarchive_per_run to restore more' },
      );
    }
    const asked = known ?? new Map<string, Promise<void>>();
    this.#crawls.set(crawlId, asked);
    const key = `${command} ${links}`;
    const same = asked.get(key);
    if (same) return withoutSlot(() => same);
    const before = Promise.allSettled(asked.values());
    const restored = before.then(() => this.#restore(crawlId, command, links));
    asked.set(key, restored);
    return withoutSlot(() => restored);
  }

  /** Resolves once no restore of the crawl is under way: until then none of its data are available. */
  async idle(crawlId: string): Promise<void> {
    const restored = this.#crawls.get(crawlId);
    if (restored) await withoutSlot(() => Promise.allSettled(restored.values()));
  }

  async #restore(crawlId: string, command: UnarchiveCommand, links: boolean): Promise<void> {
    let wait = FIRST_WAIT;
    let asked = false;
    const deadline = performance.now() + this.#waitMs;
    for (;;) {
      const crawl = await this.#client.call('crawl', { crawl_id: crawlId }, this.#signal);
      const step = unarchiveStep(crawl, command, links, asked);
      if (step === 'go') return;
      if (step === 'ask') {
        await this.#ask(crawlId, command);
        asked = true;
        continue;
      }
      const left = deadline - performance.now();
      if (left <= 0) {
        throw new CrawlhouseError(
          'timed_out',
          `the crawl ${crawlId} is still ${crawl.status} after ${durationText(this.#waitMs / 1000)} (limits.unarchive_wait)`,
          { hint: 'the next run waits for it again; limits.unarchive_wait sets the longest wait' },
        );
      }
      await sleep(Math.min(wait, left), undefined, { signal: this.#signal });
      wait = Math.min(wait * 1.5, LONGEST_WAIT);
    }
  }

  /** Requests follow each other: the first answer tells whether the token may restore any. */
  async #ask(crawlId: string, command: UnarchiveCommand): Promise<void> {
    const request = this.#request.then(() => this.#send(crawlId, command));
    this.#request = Promise.allSettled([request]);
    await request;
  }

  /** A token that may read but not restore does not end the run. Live crawls are still loaded, and so are others. */
  async #send(crawlId: string, command: UnarchiveCommand): Promise<void> {
    if (this.#forbidden) throw this.#forbidden;
    try {
      await this.#client.call('pilotCrawl', { crawl_id: crawlId, body: { command } }, this.#signal);
    } catch (error) {
      if (!(error instanceof CrawlhouseError) || error.code !== 'forbidden') throw error;
      const forbidden = new CrawlhouseError(
        'unarchive_forbidden',
        `the pipeline says ${command}, but the token lacks the right: ${error.message}`,
        { cause: error },
      );
      // Without the scope the token may unarchive no crawl.
      if (ServiceErrorBody.safeParse(error.cause).data?.code === 'missing_scope') this.#forbidden = forbidden;
      // It takes no other crawl's place among those of this run.
      else this.#most++;
      throw forbidden;
    }
  }
}

/**
 * The next step for a crawl to restore: continue, because it is live; request it; or wait. A killed run or a person may
 * have requested it already, perhaps without its links.
 *
 * @param asked whether this run has requested it
 * @throws CrawlhouseError `not_exportable` for a crawl that will not come back by that
 */
export function unarchiveStep(
  crawl: Pick<Crawl, 'id' | 'status' | 'link_status'>,
  command: UnarchiveCommand,
  links: boolean,
  asked: boolean,
): 'go' | 'ask' | 'wait' {
  const { id, status, link_status } = crawl;
  if (status === 'done') {
    if (!links || link_status !== 'archived') return 'go';
    // Its pages are live and its links are not: `unarchive` takes that too (spec-notes.md 23).
    if (command === 'unarchive') return asked ? 'wait' : 'ask';
  }
  if (status === 'archived') return asked ? 'wait' : 'ask';
  if (status === 'unarchiving' || status === 'archiving') return 'wait';
  throw new CrawlhouseError(
    'not_exportable',
    `the crawl ${id} is ${status}, and ${command} does not change that`,
  );
}
