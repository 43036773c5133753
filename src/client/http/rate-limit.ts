import { CrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';

/** Start times of requests that several processes share. */
export interface SlotSource extends AsyncDisposable {
  /**
   * Reserves the next slots of all processes, at a fixed interval.
   *
   * @returns milliseconds until the first slot
   */
  reserve(count: number, intervalMs: number): Promise<number>;
}

/**
 * A block of reserved slots covers at most this time, because other processes cannot use slots that its holder leaves
 * free.
 */
const LONGEST_BLOCK_MS = 500;

/** Spaces calls evenly: `take` resolves when the next one may start. Without a rate, it resolves immediately. */
export class RateLimit {
  readonly #intervalMs: number;
  readonly #slots: SlotSource | undefined;
  /** Time of this process's next slot. */
  #nextAt = 0;
  #left = 0;
  /**
   * Slots of the next block. The number grows while blocks are used up, so that a request rarely needs a round trip.
   */
  #size = 1;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * @param slots shared with other processes; absent: this process has the whole rate
   * @throws CrawlhouseError `bad_settings` for a rate at which nothing would ever be sent
   */
  constructor(perSecond: number | undefined, slots?: SlotSource) {
    if (perSecond !== undefined && !(perSecond > 0))
      throw new CrawlhouseError('bad_settings', `requestsPerSecond must be more than 0, not ${perSecond}`);
    this.#intervalMs = perSecond === undefined ? 0 : 1000 / perSecond;
    this.#slots = slots;
  }

  async take(signal?: AbortSignal): Promise<void> {
    if (this.#intervalMs === 0) return;
    const startAt = this.#slots === undefined ? this.#ownSlot() : await this.#sharedSlot(this.#slots);
    const now = host().monotonic();
    if (startAt > now) await host().sleep(startAt - now, signal);
  }

  #ownSlot(): number {
    const startAt = Math.max(host().monotonic(), this.#nextAt);
    this.#nextAt = startAt + this.#intervalMs;
    return startAt;
  }

  /**
   * Returns a shared slot. Callers queue: the first caller that finds no slot reserves slots for the following ones.
   */
  #sharedSlot(slots: SlotSource): Promise<number> {
    const slot = this.#turn.then(async () => {
      this.#dropPast();
      if (this.#left === 0) {
        const delayMs = await slots.reserve(this.#size, this.#intervalMs);
        this.#nextAt = host().monotonic() + delayMs;
        this.#left = this.#size;
        this.#size = Math.max(1, Math.min(this.#size * 2, Math.floor(LONGEST_BLOCK_MS / this.#intervalMs)));
      }
      const startAt = this.#nextAt;
      this.#nextAt += this.#intervalMs;
      this.#left--;
      return startAt;
    });
    // The caller that waits for the slot receives the error.
    this.#turn = slot.catch(() => {});
    return slot;
  }

  /** Drops slots in the past, which other processes may have taken. */
  #dropPast(): void {
    const past = Math.floor((host().monotonic() - this.#nextAt) / this.#intervalMs);
    if (past < 1) return;
    if (this.#left > 0 || past > 1) this.#size = 1;
    const dropped = Math.min(past, this.#left);
    this.#left -= dropped;
    this.#nextAt += dropped * this.#intervalMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#slots?.[Symbol.asyncDispose]();
  }
}
