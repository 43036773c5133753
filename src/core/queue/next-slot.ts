/** The slots that a unit occupies while it is at work. */
export interface Slot {
  /** Id of the unit's project; of the workspace for what spans projects. */
  readonly project: string;
  /** The store that its rows come through; null if there is none or it is not known yet. */
  readonly store: string | null;
}

/** How many units may be at work at once. */
export interface SlotLimits {
  readonly all: number;
  readonly project: number;
  readonly store: number;
}

/** The waiting units of one project, in the order of their requests, and when the project last got a slot. */
export interface ProjectQueue<S extends Slot> {
  readonly waiting: readonly S[];
  /** Number of that grant; -1 for none yet. */
  readonly lastGrant: number;
}

/**
 * Chooses the unit that gets the next slot. Of the projects with the fewest units at work, it is the one that has waited
 * longest; of its units, the first that the limits allow. So a project with a thousand units, or with slow ones, takes no
 * more than its share while others wait, and all slots when none does.
 *
 * @returns null if no unit may start
 */
export function nextSlot<S extends Slot>(
  projects: ReadonlyMap<string, ProjectQueue<S>>,
  working: readonly Slot[],
  limits: SlotLimits,
): S | null {
  if (working.length >= limits.all) return null;
  const inStore = (store: string): number => working.filter((one) => one.store === store).length;
  const full = new Set(
    working.flatMap(({ store }) => (store && inStore(store) >= limits.store ? [store] : [])),
  );
  let best: { readonly slot: S; readonly busy: number; readonly lastGrant: number } | null = null;
  for (const [project, { waiting, lastGrant }] of projects) {
    const busy = working.filter((one) => one.project === project).length;
    const earlier = best === null || busy < best.busy || (busy === best.busy && lastGrant < best.lastGrant);
    if (busy >= limits.project || !earlier) continue;
    const slot = waiting.find(({ store }) => store === null || !full.has(store));
    if (slot) best = { slot, busy, lastGrant };
  }
  return best?.slot ?? null;
}
