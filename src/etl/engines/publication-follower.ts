import { toCrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { FollowedPlace, KnownPublication } from './engine.ts';
import { isInCatalog, openRemote } from './registry.ts';

/** Time in milliseconds between two checks of a long-running reader for a newer publication. */
const LOOK_MS = 10_000;

/**
 * Keeps the published file of a reading machine at the newest publication. This matters only if the rows are outside of
 * the file, because then any machine may publish.
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
   * Fetches the newest publication, unless the last attempt was a moment ago. In that case, throws the previous error
   * again.
   *
   * @throws CrawlhouseError that explains why the catalog is unavailable, if this machine has none
   */
  async follow(signal?: AbortSignal): Promise<void> {
    if (isInCatalog(this.#place)) return;
    if (this.#looking === undefined && performance.now() - this.#lookedAt < LOOK_MS) {
      if (this.#failure !== undefined) throw this.#failure;
      return;
    }
    this.#looking ??= this.#look(signal).finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /**
   * Fetches the newest publication for callers that read more than the published warehouse. A failure is only a
   * warning.
   */
  async tryFollow(signal?: AbortSignal): Promise<void> {
    try {
      await this.follow(signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.#logger.warn('the published warehouse is not available', {
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
