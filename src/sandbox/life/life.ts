import type { Clock } from '../resources/clock.ts';
import { applyEvent, giveUp } from './apply-event.ts';
import { type Due, nextDue } from './due.ts';
import type { LifeContext } from './life-context.ts';

/** How often the clock is looked at while nobody asks for anything, in milliseconds. */
const GLANCE = 500;

/**
 * What happens by itself in the sandbox: crawls and comparisons end, scheduled crawls fire, crawls are archived. Each
 * thing happens at its own time, one after the other, so that a clock that jumps brings about what one that ticks does.
 */
export class Life implements AsyncDisposable {
  readonly #context: LifeContext;
  readonly #clock: Clock;
  #glances: NodeJS.Timeout | undefined;
  /** The end of all work so far; pieces of it follow each other. */
  #last: Promise<void> = Promise.resolve();
  #next: { readonly changes: number; readonly at: number } | undefined;
  #isClosed = false;

  constructor(context: LifeContext, clock: Clock) {
    this.#context = context;
    this.#clock = clock;
  }

  /** From now on the clock is looked at by itself; before, the data may not be whole. */
  begin(): void {
    this.#glances = setInterval(() => void this.advance().catch(() => {}), GLANCE).unref();
  }

  /** Resolves when all has happened that is due by now. */
  async advance(): Promise<void> {
    if (this.#isDue()) await this.alone(() => {});
  }

  /** Does work that changes what lives, alone and with everything up to now done; it gets the time. */
  async alone<T>(work: (now: number, context: LifeContext) => Promise<T> | T): Promise<T> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      await this.#catchUp();
      return await work(this.#clock.now(), this.#context);
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
        this.#context.logger.error('sandbox failed', { what: due.what, id: due.doc.id, error: message });
        giveUp(this.#context, due);
      }
    }
  }

  #due(): Due | undefined {
    const due = nextDue(this.#context.resources);
    return due !== undefined && due.at <= this.#clock.now() ? due : undefined;
  }

  /** Whether anything is due; only after a change is it looked up. */
  #isDue(): boolean {
    if (this.#isClosed) return false;
    const { changes } = this.#context.resources;
    if (this.#next?.changes !== changes) {
      const at = nextDue(this.#context.resources)?.at ?? Number.POSITIVE_INFINITY;
      this.#next = { changes, at };
    }
    return this.#next.at <= this.#clock.now();
  }

  /** Ends what goes on between two happenings; what is half done is waited for. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#glances);
    await this.#last;
  }
}
