import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';

/** What a run needs to know about a unit in the warehouse. */
export const FormerLoad = z.strictObject({
  unit: z.string(),
  /** For content that crawlhouse requests repeatedly; null for crawls and comparisons. */
  content_sha256: z.string().nullable(),
  /** Whether the published file contains its rows too. */
  published: z.boolean(),
  /** UTC milliseconds. */
  loaded_at: z.number(),
  /** The run that loaded it through a data export; else null. */
  run_id: z.string().nullable(),
  /** When its crawl or comparison ended, UTC milliseconds; null if it has no end, or none was recorded. */
  source_ended_at: z.number().nullable(),
  /** Whether a reload failed, so that the unit keeps its previous rows and is due. False for a quarantined unit. */
  is_owed: z.boolean(),
});
export type FormerLoad = Typed<typeof FormerLoad>;
