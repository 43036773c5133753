import type { FormerLoad } from '../../project/model/former-load.ts';
import type { UnitState } from '../../project/model/runs/ledger-records.ts';

interface KnownUnit {
  readonly unit: string;
  readonly status: UnitState;
  /** Time of the last move, ISO 8601. */
  readonly updated_at: string;
}

export interface Move {
  readonly unit: string;
  readonly to: UnitState;
}

const UNDER_WAY: readonly UnitState[] = ['discovered', 'requested', 'downloading', 'staged'];
const THERE: readonly UnitState[] = ['loaded', 'published'];
const ENDED: readonly UnitState[] = ['failed', 'refused', 'skipped'];

/**
 * Corrects a ledger whose last run was killed, or that is older or newer than the warehouse. A unit in the warehouse
 * has been loaded; a unit that is missing there must be requested again. A failure stays, because only the ledger
 * records it. But if rows were loaded after the failure, they take precedence, because a crash of the machine may have
 * reset the ledger.
 */
export function reconcileUnits(
  units: readonly KnownUnit[],
  loaded: ReadonlyMap<string, Pick<FormerLoad, 'published' | 'loaded_at'>>,
): Move[] {
  return units.flatMap(({ unit, status, updated_at }): Move[] => {
    const load = loaded.get(unit);
    if (load === undefined) return THERE.includes(status) ? [{ unit, to: 'discovered' }] : [];
    const isBehind =
      UNDER_WAY.includes(status) ||
      (status === 'loaded' && load.published) ||
      (ENDED.includes(status) && load.loaded_at > Date.parse(updated_at));
    return isBehind ? [{ unit, to: load.published ? 'published' : 'loaded' }] : [];
  });
}
