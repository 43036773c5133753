import type { Project, Row } from '../sites/sites.ts';
import { byBytes, daysBetween, groups, num, str, sum } from './values.ts';

/** Search results of a project. */
export interface Searches {
  readonly rows: readonly Search[];
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

export interface Search {
  readonly day: string;
  readonly url: string | null;
  readonly query: string | null;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number | null;
}

export interface Demand {
  readonly url: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number | null;
  readonly topQuery: string | null;
}

export function searchesOf({ ranking }: Project): Searches {
  const rows = (ranking?.rows ?? []).map(searchOf);
  const days = rows.map(({ day }) => day).toSorted();
  const lastDay = days.at(-1) ?? null;
  return { rows, lastDay, firstDay: days[0] ?? null };
}

/** What search results had of each URL. */
export function demandOf(rows: readonly Search[]): ReadonlyMap<string, Demand> {
  const named = rows.filter(({ url }) => url !== null);
  return new Map(groups(named, ({ url }) => [url]).map((ofUrl) => [ofUrl[0]?.url ?? '', demandOfUrl(ofUrl)]));
}

/** How many days from one to another, both counted, are between the first and the last with search results. */
export function rankingDays({ firstDay, lastDay }: Searches, from: string, to: string): number {
  if (firstDay === null || lastDay === null) return 0;
  const [first, last] = [from > firstDay ? from : firstDay, to < lastDay ? to : lastDay];
  return Math.max(0, daysBetween(first, last) + 1);
}

const searchOf = (row: Row): Search => ({
  day: String(row.date),
  url: str(row, 'url'),
  query: str(row, 'query'),
  clicks: num(row, 'clicks') ?? 0,
  impressions: num(row, 'impressions') ?? 0,
  position: num(row, 'position'),
});

/** The mean position, weighted by impressions, of the rows that have one. */
export function positionOf(rows: readonly Search[]): number | null {
  const placed = rows.filter(({ position }) => position !== null);
  const impressions = sum(placed.map((row) => row.impressions));
  if (impressions === 0) return null;
  return sum(placed.map((row) => (row.position ?? 0) * row.impressions)) / impressions;
}

export const clicksOf = (rows: readonly Search[]): number => sum(rows.map(({ clicks }) => clicks));
export const impressionsOf = (rows: readonly Search[]): number =>
  sum(rows.map(({ impressions }) => impressions));

function demandOfUrl(rows: readonly Search[]): Demand {
  const queries = groups(
    rows.filter(({ query }) => query !== null),
    ({ query }) => [query],
  ).map((ofQuery) => ({ query: ofQuery[0]?.query ?? '', impressions: impressionsOf(ofQuery) }));
  const [top] = queries.toSorted((a, b) => b.impressions - a.impressions || byBytes(a.query, b.query));
  return {
    url: rows[0]?.url ?? '',
    clicks: clicksOf(rows),
    impressions: impressionsOf(rows),
    position: positionOf(rows),
    topQuery: top?.query ?? null,
  };
}
