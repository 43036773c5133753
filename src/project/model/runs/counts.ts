import { z } from 'zod';

const Count = z.int().nonnegative();

/** The six counts of a unit, in the order in which its rows travel (design.md, "Reconciled"). */
export const Counts = z.object({
  /** The service's own count; null where it gives none. */
  reported: Count.nullable(),
  /** Rows in the bytes that came. */
  received: Count,
  /** Rows in the package. */
  staged: Count,
  /** Rows kept out of the package because a value did not survive its type. */
  rejected: Count,
  /** Rows the load inserted; null before it. */
  loaded: Count.nullable(),
  /** Rows in the copy that is to be published; null before it. */
  queryable: Count.nullable(),
});
export type Counts = z.infer<typeof Counts>;

export type CountName = keyof Counts;
export const COUNTS = Counts.keyof().options;

/** Two places whose numbers should be the same and are not. */
export interface Difference {
  readonly left: string;
  readonly leftCount: number;
  readonly right: string;
  readonly rightCount: number;
}

/**
 * The first difference along the way, or null: `reported` = `received` = `staged` + `rejected`, `staged` = `loaded` =
 * `queryable`. Unknown counts are not compared.
 */
export function reconcile(counts: Counts): Difference | null {
  const pairs: readonly (readonly [string, number | null, string, number | null])[] = [
    ['reported by the service', counts.reported, 'received', counts.received],
    ['received', counts.received, 'staged + rejected', counts.staged + counts.rejected],
    ['staged', counts.staged, 'loaded', counts.loaded],
    ['loaded', counts.loaded, 'queryable', counts.queryable],
  ];
  for (const [left, leftCount, right, rightCount] of pairs) {
    if (leftCount !== null && rightCount !== null && leftCount !== rightCount) {
      return { left, leftCount, right, rightCount };
    }
  }
  return null;
}
