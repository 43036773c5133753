import { setTimeout as sleep } from 'node:timers/promises';

/** The maximum number of milliseconds that a late timer may catch up. */
const CATCH_UP_MS = 20;

/** Spreads the requests of a crawl over time, within a number per second and the limit of each host. */
export class Pace {
  readonly #intervalMs: number;
  /** When a host is ready. Each host has its own clock, so that a host that asks to wait does not delay others. */
  readonly #hosts = new Map<string, number>();
  #nextAt = 0;

  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
  }

  /** Returns the time from which a host may receive a request, in the unit of `now`. */
  readyAt(host: string): number {
    return this.#hosts.get(host) ?? 0;
  }

  /** Reserves the next time for a request to a host that is ready: milliseconds from `now`. */
  take(host: string, hostDelayMs: number | null, now: number): number {
    const at = Math.max(this.#nextAt, now - CATCH_UP_MS);
    this.#nextAt = at + this.#intervalMs;
    if (hostDelayMs !== null) this.hold(host, Math.max(at, now) + hostDelayMs);
    return Math.max(0, at - now);
  }

  /** Waits for the next time at which a host may receive a request. */
  async turn(host: string, hostDelayMs: number | null, signal: AbortSignal): Promise<void> {
    for (let wait = 1; wait > 0; ) {
      wait = this.readyAt(host) - performance.now();
      if (wait > 0) await sleep(wait, undefined, { signal });
    }
    const wait = this.take(host, hostDelayMs, performance.now());
    if (wait > 0) await sleep(wait, undefined, { signal });
  }

  /** Sends no requests to a host before a time. */
  hold(host: string, until: number): void {
    this.#hosts.set(host, Math.max(this.readyAt(host), until));
  }
}
