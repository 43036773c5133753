import { WORKSPACE_ID } from '../resources/seed.ts';
import { applyEvent, giveUp } from './apply-event.ts';
import { type CrawlContext, followCrawl } from './crawl-source.ts';
import { type Due, nextDue } from './due.ts';
import type { LaunchedCrawl } from './launched-crawl.ts';

/** The interval between two checks of the clock without requests, in milliseconds. */
const GLANCE = 500;

/**
 * Applies the events of the service: crawls and comparisons end, scheduled crawls fire, crawls are archived. Events are
 * applied one after the other, each at its own time. A clock that jumps therefore leads to the same result as a running
 * clock.
 */
export class CrawlClock implements AsyncDisposable {
  readonly #context: CrawlContext;
  #glances: NodeJS.Timeout | undefined;
  /** Resolves with all work so far, which runs one after the other. */
  #last: Promise<void> = Promise.resolve();
  #next: { readonly changes: number; readonly at: number } | undefined;
  #isClosed = false;

  constructor(context: CrawlContext) {
    this.#context = context;
  }

  /**
   * Starts checking the clock. Until then the data may be incomplete. Crawls of websites that the last process worked
   * on continue or are paused.
   */
  async begin({ pausesCrawls }: { readonly pausesCrawls: boolean }): Promise<void> {
    const { resources } = this.#context;
    for (const crawl of resources.listHolding('crawls', '_work') as LaunchedCrawl[]) {
      const isCut =
        crawl.status === 'running' && crawl._crawler !== undefined && crawl._crawler.ended === undefined;
      if (isCut && pausesCrawls) resources.put('crawls', WORKSPACE_ID, { ...crawl, status: 'paused' });
      else await followCrawl(this.#context, crawl);
    }
    // `advance` logs the errors of events.
    this.#glances = setInterval(() => void this.advance().catch(() => {}), GLANCE).unref();
  }

  /** Resolves when all events that are due by now are applied. */
  async advance(): Promise<void> {
    if (this.#isDue()) await this.alone(() => {});
  }

  /** Runs exclusive work that changes the state, after all events up to now are applied; it receives the time. */
  async alone<T>(work: (now: number, context: CrawlContext) => Promise<T> | T): Promise<T> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      await this.#catchUp();
      return await work(this.#context.clock.now(), this.#context);
    } finally {
      resolve();
    }
  }

  async #catchUp(): Promise<void> {
    for (let due = this.#due(); due !== undefined && !this.#isClosed; due = this.#due()) {
      try {
        await applyEvent(this.#context, due);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        this.#context.logger.error('the local service failed', {
          what: due.what,
          id: due.doc.id,
          error: message,
        });
        await giveUp(this.#context, due, message);
      }
    }
  }

  #due(): Due | undefined {
    const due = nextDue(this.#context.resources);
    return due !== undefined && due.at <= this.#context.clock.now() ? due : undefined;
  }

  /** Returns whether an event is due. Looks it up only after a change. */
  #isDue(): boolean {
    if (this.#isClosed) return false;
    const { changes } = this.#context.resources;
    if (this.#next?.changes !== changes) {
      const at = nextDue(this.#context.resources)?.at ?? Number.POSITIVE_INFINITY;
      this.#next = { changes, at };
    }
    return this.#next.at <= this.#context.clock.now();
  }

  /** Stops between two events; waits for an event in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#glances);
    await this.#last;
  }
}
