import type { UnitState } from '../../project/model/ledger-records.ts';

/** The state of a loaded unit in the warehouse. */
export interface LoadState {
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
 * Corrects a ledger whose last run was killed, or that is older or newer than the warehouse. A unit in the warehouse has
 * been loaded; one that is not there must be requested again. Failures stay: only the ledger knows them.
 */
export function reconcileUnits(
  units: readonly { readonly unit: string; readonly status: UnitState }[],
  loaded: ReadonlyMap<string, LoadState>,
): Move[] {
  return units.flatMap(({ unit, status }): Move[] => {
    const load = loaded.get(unit);
    if (load === undefined) return THERE.includes(status) ? [{ unit, to: 'discovered' }] : [];
    const isBehind = UNDER_WAY.includes(status) || (status === 'loaded' && load.published);
    return isBehind ? [{ unit, to: load.published ? 'published' : 'loaded' }] : [];
  });
}
