import { z } from 'zod';
import { countText } from '../../../core/text/amounts.ts';

/** A whole number of any size. */
export const Count = z.union([z.number(), z.bigint()]).meta({ wire: { type: 'integer' } });
export type Count = z.infer<typeof Count>;

/** The six counts of a unit (`COUNTS`); null is not known. */
export const UnitCounts = z.strictObject({
  reported: Count.nullable(),
  received: Count.nullable(),
  staged: Count.nullable(),
  rejected: Count.nullable(),
  loaded: Count.nullable(),
  queryable: Count.nullable(),
});

/** `1,234,567`; a dash for none. */
export function countOrDash(count: Count | null | undefined): string {
  return count === null || count === undefined ? '–' : countText(count);
}
