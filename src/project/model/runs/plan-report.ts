import type { Unit } from '../unit.ts';
import { type EstimateLanes, estimateTogether } from './estimate.ts';

/** A unit as a plan shows it (interface.md, "JSON"). */
export interface PlanEntry {
  readonly unit: string;
  readonly dataset: string;
  readonly source: Unit['source'];
  /** Null for lists of workspaces. */
  readonly project_name: string | null;
  readonly window: Unit['window'];
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
  const sum = (values: readonly (number | null)[]): number =>
    values.reduce<number>((all, one) => all + (one ?? 0), 0);
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
