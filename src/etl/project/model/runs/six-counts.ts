import { z } from 'zod';

export const Count = z.int().nonnegative();

/** The six counts of a unit, in the order in which its rows travel (design.md, "Reconciled"). */
export const Counts = z.object({
  /** The service's count; null if the service reports none. */
  reported: Count.nullable(),
  /** Rows in the downloaded bytes. */
  received: Count,
  /** Rows in the package. */
  staged: Count,
  /** Rows kept out of the package because a value did not survive the conversion to its type. */
  rejected: Count,
  /** Rows that the load inserted; null before it. */
  loaded: Count.nullable(),
  /** Rows in the copy to be published; null before it. */
  queryable: Count.nullable(),
});
export type Counts = z.infer<typeof Counts>;

export type CountName = keyof Counts;
export const COUNTS = Counts.keyof().options;

/** Returns a schema of the six counts, each as `count` accepts it, for documents that show them. */
export function sixCounts<Count extends z.ZodType>(count: Count) {
  return z.object({
    reported: count,
    received: count,
    staged: count,
    rejected: count,
    loaded: count,
    queryable: count,
  } satisfies Record<CountName, Count>);
}

/** Two places whose numbers should be equal but differ. */
export interface Difference {
  readonly left: string;
  readonly leftCount: number;
  readonly right: string;
  readonly rightCount: number;
}

/**
 * Returns the first violation of these equations, or null: `reported` = `received` = `staged` + `rejected`, `staged` =
 * `loaded` = `queryable`. Unknown counts are not compared.
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
