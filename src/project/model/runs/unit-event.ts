import { z } from 'zod';

/** What can happen to a unit in a run, in this order; one of `unchanged` to `skipped` takes the place of `loaded`. */
const UNIT_EVENTS = [
  'planned',
  'extracted',
  'staged',
  'loaded',
  'unchanged',
  'refused',
  'failed',
  'skipped',
  'published',
] as const;

/** A line of `run --events` (docs/operate.md). */
export const UnitEvent = z.strictObject({
  version: z.literal(1),
  event: z.enum(UNIT_EVENTS),
  /** ISO 8601, UTC. */
  at: z.string(),
  run_id: z.string(),
  unit: z.string(),
  /** Expected, received, staged, loaded or published; null where they are unknown. */
  rows: z.int().nonnegative().nullable(),
  /** Since work on the unit began; null before that, and of what an earlier run has loaded. */
  seconds: z.number().nonnegative().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type UnitEvent = z.infer<typeof UnitEvent>;
