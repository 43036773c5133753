import { createHash } from 'node:crypto';

/** A body that comes again within this time is one webhook: sent again after a lost answer, or replayed. */
const SAME_BODY_MS = 10 * 60_000;
const MOST = 1000;

/** Remembers the webhooks of the last minutes by a digest of their bodies. */
export class RecentBodies {
  /** When each digest was first seen, the oldest first. */
  readonly #seen = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether this body is new within that time; remembers it. */
  isNew(body: Uint8Array): boolean {
    const now = this.#now();
    for (const [digest, at] of this.#seen) {
      if (now - at < SAME_BODY_MS && this.#seen.size <= MOST) break;
      this.#seen.delete(digest);
    }
    const digest = createHash('sha256').update(body).digest('base64');
    if (this.#seen.has(digest)) return false;
    this.#seen.set(digest, now);
    return true;
  }
}
