import type { Unit } from '../unit.ts';

/** A unit as a plan shows it (interface.md, "JSON"). */
export interface PlanEntry extends Readonly<Unit> {
  readonly unit: string;
  /** Null for lists of workspaces. */
  readonly project_name: string | null;
  /** `due`: would be loaded; `loaded`: in the warehouse already; `skipped`, `failed`: can't be, for the reason given. */
  readonly status: 'due' | 'loaded' | 'skipped' | 'failed';
  /** Null for a unit that is not due. */
  readonly route: string | null;
  readonly format: string | null;
  /** The service's own count; null where nothing would be loaded or no count is given. */
  readonly rows: number | null;
  /** On the wire, by past loads of the dataset; null without any. */
  readonly bytes: number | null;
  /** By past loads too. */
  readonly seconds: number | null;
  /** That its rows may take to come; then it fails, and the next run tries again. Null for a unit that is not due. */
  readonly limit_seconds: number | null;
  readonly requests: number;
  readonly reason: string;
}

export interface PlanTotals {
  /** Units that are due; the rows, bytes and requests are theirs. */
  readonly units: number;
  readonly rows: number;
  readonly bytes: number | null;
  /** Until all are through, as many at once as the settings say. */
  readonly seconds: number | null;
  readonly requests: number;
  /** Data exports that would be asked for. */
  readonly exports: number;
  readonly loaded: number;
  readonly skipped: number;
  readonly failed: number;
}

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

export interface PastLoad {
  readonly dataset: string;
  readonly route: string;
  readonly loads: number;
  /** On the wire; null where no row has come. */
  readonly bytes_per_row: number | null;
  readonly seconds_per_row: number | null;
  readonly bytes_per_load: number | null;
  /** Of the quickest load: what even a small unit takes. */
  readonly least_seconds: number;
}

/** Bytes on the wire and seconds that a unit will take, as far as the past tells. */
export interface Estimate {
  readonly bytes: number | null;
  readonly seconds: number | null;
}

/**
 * By the rows and the pace of past loads of the dataset, those by the same route first; another route's tell too,
 * less well.
 *
 * @param rows null where the service gives no count
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

/** How many units go at once, as the settings say. */
export interface EstimateLanes {
  readonly concurrency: number;
  readonly concurrency_per_project: number;
}

/**
 * Seconds until all units are through, in as many lanes as the limits leave: no less than the longest of them takes.
 * Null while nothing is known of one of them.
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
