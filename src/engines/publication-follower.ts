import { toCrawlhouseError } from '../core/errors/errors.ts';
import type { Logger } from '../core/logs/logger.ts';
import type { FollowedPlace, KnownPublication } from './engine.ts';
import { isInCatalogue, openRemote } from './registry.ts';

/** How often a long-running reader looks for a newer publication, in milliseconds. */
const LOOK_MS = 10_000;

/**
 * Keeps the published file of a machine that reads at the newest publication. It has something to do only where the rows
 * are not in the file: any machine may publish there.
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
   * Fetches the newest publication, unless that was tried a moment ago. Then the former error is thrown again.
   *
   * @throws CrawlhouseError why it can't be had, where this machine has none
   */
  async follow(signal?: AbortSignal): Promise<void> {
    if (isInCatalogue(this.#place)) return;
    if (this.#looking === undefined && performance.now() - this.#lookedAt < LOOK_MS) {
      if (this.#failure !== undefined) throw this.#failure;
      return;
    }
    this.#looking ??= this.#look(signal).finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Follows for callers that read more than the published warehouse: a failure is a warning. */
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
    this.#failure = undefined;
    try {
      const remote = await openRemote(this.#place.engine);
      const following = { signal, known: this.#known };
      this.#known = await remote?.follow(this.#place, this.#logger, following);
    } catch (error) {
      signal?.throwIfAborted();
      this.#failure = error;
      throw error;
    } finally {
      if (!signal?.aborted) this.#lookedAt = performance.now();
    }
  }
}
