import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { Unit } from '../unit.ts';
import type { RunSummary } from './run-summary.ts';
import { Count } from './six-counts.ts';
import type { UnitError } from './unit-report.ts';

export const Time = z.string().describe('ISO 8601, UTC.');

/** The states of a unit. `docs/ledger.md` describes them; a test keeps both equal. */
export const UNIT_STATES = [
  'discovered',
  'requested',
  'downloading',
  'staged',
  'loaded',
  'published',
  'failed',
  'refused',
  'skipped',
  'dropped',
] as const;
export type UnitState = (typeof UNIT_STATES)[number];

export const UnitRecord = z.object({
  status: z.enum(UNIT_STATES),
  attempts: Count,
  /** Runs in a row in which it failed or was refused. */
  failures: Count,
  /** When the first of these runs ended; null if the unit does not fail, or if only the warehouse contains it. */
  failing_since: Time.nullable(),
  /** When a scheduled run retries it; null if the next run does. */
  next_try_at: Time.nullable(),
  updated_at: Time,
});

/** A unit as stored in the ledger and `ops.units`. */
export interface LedgerUnit extends Readonly<Unit>, Typed<typeof UnitRecord> {
  readonly unit: string;
  readonly error: UnitError | null;
}

export const RunRecord = z.object({
  run_id: z.string(),
  command: z.string(),
  status: z.string(),
  started_at: Time,
  ended_at: Time.nullable(),
});

/** A run as stored in the ledger and `ops.runs`. */
export interface LedgerRun extends Typed<typeof RunRecord> {
  /** Null during the run, and if only the warehouse contains the run. */
  readonly summary: RunSummary | null;
}
