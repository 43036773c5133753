/** Loads of a project's dataset by one route and format that count, the newest. */
export const LAST_LOADS = 7;
/** Rows of a load from which its pace counts. Fewer rows take most of their time for the requests before them. */
export const LEAST_ROWS = 100_000;
/** Seconds that a load takes at least, so that a pace is finite. */
const SHORTEST = 0.001;

/** A past load of a crawl's data, by the stream or a data export. */
export interface RouteLoad {
  readonly dataset: string;
  readonly project_id: string | null;
  readonly route: string;
  readonly format: string;
  readonly rows: number;
  /** From the first request to the package. */
  readonly seconds: number;
  /** Seconds of them until the service had made the data export; null of another route. */
  readonly waited: number | null;
}

/** What past loads of a project's dataset by one route and format tell, as medians. */
export interface RoutePace {
  readonly route: string;
  readonly format: string;
  /** How many they are. */
  readonly loads: number;
  /** After the wait for a data export; null if none of them has enough rows. */
  readonly rows_per_second: number | null;
  /** Seconds until a data export was made; null of another route. */
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

/** Null of no values. */
function median(values: readonly number[]): number | null {
  const ordered = values.toSorted((a, b) => a - b);
  const middle = (ordered.length - 1) / 2;
  const [low, high] = [ordered[Math.floor(middle)], ordered[Math.ceil(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** So many predecessors count, the last ones. */
export const USUAL_OF = 5;
/** So many make a usual number of rows. */
const FEWEST = 3;
/** Below this many rows a fraction says nothing. */
const LEAST_USUAL = 50;

/** The usual number of rows: the median of the former crawls. Null if there are too few crawls or rows. */
export function usualRows(predecessors: readonly number[]): number | null {
  if (predecessors.length < FEWEST) return null;
  const usual = median(predecessors) ?? 0;
  return usual < LEAST_USUAL ? null : Math.round(usual);
}

export function isFew(rows: number, usual: number | null, minRatio: number): boolean {
  return usual !== null && rows < usual * minRatio;
}

/** How many rows a unit has beside those that the units before it had. */
export interface Volume {
  /** The usual number; null where there is none yet. */
  readonly usual: number | null;
  readonly isFew: boolean;
}
