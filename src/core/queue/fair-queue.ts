import { AsyncLocalStorage } from 'node:async_hooks';

/** Maximum number of idle projects to remember: a project that was served before all of them counts as new. */
const MOST_KNOWN = 100;

export interface SlotHandle {
  /** Moves the work to a slot of this store, or of no store. The call may wait; other work may start meanwhile. */
  move(store: string | null): Promise<void>;
  /** Releases the slot before the work has ended, if the rest needs none. Absent: the slot is kept to the end. */
  release?(): void;
}

/** Releases the slot of the current work during a wait. */
const HELD = new AsyncLocalStorage<<T>(wait: () => Promise<T>) => Promise<T>>();

/** Waits for something that needs no work, such as a response of the service. Other work may use the slot meanwhile. */
export function withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
  const giveBack = HELD.getStore();
  return giveBack === undefined ? wait() : giveBack(wait);
}

interface Waiting extends Slot {
  readonly order: number;
  readonly start: () => void;
}

interface Queue extends ProjectQueue<Waiting> {
  readonly waiting: Waiting[];
  lastGrant: number;
}

/** Runs units in parallel within the limits, with a fair share for each project (`nextSlot`). */
export class FairQueue {
  readonly #limits: SlotLimits;
  /** Ordered by their last slots. */
  readonly #projects = new Map<string, Queue>();
  readonly #working = new Set<Slot>();
  #asked = 0;
  #grants = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Projects that have units here, or recently had some. */
  get known(): number {
    return this.#projects.size;
  }

  /** Whether a slot is taken. */
  get isBusy(): boolean {
    return this.#working.size > 0;
  }

  async run<T>(project: string, work: (slot: SlotHandle) => Promise<T>): Promise<T> {
    const order = this.#asked++;
    let slot = await this.#take({ project, store: null }, order);
    const move = async (store: string | null): Promise<void> => {
      if (slot.store === store) return;
      this.#working.delete(slot);
      // It keeps its order: a unit that started earlier is also earlier in the store.
      slot = await this.#take({ project, store }, order);
    };
    const release = (): void => {
      this.#working.delete(slot);
      this.#startAll();
      this.#forgetIdle();
    };
    let waits = 0;
    const giveBack = async <W>(wait: () => Promise<W>): Promise<W> => {
      if (waits++ === 0) release();
      try {
        return await wait();
      } finally {
        if (--waits === 0) slot = await this.#take({ project, store: slot.store }, order);
      }
    };
    try {
      return await HELD.run(giveBack, () => work({ move, release }));
    } finally {
      release();
    }
  }

  async #take(wanted: Slot, order: number): Promise<Slot> {
    const queue = this.#queueOf(wanted.project);
    const before = queue.waiting.findIndex((waiting) => waiting.order > order);
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

export interface Slot {
  /** Id of the unit's project, or of the workspace for units of several projects. */
  readonly project: string;
  /** The store that its rows pass through; null if there is none, or if it is not yet known. */
  readonly store: string | null;
}

/** Maximum numbers of units in progress. */
export interface SlotLimits {
  readonly all: number;
  readonly project: number;
  readonly store: number;
}

/** The waiting units of one project, in the order of their requests, and when the project last got a slot. */
interface ProjectQueue<S extends Slot> {
  readonly waiting: readonly S[];
  /** Number of the last grant; -1 before the first. */
  readonly lastGrant: number;
}

/**
 * Chooses the unit that gets the next slot. Among the projects with the fewest units in progress, it chooses the one
 * that has waited longest, and from that project the first unit that the limits allow. So a project with a thousand
 * units, or with slow units, gets only its share while other projects wait, but all slots when none do.
 *
 * @returns null if no unit may start
 */
export function nextSlot<S extends Slot>(
  projects: ReadonlyMap<string, ProjectQueue<S>>,
  working: readonly Slot[],
  limits: SlotLimits,
): S | null {
  if (working.length >= limits.all) return null;
  const inStore = (store: string): number => working.filter((slot) => slot.store === store).length;
  const full = new Set(
    working.flatMap(({ store }) => (store && inStore(store) >= limits.store ? [store] : [])),
  );
  let best: { readonly slot: S; readonly busy: number; readonly lastGrant: number } | null = null;
  for (const [project, { waiting, lastGrant }] of projects) {
    const busy = working.filter((slot) => slot.project === project).length;
    const earlier = best === null || busy < best.busy || (busy === best.busy && lastGrant < best.lastGrant);
    if (busy >= limits.project || !earlier) continue;
    const slot = waiting.find(({ store }) => store === null || !full.has(store));
    if (slot) best = { slot, busy, lastGrant };
  }
  return best?.slot ?? null;
}
