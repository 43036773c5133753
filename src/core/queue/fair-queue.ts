import { nextSlot, type ProjectQueue, type Slot, type SlotLimits } from './next-slot.ts';

/** Idle projects that are remembered: who was served before the last of them is as good as new. */
const MOST_KNOWN = 100;

/** The slot of a unit that is at work. */
export interface SlotHandle {
  /** Moves to a slot of this store, or of none. It may wait; others may start meanwhile. */
  move(store: string | null): Promise<void>;
}

interface Waiting extends Slot {
  readonly order: number;
  readonly start: () => void;
}

interface Queue extends ProjectQueue<Waiting> {
  readonly waiting: Waiting[];
  lastGrant: number;
}

/** Runs units at once within the limits, with a fair share for each project (`nextSlot`). */
export class FairQueue {
  readonly #limits: SlotLimits;
  /** In the order of their last slots. */
  readonly #projects = new Map<string, Queue>();
  readonly #working = new Set<Slot>();
  #asked = 0;
  #grants = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Projects that have units here, or had some lately. */
  get known(): number {
    return this.#projects.size;
  }

  /** Runs a unit's work once it has a slot. */
  async run<T>(project: string, work: (slot: SlotHandle) => Promise<T>): Promise<T> {
    const order = this.#asked++;
    let slot = await this.#take({ project, store: null }, order);
    const move = async (store: string | null): Promise<void> => {
      if (slot.store === store) return;
      this.#working.delete(slot);
      // In its old order: a unit that started before others is before them in the store too.
      slot = await this.#take({ project, store }, order);
    };
    try {
      return await work({ move });
    } finally {
      this.#working.delete(slot);
      this.#startAll();
      this.#forgetIdle();
    }
  }

  async #take(wanted: Slot, order: number): Promise<Slot> {
    const queue = this.#queueOf(wanted.project);
    const before = queue.waiting.findIndex((one) => one.order > order);
    const { promise, resolve } = Promise.withResolvers<void>();
    const slot: Waiting = { ...wanted, order, start: resolve };
    queue.waiting.splice(before < 0 ? queue.waiting.length : before, 0, slot);
    this.#startAll();
    await promise;
    return slot;
  }

  #startAll(): void {
    for (;;) {
      const next = nextSlot(this.#projects, [...this.#working], this.#limits);
      if (next === null) return;
      const queue = this.#queueOf(next.project);
      queue.waiting.splice(queue.waiting.indexOf(next), 1);
      queue.lastGrant = this.#grants++;
      this.#projects.delete(next.project);
      this.#projects.set(next.project, queue);
      this.#working.add(next);
      next.start();
    }
  }

  #forgetIdle(): void {
    const working = new Set([...this.#working].map(({ project }) => project));
    for (const [project, { waiting }] of this.#projects) {
      if (this.#projects.size <= MOST_KNOWN) return;
      if (waiting.length === 0 && !working.has(project)) this.#projects.delete(project);
    }
  }

  #queueOf(project: string): Queue {
    const known = this.#projects.get(project) ?? { waiting: [], lastGrant: -1 };
    this.#projects.set(project, known);
    return known;
  }
}
