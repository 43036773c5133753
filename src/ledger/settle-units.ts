import type { UnitState } from '../model/ledger-records.ts';

/** What the warehouse says of a unit that it holds. */
export interface Held {
  /** Are its rows in the published file too? */
  readonly published: boolean;
}

export interface Move {
  readonly unit: string;
  readonly to: UnitState;
}

const UNDER_WAY: readonly UnitState[] = ['discovered', 'requested', 'downloading', 'staged'];
const THERE: readonly UnitState[] = ['loaded', 'published'];

/**
 * What has to be put right in a ledger whose last run was killed, or which is not of the same day as the warehouse: a
 * unit that the warehouse holds has been loaded; one that it does not hold is to be asked for again. How a unit failed
 * is the ledger's own knowledge and stays.
 */
export function settleUnits(
  units: readonly { readonly unit: string; readonly status: UnitState }[],
  held: ReadonlyMap<string, Held>,
): Move[] {
  return units.flatMap(({ unit, status }): Move[] => {
    const load = held.get(unit);
    if (load === undefined) return THERE.includes(status) ? [{ unit, to: 'discovered' }] : [];
    const isBehind = UNDER_WAY.includes(status) || (status === 'loaded' && load.published);
    return isBehind ? [{ unit, to: load.published ? 'published' : 'loaded' }] : [];
  });
}
