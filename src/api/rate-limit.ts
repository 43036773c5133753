import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlhouseError } from '../core/errors.ts';

/** Spaces calls evenly: `take` returns when the next one may start. Without a rate it returns at once. */
export class RateLimit {
  readonly #intervalMs: number;
  #nextAt = 0;

  /** @throws CrawlhouseError `bad_settings` for a rate at which nothing would ever be sent */
  constructor(perSecond: number | undefined) {
    if (perSecond !== undefined && !(perSecond > 0))
      throw new CrawlhouseError('bad_settings', `requestsPerSecond must be more than 0, not ${perSecond}`);
    this.#intervalMs = perSecond === undefined ? 0 : 1000 / perSecond;
  }

  async take(signal?: AbortSignal): Promise<void> {
    if (this.#intervalMs === 0) return;
    const now = performance.now();
    const startAt = Math.max(now, this.#nextAt);
    this.#nextAt = startAt + this.#intervalMs;
    if (startAt > now) await sleep(startAt - now, undefined, signal ? { signal } : {});
  }
}
