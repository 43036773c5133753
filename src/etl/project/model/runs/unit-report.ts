import { z } from 'zod';
import type { ErrorCode } from '../../../../core/errors/error-codes.ts';
import type { CrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { type Unit, unitName } from '../unit.ts';
import { COUNTS, Count, sixCounts } from './six-counts.ts';

export const UNIT_STATUSES = ['loaded', 'unchanged', 'failed', 'refused', 'skipped'] as const;
export type UnitStatus = (typeof UNIT_STATUSES)[number];

export interface UnitError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
}

export const UnitResult = z.object({
  route: z.string().nullable(),
  format: z.string().nullable(),
  /** Why this route and format were chosen; null for a unit without a route. */
  reason: z.string().nullable(),
  status: z.enum(UNIT_STATUSES),
  /** All null for a unit that was skipped or failed before its first byte. */
  counts: sixCounts(Count.nullable()).describe('Rows at each step (docs/warehouse.md#the-six-counts).'),
  bytes: Count.nullable(),
  seconds: z.number(),
  attempts: Count,
});

/** The result of one unit in a run (interface.md, "JSON"). */
export interface UnitReport extends Readonly<Unit>, Typed<typeof UnitResult> {
  readonly unit: string;
  readonly error: UnitError | null;
}

export const ModelReport = z.object({
  name: z.string(),
  /** `built`: built again; `unchanged`: none of its sources changed. */
  status: z.enum(['built', 'unchanged', 'failed']),
  rows: Count.nullable(),
  seconds: z.number(),
});
export type ModelReport = Typed<typeof ModelReport>;

export type TestSeverity = TestReport['severity'];

export const TestReport = z.object({
  name: z.string(),
  model: z.string(),
  severity: z.enum(['error', 'warn']),
  status: z.enum(['passed', 'failed']),
  /** Rows that break the rule. */
  failures: Count,
  sample: z.array(z.record(z.string(), z.unknown())),
  query: z.string(),
  /** The units that the run quarantined because of these rows, by name; absent if there are none. */
  held: z.array(z.string()).optional(),
});
export type TestReport = Typed<typeof TestReport>;

/** Figures of a table of `mart` that changed with a definition, for the same data. */
export const MovedFigures = z.object({
  table: z.string(),
  project: z.string().nullable().describe('Null if the table has no project_id.'),
  figures: z
    .record(z.string(), z.object({ before: z.number().nullable(), after: z.number().nullable() }))
    .describe('rows, and sums of numeric columns, by name.'),
  /** The nearest first. */
  changed: z.array(z.string()).describe('The changed definitions that the table depends on.'),
});
export type MovedFigures = Typed<typeof MovedFigures>;

export const RUN_STATUSES = ['done', 'partial', 'refused', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The document that `run --json` and `backfill --json` print. */
export interface RunReport {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly started_at: string;
  readonly ended_at: string;
  readonly units: readonly UnitReport[];
  readonly models: readonly ModelReport[];
  readonly tests: readonly TestReport[];
  /** Damaged files and their replacements; absent if there were none. */
  readonly healed?: readonly string[];
  /** Figures that an upgrade changed; absent if no definition has changed. */
  readonly moved?: readonly MovedFigures[];
}

const NO_COUNTS = Object.fromEntries(COUNTS.map((name) => [name, null])) as UnitReport['counts'];

/** The known facts about a unit's rows and work; empty if nothing was requested. */
export type UnitFacts = Partial<
  Pick<UnitReport, 'route' | 'format' | 'reason' | 'counts' | 'bytes' | 'seconds' | 'attempts'>
>;

export function unitReport(
  unit: Unit,
  status: UnitStatus,
  error: UnitError | null,
  facts: UnitFacts = {},
): UnitReport {
  return {
    unit: unitName(unit),
    dataset: unit.dataset,
    source: unit.source,
    window: unit.window,
    route: null,
    format: null,
    reason: null,
    counts: NO_COUNTS,
    bytes: null,
    seconds: 0,
    attempts: 0,
    ...facts,
    status,
    error,
  };
}

/** Returns an error as reports and the ledger show it. */
export function reportedError({ code, message, hint }: CrawlhouseError): NonNullable<UnitError> {
  return { code, message, hint };
}
