import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { Time } from '../../project/model/runs/ledger-records.ts';

/** A data export requested by a unit's attempt. Its prefix contains unit and attempt (spec-notes.md 21). */
export const LedgerExport = z.strictObject({
  unit: z.string(),
  /** Null until the service responds. The process may be killed between the request and the response. */
  data_export_id: z.string().nullable(),
  store: z.string(),
  format: z.string(),
  prefix: z.string(),
  /** The service's status; `loaded` once its rows are in the warehouse. */
  status: z.string(),
  requested_at: Time,
  /** The last run that worked on it; null in records of versions that did not store it. */
  run_id: z.string().nullable(),
});
export type LedgerExport = Typed<typeof LedgerExport>;

export const Discovery = z.strictObject({
  /** Ids of known crawls and comparisons that have not ended. */
  open: z.array(z.string()),
  /** The earliest time of the last full resync over all lists. */
  swept_at: Time.nullable(),
});
export type Discovery = Typed<typeof Discovery>;

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
  /** Rows as the service reports; null if it reports no count, or not yet. */
  reported: z.number().nullable(),
});
export type ClaimedUnit = z.infer<typeof ClaimedUnit>;

export const UnitCount = z.strictObject({ dataset: z.string(), status: z.string(), units: z.number() });
export type UnitCount = Typed<typeof UnitCount>;
