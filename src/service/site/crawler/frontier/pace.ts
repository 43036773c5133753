import { setTimeout as sleep } from 'node:timers/promises';

/** What a late timer may catch up with, in milliseconds. */
const CATCH_UP_MS = 20;

/** Spreads the requests of a crawl over time: at most so many a second, and not more than each host asks for. */
export class Pace {
  readonly #intervalMs: number;
  /** When a host may be asked again. Each has its own clock: one that asks to wait holds up no other. */
  readonly #hosts = new Map<string, number>();
  #nextAt = 0;

  constructor(perSecond: number) {
    this.#intervalMs = 1000 / perSecond;
  }

  /** The moment from which a host may be asked, in the unit of `now`. */
  readyAt(host: string): number {
    return this.#hosts.get(host) ?? 0;
  }

  /** Takes the next moment for a request to a host that is ready: milliseconds from `now`. */
  take(host: string, hostDelayMs: number | null, now: number): number {
    const at = Math.max(this.#nextAt, now - CATCH_UP_MS);
    this.#nextAt = at + this.#intervalMs;
    if (hostDelayMs !== null) this.hold(host, Math.max(at, now) + hostDelayMs);
    return Math.max(0, at - now);
  }

  /** Waits for the next moment at which a host may be asked. */
  async turn(host: string, hostDelayMs: number | null, signal: AbortSignal): Promise<void> {
    for (let wait = 1; wait > 0; ) {
      wait = this.readyAt(host) - performance.now();
      if (wait > 0) await sleep(wait, undefined, { signal });
    }
    const wait = this.take(host, hostDelayMs, performance.now());
    if (wait > 0) await sleep(wait, undefined, { signal });
  }

  /** Sends a host nothing before a moment. */
  hold(host: string, until: number): void {
    this.#hosts.set(host, Math.max(this.readyAt(host), until));
  }
}
