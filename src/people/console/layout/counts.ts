import { z } from 'zod';
import { countText } from '../../../core/text/amounts.ts';

/** A whole number of any size. */
export const Count = z.union([z.number(), z.bigint()]).meta({ wire: { type: 'integer' } });
export type Count = z.infer<typeof Count>;

/** `1,234,567`; a dash for none. */
export function countOrDash(count: Count | null | undefined): string {
  return count === null || count === undefined ? '–' : countText(count);
}
