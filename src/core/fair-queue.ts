import { nextSlot, type Place, type ProjectQueue, type SlotLimits } from './next-slot.ts';

/** The turn of a unit that is at work. */
export interface Turn {
  /** Takes a place of this store, or gives back the one it had; may wait, and lets others go on meanwhile. */
  move(store: string | null): Promise<void>;
}

interface Waiting extends Place {
  readonly order: number;
  readonly start: () => void;
}

interface Queue extends ProjectQueue<Waiting> {
  readonly waiting: Waiting[];
  lastTurn: number;
}

/** Lets units work at once within the limits, projects in fair turns (`nextSlot`). */
export class FairQueue {
  readonly #limits: SlotLimits;
  readonly #projects = new Map<string, Queue>();
  readonly #working = new Set<Place>();
  #asked = 0;
  #turns = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Runs a unit's work once it is its turn. */
  async run<T>(project: string, work: (turn: Turn) => Promise<T>): Promise<T> {
    const order = this.#asked++;
    let place = await this.#take({ project, store: null }, order);
    const move = async (store: string | null): Promise<void> => {
      if (place.store === store) return;
      this.#working.delete(place);
      // In its old order: who was let in before the others is before them in the store too.
      place = await this.#take({ project, store }, order);
    };
    try {
      return await work({ move });
    } finally {
      this.#working.delete(place);
      this.#startAll();
    }
  }

  async #take(wanted: Place, order: number): Promise<Place> {
    const queue = this.#queueOf(wanted.project);
    const before = queue.waiting.findIndex((one) => one.order > order);
    const { promise, resolve } = Promise.withResolvers<void>();
    const place: Waiting = { ...wanted, order, start: resolve };
    queue.waiting.splice(before < 0 ? queue.waiting.length : before, 0, place);
    this.#startAll();
    await promise;
    return place;
  }

  #startAll(): void {
    for (;;) {
      const next = nextSlot(this.#projects, [...this.#working], this.#limits);
      if (next === null) return;
      const queue = this.#queueOf(next.project);
      queue.waiting.splice(queue.waiting.indexOf(next), 1);
      queue.lastTurn = this.#turns++;
      this.#working.add(next);
      next.start();
    }
  }

  #queueOf(project: string): Queue {
    const known = this.#projects.get(project) ?? { waiting: [], lastTurn: -1 };
    this.#projects.set(project, known);
    return known;
  }
}
