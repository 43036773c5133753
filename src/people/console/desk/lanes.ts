import { AsyncLocalStorage } from 'node:async_hooks';
import { FairQueue } from '../../../core/queue/fair-queue.ts';

/** Places for work of one kind. Who has fewest at work is next; none has more than its share. */
export interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * The places of the console, each kind in a lane of its own: no page waits for a query of `/ask`, or for a download. In
 * a lane they are fair by session, and one session never has all places of the pages.
 */
export class Lanes {
  readonly #session = new AsyncLocalStorage<string>();
  /** Pages. Three, so that one session has two and another session one beside it. */
  readonly pages = this.#lane(3, 2);
  /** Questions of pages that read every page of a site: the quick ones find a place beside them. */
  readonly slowPages = this.#lane(1, 1);
  /** SQL of people: what runs long there keeps no page waiting. */
  readonly asking = this.#lane(2, 1);
  /** Whole answers at once: they take what the settings allow a query. */
  readonly downloads = this.#lane(1, 1);

  /** Does what a session asked for: the places that it takes are counted as that session's. */
  of<T>({ csrf }: { readonly csrf: string }, work: () => Promise<T>): Promise<T> {
    return this.#session.run(csrf, work);
  }

  #lane(all: number, each: number): Lane {
    const queue = new FairQueue({ all, project: each, store: all });
    return { run: (work) => queue.run(this.#session.getStore() ?? '', work) };
  }
}
