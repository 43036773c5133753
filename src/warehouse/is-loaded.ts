import type { PlannedUnit } from '../model/planned-unit.ts';
import { unitName } from '../model/unit.ts';
import type { LoadedUnit } from './ops-loads.ts';

/** Does the warehouse hold this unit? Not where its crawl ran again under the same id, and so ended at another time. */
export function isLoaded(
  held: ReadonlyMap<string, LoadedUnit>,
  { unit, ended_at }: Pick<PlannedUnit, 'unit' | 'ended_at'>,
): boolean {
  return holds(held, unitName(unit), ended_at);
}

/** The same by the unit's name. */
export function holds(held: ReadonlyMap<string, LoadedUnit>, name: string, endedAt: number | null): boolean {
  const found = held.get(name);
  if (found === undefined) return false;
  return found.source_ended_at === null || endedAt === null || found.source_ended_at === endedAt;
}
