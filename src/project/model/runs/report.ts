import type { ErrorCode } from '../../../core/errors/error-codes.ts';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { type Unit, unitName } from '../unit.ts';
import { COUNTS, type Counts } from './counts.ts';

export type UnitStatus = 'loaded' | 'unchanged' | 'failed' | 'refused' | 'skipped';

export interface UnitError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
}

/** The result of one unit in a run (interface.md, "JSON"). */
export interface UnitReport extends Readonly<Unit> {
  readonly unit: string;
  readonly route: string | null;
  readonly format: string | null;
  /** Why this route and format; null for a unit that took none. */
  readonly reason: string | null;
  readonly status: UnitStatus;
  /** All null for a unit that was skipped or failed before its first byte. */
  readonly counts: { readonly [K in keyof Counts]: number | null };
  readonly bytes: number | null;
  readonly seconds: number;
  readonly attempts: number;
  readonly error: UnitError | null;
}

export interface ModelReport {
  readonly name: string;
  /** `built`: made anew; `unchanged`: nothing it reads has changed. */
  readonly status: 'built' | 'unchanged' | 'failed';
  readonly rows: number | null;
  readonly seconds: number;
}

export type TestSeverity = 'error' | 'warn';

export interface TestReport {
  readonly name: string;
  readonly model: string;
  readonly severity: TestSeverity;
  readonly status: 'passed' | 'failed';
  /** Rows that break the rule. */
  readonly failures: number;
  readonly sample: readonly Readonly<Record<string, unknown>>[];
  readonly query: string;
  /** The units that the run held because of these rows, by name; absent where there are none. */
  readonly held?: readonly string[];
}

/** Figures of a table of `mart` that another definition gave another value, from the same data. */
export interface MovedFigures {
  readonly table: string;
  /** Null where the table has no `project_id`. */
  readonly project: string | null;
  /** `rows`, and sums of columns by name. */
  readonly figures: Readonly<
    Record<string, { readonly before: number | null; readonly after: number | null }>
  >;
  /** The models that the table is made from and whose definition has changed, the nearest first. */
  readonly changed: readonly string[];
}

export type RunStatus = 'done' | 'partial' | 'refused' | 'failed';

/** The document that `run --json` and `backfill --json` print. */
export interface RunReport {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly started_at: string;
  readonly ended_at: string;
  readonly units: readonly UnitReport[];
  readonly models: readonly ModelReport[];
  readonly tests: readonly TestReport[];
  /** Damaged files, and what was put in their place; absent where there were none. */
  readonly healed?: readonly string[];
  /** Figures that an upgrade moved; absent where no definition has changed. */
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

/** An error as reports and the ledger show it. */
export function reportedError({ code, message, hint }: CrawlhouseError): NonNullable<UnitError> {
  return { code, message, hint };
}
