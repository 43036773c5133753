import { seededRandom } from '../support/random.ts';
import { type Decision, type Fault, fits } from './decisions.ts';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** What happened of a fault: for the summary. */
export interface Happened {
  readonly fault: Fault;
  /** The operation that it met: `file rename`. */
  readonly kind: string;
}

/** After so many events, a life does not end by itself. */
const MOST_EVENTS = 60_000;

/** Virtual time, and the order of all that happens: one event after the other, each when nothing else can go on. */
export class World {
  readonly random: () => number;
  readonly happened: Happened[] = [];
  /** Lines for people, where they are wanted. */
  readonly trace: string[] | null;
  /** UTC milliseconds. */
  now: number;
  operations = 0;
  events = 0;
  readonly #queue: Event[] = [];
  readonly #decisions: Decision[];
  readonly #start: number;
  #order = 0;

  constructor(seed: number, decisions: readonly Decision[], trace: boolean) {
    this.random = seededRandom(seed);
    this.#decisions = [...decisions];
    this.trace = trace ? [] : null;
    this.#start = Date.parse('2027-03-01T00:00:00Z') + Math.floor(this.random() * 3_600_000);
    this.now = this.#start;
  }

  /** Milliseconds since the life began. */
  get age(): number {
    return this.now - this.#start;
  }

  get start(): number {
    return this.#start;
  }

  say(text: string): void {
    this.trace?.push(`${(this.age / 1000).toFixed(3).padStart(9)} ${text}`);
  }

  /** A whole number from 0 to below `most`. */
  below(most: number): number {
    return Math.floor(this.random() * most);
  }

  /** Calls `run` after a time; at the same moment, chance decides who is first. */
  after(ms: number, run: () => void): () => void {
    const event = { at: this.now + Math.max(0, ms), order: this.random() + this.#order++ * 1e-9, run };
    this.#push(event);
    return () => {
      (event as { run: () => void }).run = nothing;
    };
  }

  /** The fault of the next operation, if there is one. */
  fault(kind: string, who: string): (Decision & Happened) | undefined {
    const number = this.operations++;
    for (let index = 0; index < this.#decisions.length; index++) {
      const decision = this.#decisions[index] as Decision;
      if (decision.at > number) return undefined;
      if (!fits(decision, kind)) continue;
      this.#decisions.splice(index, 1);
      this.happened.push({ fault: decision.fault, kind });
      this.say(`${who}: ${decision.fault} at ${kind}`);
      return { ...decision, kind };
    }
    return undefined;
  }

  /** No fault happens from now on. */
  calm(): void {
    this.#decisions.length = 0;
  }

  /** Goes on until `isDone`, or until nothing is left that could happen. */
  async run(isDone: () => boolean): Promise<void> {
    await settled();
    while (!isDone()) {
      const event = this.#pop();
      if (event === undefined) throw new Error('nothing is left that could happen');
      if (this.events++ > MOST_EVENTS)
        throw new Error(`more than ${MOST_EVENTS} events: something never ends`);
      this.now = Math.max(this.now, event.at);
      if (event.run === nothing) continue;
      event.run();
      await settled();
    }
  }

  #push(event: Event): void {
    const queue = this.#queue;
    let at = queue.length;
    queue.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, queue[parent] as Event)) break;
      queue[at] = queue[parent] as Event;
      at = parent;
    }
    queue[at] = event;
  }

  #pop(): Event | undefined {
    const queue = this.#queue;
    const first = queue[0];
    const last = queue.pop();
    if (first === undefined || last === undefined || queue.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= queue.length) break;
      if (child + 1 < queue.length && isBefore(queue[child + 1] as Event, queue[child] as Event)) child++;
      if (!isBefore(queue[child] as Event, last)) break;
      queue[at] = queue[child] as Event;
      at = child;
    }
    queue[at] = last;
    return first;
  }
}

function nothing(): void {}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Resolves once no promise and no tick is left to go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
