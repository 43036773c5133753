import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { Unit } from '../unit.ts';
import { Count } from './six-counts.ts';

export const PlannedUnit = z.object({
  /** Null for lists of workspaces. */
  project_name: z.string().nullable(),
  /**
   * `due`: would be loaded. `loaded`: already in the warehouse. `skipped`, `failed`: cannot be loaded, for the given
   * reason.
   */
  status: z.enum(['due', 'loaded', 'skipped', 'failed']),
  /** Null for a unit that is not due. */
  route: z.string().nullable(),
  format: z.string().nullable(),
  /** The service's count; null if nothing would be loaded or no count is given. */
  rows: Count.nullable(),
  /** Transferred bytes, by past loads of the dataset; null without any. */
  bytes: z.number().nullable(),
  /** Also by past loads. */
  seconds: z.number().nullable(),
  /** Time limit for its rows. After it the unit fails, and the next run retries it. Null for a unit that is not due. */
  limit_seconds: z.number().nullable(),
  requests: Count,
  reason: z.string(),
});

/** A unit as a plan shows it (interface.md, "JSON"). */
export interface PlanEntry extends Readonly<Unit>, Typed<typeof PlannedUnit> {
  readonly unit: string;
}

export const PlanTotals = z.object({
  /** Number of due units. Rows, bytes and requests count only them. */
  units: Count,
  rows: Count,
  bytes: z.number().nullable(),
  /** Until all are done, with the concurrency of the settings. */
  seconds: z.number().nullable(),
  requests: Count,
  /** Data exports that would be requested. */
  exports: Count,
  loaded: Count,
  skipped: Count,
  failed: Count,
});
export type PlanTotals = Typed<typeof PlanTotals>;

export interface PlanReport {
  readonly units: readonly PlanEntry[];
  readonly totals: PlanTotals;
}

export function totalsOf(units: readonly PlanEntry[], lanes: EstimateLanes): PlanTotals {
  const due = units.filter((unit) => unit.status === 'due');
  const count = (status: PlanEntry['status']): number =>
    units.filter((unit) => unit.status === status).length;
  const bytes = due.map((unit) => unit.bytes);
  return {
    units: due.length,
    rows: sum(due.map((unit) => unit.rows)),
    bytes: bytes.includes(null) ? null : sum(bytes),
    seconds: estimateTogether(
      due.map(({ source, seconds }) => ({ project: source.project_id ?? source.id, seconds })),
      lanes,
    ),
    requests: sum(due.map((unit) => unit.requests)),
    exports: due.filter((unit) => unit.route === 'export').length,
    loaded: count('loaded'),
    skipped: count('skipped'),
    failed: count('failed'),
  };
}

export const PastLoad = z.strictObject({
  dataset: z.string(),
  route: z.string(),
  loads: z.number(),
  /** Transferred bytes; null if no row was received. */
  bytes_per_row: z.number().nullable(),
  seconds_per_row: z.number().nullable(),
  bytes_per_load: z.number().nullable(),
  /** Seconds of the quickest load: the minimum even for a small unit. */
  least_seconds: z.number(),
});
export type PastLoad = Typed<typeof PastLoad>;

/** Expected bytes and seconds of a unit, as far as past loads show. */
export interface Estimate {
  readonly bytes: number | null;
  readonly seconds: number | null;
}

/**
 * Estimates a unit by its rows and the pace of past loads of the dataset. Loads by the same route count first, others
 * are less reliable.
 *
 * @param rows null if the service reports no count
 */
export function estimateUnit(
  past: readonly PastLoad[],
  dataset: string,
  route: string,
  rows: number | null,
): Estimate {
  const same = past.filter((one) => one.dataset === dataset);
  const known = same.find((one) => one.route === route) ?? same.toSorted((a, b) => b.loads - a.loads)[0];
  if (known === undefined) return { bytes: null, seconds: null };
  const { bytes_per_row, seconds_per_row, bytes_per_load, least_seconds } = known;
  const bytes = rows === null || bytes_per_row === null ? bytes_per_load : rows * bytes_per_row;
  return {
    bytes: bytes === null ? null : Math.round(bytes),
    seconds: Math.max(least_seconds, (rows ?? 0) * (seconds_per_row ?? 0)),
  };
}

/** How many units run in parallel, according to the settings. */
export interface EstimateLanes {
  readonly concurrency: number;
  readonly concurrency_per_project: number;
}

/**
 * Returns the seconds until all units are done, in as many lanes as the limits allow. This is at least as long as the
 * longest unit takes. Returns `null` until every unit has an estimate.
 */
export function estimateTogether(
  units: readonly { readonly project: string; readonly seconds: number | null }[],
  { concurrency, concurrency_per_project: perProject }: EstimateLanes,
): number | null {
  const seconds = units.map((unit) => unit.seconds);
  if (units.length === 0 || seconds.includes(null)) return units.length === 0 ? 0 : null;
  const projects = [...Map.groupBy(units, (unit) => unit.project).values()];
  const longest = Math.max(...seconds.map(Number));
  const slowest = projects.map(
    (own) => sum(own.map((unit) => unit.seconds)) / Math.min(perProject, concurrency, own.length),
  );
  return Math.max(longest, sum(seconds) / Math.min(concurrency, units.length), ...slowest);
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((all, one) => all + (one ?? 0), 0);
}
