import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { PublicationFollower } from '../../../etl/engines/publication-follower.ts';
import { publicationStamp } from '../../../etl/state/catalog/published/publication-stamp.ts';
import { openWarehouse, type QuerySettings } from './open-warehouse.ts';
import type { Warehouse } from './warehouse.ts';

/** Parallel queries, each in its own process. */
const AT_ONCE = 2;
/** An idle process keeps the disk space of its publication, even after that is replaced. */
const IDLE_MS = 60_000;

/** Limits the number of parallel queries and orders the waiting ones. */
type Places = Pick<Semaphore, 'run'>;

interface Idle {
  readonly stamp: string;
  readonly warehouse: Warehouse;
}

/**
 * Processes that query the published warehouse. Idle processes are reused until the next publication, because starting
 * one takes longer than most queries. They end after a minute without queries.
 */
export class WarehousePool implements AsyncDisposable {
  readonly #settings: QuerySettings;
  readonly #logger: Logger;
  readonly #follower: PublicationFollower;
  readonly #places: Places;
  #idle: Idle[] = [];
  #unused: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    settings: QuerySettings,
    logger: Logger,
    follower = new PublicationFollower(settings, logger),
    places: Places = new Semaphore(AT_ONCE),
  ) {
    this.#places = places;
    this.#settings = settings;
    this.#logger = logger;
    this.#follower = follower;
  }

  /** @throws CrawlhouseError `nothing_published`, `interrupted` once the pool is closed */
  use<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
    return this.#places.run(async () => {
      if (this.#isClosed) throw new CrawlhouseError('interrupted', 'the queries of this process have ended');
      await this.#follower.follow();
      const stamp = publicationStamp(this.#settings.warehouse);
      await this.#closeOld(stamp);
      const opening = { logger: this.#logger, follower: this.#follower };
      const warehouse = this.#idle.pop()?.warehouse ?? (await openWarehouse(opening, this.#settings));
      try {
        return await work(warehouse);
      } finally {
        this.#idle.push({ stamp, warehouse });
        if (this.#isClosed) await this.#closeOld('closed');
        else this.#endUnused();
      }
    });
  }

  #endUnused(): void {
    clearTimeout(this.#unused);
    // Nobody awaits it, and its answers are delivered.
    this.#unused = setTimeout(() => this.#closeOld('unused').catch(() => {}), IDLE_MS).unref();
  }

  async #closeOld(stamp: string): Promise<void> {
    const old = this.#idle.filter((idle) => idle.stamp !== stamp);
    this.#idle = this.#idle.filter((idle) => idle.stamp === stamp);
    for (const { warehouse } of old) await warehouse[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#unused);
    await this.#closeOld('closed');
  }
}
