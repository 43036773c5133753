import { setTimeout as sleep } from 'node:timers/promises';

/** Spaces calls evenly: `take` returns when the next one may start. Without a rate it returns at once. */
export class RateLimit {
  readonly #intervalMs: number;
  #nextAt = 0;

  constructor(perSecond: number | undefined) {
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
