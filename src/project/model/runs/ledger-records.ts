import type { Unit } from '../unit.ts';
import type { UnitError } from './report.ts';
import type { RunSummary } from './run-summary.ts';

/** Where a unit can stand. `docs/ledger.md` says the same for people; a test holds both together. */
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

/** A unit as the ledger and `ops.units` have it. */
export interface LedgerUnit extends Readonly<Unit> {
  readonly unit: string;
  readonly status: UnitState;
  readonly attempts: number;
  readonly error: UnitError | null;
  /** Runs in a row in which it failed or was refused. */
  readonly failures: number;
  /** When the first of them ended; null: it does not fail, or only the warehouse knows of it. */
  readonly failing_since: string | null;
  /** When a run that nobody started tries it again; null: the next one does. */
  readonly next_try_at: string | null;
  readonly updated_at: string;
}

/** A run as the ledger and `ops.runs` have it. */
export interface LedgerRun {
  readonly run_id: string;
  readonly command: string;
  readonly status: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Null while it goes on, and where only the warehouse knows of it. */
  readonly summary: RunSummary | null;
}
