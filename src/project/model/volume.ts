import { median } from './route-pace.ts';

/** So many predecessors make a usual number of rows. */
const FEWEST = 3;
/** Below this many rows a fraction says nothing. */
const LEAST_ROWS = 50;

/** The usual number of rows: the median of the former crawls. Null if there are too few crawls or rows. */
export function usualRows(predecessors: readonly number[]): number | null {
  if (predecessors.length < FEWEST) return null;
  const usual = median(predecessors) ?? 0;
  return usual < LEAST_ROWS ? null : Math.round(usual);
}

export function isFew(rows: number, usual: number | null, minRatio: number): boolean {
  return usual !== null && rows < usual * minRatio;
}

/** How many rows a unit has beside those that the units before it had. */
export interface Volume {
  /** The usual number; null where there is none yet. */
  readonly usual: number | null;
  readonly isFew: boolean;
}
