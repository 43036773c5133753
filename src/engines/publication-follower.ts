import { toCrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { FollowedPlace, KnownPublication } from './trino/follow-publication.ts';

/** A process that reads on looks for a newer publication so often, in milliseconds. */
const LOOK_MS = 10_000;

/**
 * Keeps the published file of a machine that reads at the newest publication. It has something to do only where the rows
 * are in Trino: any machine may publish there.
 */
export class PublicationFollower {
  readonly #place: FollowedPlace;
  readonly #logger: Logger;
  #known: KnownPublication | undefined;
  #looking: Promise<void> | undefined;
  #failure: unknown;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(place: FollowedPlace, logger: Logger) {
    this.#place = place;
    this.#logger = logger;
  }

  /**
   * Brings the newest publication here, unless that was looked up a moment ago: then it fails as it did.
   *
   * @throws CrawlhouseError why it can't be had, where this machine has none
   */
  async follow(signal?: AbortSignal): Promise<void> {
    if (this.#place.trino === null) return;
    if (this.#looking === undefined && performance.now() - this.#lookedAt < LOOK_MS) {
      if (this.#failure !== undefined) throw this.#failure;
      return;
    }
    this.#looking ??= this.#look(signal).finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** The same for what has more to read than the published warehouse: a failure is a warning. */
  async tryFollow(signal?: AbortSignal): Promise<void> {
    try {
      await this.follow(signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.#logger.warn('the published warehouse cannot be had', {
        because: toCrawlhouseError(error).message,
      });
    }
  }

  async #look(signal: AbortSignal | undefined): Promise<void> {
    const { trino } = this.#place;
    if (trino === null) return;
    // Read only where it is used: it brings libraries.
    const { followPublication } = await import('./trino/follow-publication.ts');
    const place = { ...this.#place, trino };
    this.#failure = undefined;
    try {
      this.#known = await followPublication(place, this.#logger, { signal, known: this.#known });
    } catch (error) {
      signal?.throwIfAborted();
      this.#failure = error;
      throw error;
    } finally {
      if (!signal?.aborted) this.#lookedAt = performance.now();
    }
  }
}
