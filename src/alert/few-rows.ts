import { earliest, type Trouble } from './trouble.ts';

/** So many predecessors make a usual number of rows. */
const FEWEST = 3;
/** Below this many rows a fraction says nothing. */
const LEAST_ROWS = 50;

/**
 * The number of rows that is usual by those of its predecessors, their median; null where there are too few of them, or
 * of rows, to say so.
 */
export function usualRows(predecessors: readonly number[]): number | null {
  if (predecessors.length < FEWEST) return null;
  const ordered = [...predecessors].sort((a, b) => a - b);
  const middle = ordered.length / 2;
  const median = ((ordered[Math.floor(middle)] ?? 0) + (ordered[Math.ceil(middle) - 1] ?? 0)) / 2;
  return median < LEAST_ROWS ? null : Math.round(median);
}

export function isFew(rows: number, usual: number | null, minRatio: number): boolean {
  return usual !== null && rows < usual * minRatio;
}

/** A unit with far fewer rows than its predecessors. */
export interface ThinUnit {
  readonly project_id: string;
  /** Its name and its rows beside the usual ones, in words. */
  readonly what: string;
  /** When it was loaded or kept out, ISO 8601, UTC; null where that is not known. */
  readonly began: string | null;
  readonly hint: string | null;
}

/** One trouble a project; over once its next crawl has the usual number of rows again. */
export function findThin(units: readonly ThinUnit[], nameOf: (projectId: string) => string): Trouble[] {
  return [...Map.groupBy(units, ({ project_id }) => project_id)].map(([project_id, thin]) => ({
    key: `volume/${project_id}`,
    event: 'volume',
    title: `${nameOf(project_id)}: far fewer rows than usual`,
    details: thin.map(({ what }) => what).slice(0, 10),
    project_id,
    began: earliest(thin.map(({ began }) => began)),
    hint: thin[0]?.hint ?? null,
  }));
}
