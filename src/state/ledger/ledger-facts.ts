import { z } from 'zod';

/** A data export that a unit's attempt asked for; its prefix holds unit and attempt (spec-notes.md 21). */
export interface LedgerExport {
  readonly unit: string;
  /** Null until the service's answer is known: a kill may fall between the request and its answer. */
  readonly data_export_id: string | null;
  readonly store: string;
  readonly format: string;
  readonly prefix: string;
  /** The service's own; `loaded` once its rows are in the warehouse. */
  readonly status: string;
  readonly requested_at: string;
  /** The last run that worked on it; null from versions before it was kept. */
  readonly run_id: string | null;
}

export interface Discovery {
  /** Ids of the crawls and comparisons that are known and not ended. */
  readonly open: readonly string[];
  /** When the least recently swept list was last read in full. */
  readonly swept_at: string | null;
}

/** A unit that a process on some machine works on, as that process last reported. */
export const ClaimedUnit = z.strictObject({
  unit: z.string(),
  /** Process and machine. */
  worker: z.string(),
  /** ISO 8601, UTC. */
  claimed_at: z.string(),
  phase: z.string(),
  /** Rows so far. */
  received: z.number(),
  /** Rows as the service reports; null where it gives no count, or not yet. */
  reported: z.number().nullable(),
});
export type ClaimedUnit = z.infer<typeof ClaimedUnit>;

export interface UnitCount {
  readonly dataset: string;
  readonly status: string;
  readonly units: number;
}
