import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';

/** The number of a project's newest loads of a dataset, by one route and format, that determine the pace. */
export const LAST_LOADS = 7;
/** Minimum rows of a load for its pace to count. Fewer rows take most of their time for the requests before them. */
export const LEAST_ROWS = 100_000;
/** Minimum seconds of a load, so that a pace is finite. */
const SHORTEST = 0.001;

/** A past load of a crawl's data, by streamed export or data export. */
export const RouteLoad = z.strictObject({
  dataset: z.string(),
  project_id: z.string().nullable(),
  route: z.string(),
  format: z.string(),
  rows: z.number(),
  /** Seconds from the first request to the package. */
  seconds: z.number(),
  /** Of those, the seconds until the service had made the data export; null for another route. */
  waited: z.number().nullable(),
});
export type RouteLoad = Typed<typeof RouteLoad>;

/** The pace of past loads of a project's dataset by one route and format, as medians. */
export interface RoutePace {
  readonly route: string;
  readonly format: string;
  /** Number of loads. */
  readonly loads: number;
  /** Rows per second after the wait for a data export; null if no load has enough rows. */
  readonly rows_per_second: number | null;
  /** Seconds until a data export was made; null for another route. */
  readonly waited: number | null;
}

export type PacesOf = (dataset: string, projectId: string | null) => readonly RoutePace[];

export function pacesByProject(loads: readonly RouteLoad[]): PacesOf {
  const groups = Map.groupBy(loads, (one) => keyOf(one.dataset, one.project_id));
  return (dataset, projectId) => routePaces(groups.get(keyOf(dataset, projectId)) ?? []);
}

export function routePaces(loads: readonly RouteLoad[]): readonly RoutePace[] {
  const groups = Map.groupBy(loads, ({ route, format }) => JSON.stringify([route, format]));
  return [...groups.values()].flatMap((same) => {
    const [one] = same;
    if (one === undefined) return [];
    const long = same.filter(({ rows }) => rows >= LEAST_ROWS);
    const paces = long.map(({ rows, seconds, waited }) => rows / Math.max(SHORTEST, seconds - (waited ?? 0)));
    const waits = same.flatMap(({ waited }) => (waited === null ? [] : [waited]));
    const { route, format } = one;
    return [{ route, format, loads: same.length, rows_per_second: median(paces), waited: median(waits) }];
  });
}

function keyOf(dataset: string, projectId: string | null): string {
  return JSON.stringify([dataset, projectId]);
}

/** Returns null for no values. */
function median(values: readonly number[]): number | null {
  const ordered = values.toSorted((a, b) => a - b);
  const middle = (ordered.length - 1) / 2;
  const [low, high] = [ordered[Math.floor(middle)], ordered[Math.ceil(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** Number of predecessors that count, the last ones. */
export const USUAL_OF = 5;
/** Predecessors needed for a usual number of rows. */
const FEWEST = 3;
/** Below this number of rows, a fraction is meaningless. */
const LEAST_USUAL = 50;

/** Returns the usual number of rows: the median of the former crawls. Null if there are too few crawls or rows. */
export function usualRows(predecessors: readonly number[]): number | null {
  if (predecessors.length < FEWEST) return null;
  const usual = median(predecessors) ?? 0;
  return usual < LEAST_USUAL ? null : Math.round(usual);
}

export function isFew(rows: number, usual: number | null, minRatio: number): boolean {
  return usual !== null && rows < usual * minRatio;
}

/** The rows of a unit compared with the units before it. */
export interface Volume {
  /** The usual number; null if there is none yet. */
  readonly usual: number | null;
  readonly isFew: boolean;
}
