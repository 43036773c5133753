import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlhouseError } from '../core/errors/errors.ts';
import { withoutSlot } from '../core/queue/fair-queue.ts';
import { durationText } from '../core/text/amounts.ts';
import type { ServiceClient } from './http/service-client.ts';
import { ServiceErrorBody } from './http/service-error.ts';
import type { Crawl } from './resources/crawls.ts';

/** Wait between two polls of a crawl that is being restored, in milliseconds. It grows up to the longest wait. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 60_000;

type UnarchiveCommand = 'unarchive' | 'unarchive-fast';

/** Restores archived crawls, each once per run, up to the limit of a run (spec-notes.md 23). */
export class Unarchiver {
  readonly #client: ServiceClient;
  #most: number;
  readonly #waitMs: number;
  readonly #signal: AbortSignal;
  /** By crawl, then by command: one after the other. */
  readonly #crawls = new Map<string, Map<string, Promise<void>>>();
  /** The last request to restore a crawl. */
  #request: Promise<unknown> = Promise.resolve();
  /** Set after the service refused the right to restore: it is not requested again. */
  #forbidden: CrawlhouseError | undefined;

  constructor(client: ServiceClient, most: number, waitMs: number, signal: AbortSignal) {
    this.#client = client;
    this.#most = most;
    this.#waitMs = waitMs;
    this.#signal = signal;
  }

  /**
   * Resolves when the crawl's data can be exported, with `links` also its links.
   *
   * @throws CrawlhouseError `not_exportable` if this run has reached its limit, or the crawl ends in another state;
   *   `unarchive_forbidden` if the token may not restore
   */
  restore(crawlId: string, command: UnarchiveCommand, links: boolean): Promise<void> {
    if (this.#forbidden) throw this.#forbidden;
    const known = this.#crawls.get(crawlId);
    if (!known && this.#crawls.size >= this.#most) {
      throw new CrawlhouseError(
        'not_exportable',
        `the crawl ${crawlId} is archived, and this run has already restored ${this.#most}`,
        { hint: 'the next run continues; raise unarchive_per_run to restore more' },
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

  /** Resolves when no restore of the crawl is in progress; until then, its data are unavailable. */
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
          { hint: 'the next run waits again; limits.unarchive_wait sets the maximum wait' },
        );
      }
      await sleep(Math.min(wait, left), undefined, { signal: this.#signal });
      wait = Math.min(wait * 1.5, LONGEST_WAIT);
    }
  }

  /** Sends requests one after the other: the first response shows whether the token may restore any crawl. */
  async #ask(crawlId: string, command: UnarchiveCommand): Promise<void> {
    const request = this.#request.then(() => this.#send(crawlId, command));
    this.#request = Promise.allSettled([request]);
    await request;
  }

  /**
   * Sends a request to restore a crawl. A token that may read but not restore does not end the run: live crawls and
   * other data are still loaded.
   */
  async #send(crawlId: string, command: UnarchiveCommand): Promise<void> {
    if (this.#forbidden) throw this.#forbidden;
    try {
      await this.#client.call('pilotCrawl', { crawl_id: crawlId, body: { command } }, this.#signal);
    } catch (error) {
      if (!(error instanceof CrawlhouseError) || error.code !== 'forbidden') throw error;
      const forbidden = new CrawlhouseError(
        'unarchive_forbidden',
        `the pipeline has ${command}, but the token lacks the right: ${error.message}`,
        { cause: error },
      );
      // Without the scope, the token may restore no crawl.
      if (ServiceErrorBody.safeParse(error.cause).data?.code === 'missing_scope') this.#forbidden = forbidden;
      // It does not count towards the limit of this run.
      else this.#most++;
      throw forbidden;
    }
  }
}

/**
 * Returns the next step for a crawl to restore: continue, because the crawl is live; request it; or wait. A killed run
 * or a person may already have requested the crawl, perhaps without its links.
 *
 * @param asked whether this run has requested it
 * @throws CrawlhouseError `not_exportable` for a crawl that the request will not restore
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
    // Its pages are live and its links are not: `unarchive` accepts this, too (spec-notes.md 23).
    if (command === 'unarchive') return asked ? 'wait' : 'ask';
  }
  if (status === 'archived') return asked ? 'wait' : 'ask';
  if (status === 'unarchiving' || status === 'archiving') return 'wait';
  throw new CrawlhouseError(
    'not_exportable',
    `the crawl ${id} is ${status}, and ${command} does not change this`,
  );
}
