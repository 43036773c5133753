import type { Unit } from './unit.ts';

/**
 * The crawls that are beyond the last `keep` of their project, by when they ended.
 *
 * @param units of one dataset, one a crawl; `endedAt` in UTC milliseconds
 */
export function findExpired<T extends { readonly source: Unit['source']; readonly endedAt: number }>(
  units: readonly T[],
  keep: number,
): T[] {
  const byProject = Map.groupBy(units, ({ source }) => source.project_id);
  return [...byProject.values()].flatMap((own) =>
    own
      .toSorted((a, b) => b.endedAt - a.endedAt || b.source.id.localeCompare(a.source.id))
      .slice(keep)
      .reverse(),
  );
}
