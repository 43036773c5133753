const MINUTE_MS = 60_000;
/** As many are remembered; the oldest is forgotten first. */
const MOST_KEYS = 10_000;

interface Minute {
  count: number;
  readonly endsAt: number;
}

/** So many times a minute for each key, such as an address. */
export class TryLimit {
  readonly #most: number;
  readonly #now: () => number;
  readonly #minutes = new Map<string, Minute>();

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Counts one more. @returns the seconds to wait, where it is one too many */
  take(key: string): number | null {
    const now = this.#now();
    const before = this.#minutes.get(key);
    if (before !== undefined && before.endsAt > now) {
      before.count += 1;
      return before.count <= this.#most ? null : Math.ceil((before.endsAt - now) / 1000);
    }
    this.#minutes.delete(key);
    this.#minutes.set(key, { count: 1, endsAt: now + MINUTE_MS });
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > MOST_KEYS && oldest !== undefined) this.#minutes.delete(oldest);
    return null;
  }
}
