import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import type { LoadedUnit } from './ops/ops-loads.ts';

/** Is the unit in the warehouse? Not if its crawl ran again under the same id, and so ended at another time. */
export function isLoaded(
  loaded: ReadonlyMap<string, LoadedUnit>,
  { name, ended_at }: Pick<PlannedUnit, 'name' | 'ended_at'>,
): boolean {
  return isNameLoaded(loaded, name, ended_at);
}

/** Whether a unit is loaded, by its name. */
export function isNameLoaded(
  loaded: ReadonlyMap<string, LoadedUnit>,
  name: string,
  endedAt: number | null,
): boolean {
  const found = loaded.get(name);
  if (found === undefined) return false;
  return found.source_ended_at === null || endedAt === null || found.source_ended_at === endedAt;
}
