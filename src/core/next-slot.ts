/** What a unit takes up while it is at work. */
export interface Place {
  /** Id of the unit's project; of the workspace for what spans projects. */
  readonly project: string;
  /** The store that its rows come through; null for none, or while that is not known yet. */
  readonly store: string | null;
}

/** How many units may be at work at once. */
export interface SlotLimits {
  readonly all: number;
  readonly project: number;
  readonly store: number;
}

/** One project's units that wait, who asked first in front, and when one of them last had its turn. */
export interface ProjectQueue<P extends Place> {
  readonly waiting: readonly P[];
  /** Number of that turn; -1 for none yet. */
  readonly lastTurn: number;
}

/**
 * Whose turn it is: of the projects with the fewest units at work the one that has waited longest, and of its units the
 * first that the limits let in. So a project with a thousand units, or with slow ones, takes no more than its share
 * while others wait, and all places when none does.
 *
 * @returns null when nobody may go
 */
export function nextSlot<P extends Place>(
  projects: ReadonlyMap<string, ProjectQueue<P>>,
  working: readonly Place[],
  limits: SlotLimits,
): P | null {
  if (working.length >= limits.all) return null;
  const inStore = (store: string): number => working.filter((one) => one.store === store).length;
  const full = new Set(
    working.flatMap(({ store }) => (store && inStore(store) >= limits.store ? [store] : [])),
  );
  let best: { readonly place: P; readonly busy: number; readonly lastTurn: number } | null = null;
  for (const [project, { waiting, lastTurn }] of projects) {
    const busy = working.filter((one) => one.project === project).length;
    const earlier = best === null || busy < best.busy || (busy === best.busy && lastTurn < best.lastTurn);
    if (busy >= limits.project || !earlier) continue;
    const place = waiting.find(({ store }) => store === null || !full.has(store));
    if (place) best = { place, busy, lastTurn };
  }
  return best?.place ?? null;
}
