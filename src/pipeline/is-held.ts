import type { PlannedUnit } from '../discover/plan-units.ts';
import { unitName } from '../model/unit.ts';
import type { LoadedUnit } from '../warehouse/loads.ts';

/** Does the warehouse hold this unit? Not where its crawl ran again under the same id, and so ended at another time. */
export function isHeld(
  held: ReadonlyMap<string, LoadedUnit>,
  { unit, ended_at }: Pick<PlannedUnit, 'unit' | 'ended_at'>,
): boolean {
  const found = held.get(unitName(unit));
  if (found === undefined) return false;
  return found.source_ended_at === null || ended_at === null || found.source_ended_at === ended_at;
}
