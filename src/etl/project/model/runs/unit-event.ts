import { z } from 'zod';

/** The events of a unit in a run, in this order. One of `unchanged` to `skipped` replaces `loaded`. */
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
  /** Expected, received, staged, loaded or published rows; null if they are unknown. */
  rows: z.int().nonnegative().nullable(),
  /** Seconds since work on the unit began; null before that, and for a unit that an earlier run has loaded. */
  seconds: z.number().nonnegative().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type UnitEvent = z.infer<typeof UnitEvent>;
