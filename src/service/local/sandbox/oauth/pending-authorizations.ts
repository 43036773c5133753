import { randomBytes } from 'node:crypto';
import type { Clock } from '../../resources/clock.ts';
import type { Authorization } from './authorization.ts';

/** How long a person may think, in milliseconds. */
const LIFETIME_MS = 10 * 60_000;
const MOST = 1000;

interface Pending {
  readonly authorization: Authorization;
  readonly until: number;
}

/**
 * The open authorization pages. Each page has a secret key for one answer, so no other site can answer in a person's
 * place.
 */
export class PendingAuthorizations {
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Puts one down; the key that answers it. */
  add(authorization: Authorization): string {
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= MOST) this.#pending.delete(oldest);
    const key = randomBytes(24).toString('base64url');
    this.#pending.set(key, { authorization, until: this.#clock.now() + LIFETIME_MS });
    return key;
  }

  /** Takes the one of this key away, if it is still there. */
  take(key: string): Authorization | undefined {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    return pending !== undefined && pending.until > this.#clock.now() ? pending.authorization : undefined;
  }
}
