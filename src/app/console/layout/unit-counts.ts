import { z } from 'zod';
import { countText } from '../../../core/text/amounts.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { sixCounts } from '../../../etl/project/model/runs/six-counts.ts';

/** An integer of any size. */
export const Count = z.union([z.number(), z.bigint()]).meta({ wire: { type: 'integer' } });
export type Count = Typed<typeof Count>;

/** The six counts of a unit (`COUNTS`); null is unknown. */
export const UnitCounts = sixCounts(Count.nullable()).strict();

/** `1,234,567`; a dash for none. */
export function countOrDash(count: Count | null | undefined): string {
  return count === null || count === undefined ? '–' : countText(count);
}
