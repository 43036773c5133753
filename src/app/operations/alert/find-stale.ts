import type { Incident } from './incident.ts';

/** A project and the ends of its crawls that left a report, in UTC milliseconds, in any order. */
export interface Rhythm {
  readonly project_id: string;
  readonly name: string;
  readonly ends: readonly number[];
}

const FEWEST_GAPS = 3;
const LAST_GAPS = 10;
/** The shortest interval after which a project counts as stale. */
const LEAST_MS = 3_600_000;
/**
 * A project with no crawl for this long, and for this many of its usual intervals, is inactive rather than stale.
 */
const REST_MS = 30 * 86_400_000;
const REST_DISTANCES = 10;

/**
 * Returns when a new crawl is expected (UTC milliseconds), or null if there are too few crawls. A crawl is overdue
 * after 1.5 times the median interval, but not before 1.25 times the longest one (of ten intervals, the second
 * longest). Weekends without a crawl are thus normal, and a single outage is ignored.
 */
export function expectedBy(ends: readonly number[]): number | null {
  return rhythmOf(ends)?.due ?? null;
}

/** Returns the median interval, and when a crawl is expected, in milliseconds; null if there are too few crawls. */
export function rhythmOf(ends: readonly number[]): { readonly median: number; readonly due: number } | null {
  const ordered = [...new Set(ends)].sort((a, b) => a - b);
  const last = ordered.at(-1);
  const gaps = ordered.slice(1).map((end, index) => end - (ordered[index] ?? end));
  if (last === undefined || gaps.length < FEWEST_GAPS) return null;
  const usual = gaps.slice(-LAST_GAPS).sort((a, b) => a - b);
  const median = usual[Math.floor(usual.length / 2)] ?? 0;
  const longest = (usual.length < LAST_GAPS ? usual.at(-1) : usual.at(-2)) ?? 0;
  return { median, due: last + Math.max(LEAST_MS, 1.5 * median, 1.25 * longest) };
}

/** @param projects ids or names */
export function rhythmsIn(
  rhythms: readonly Rhythm[],
  projects: 'all' | readonly string[],
): readonly Rhythm[] {
  if (projects === 'all') return rhythms;
  return rhythms.filter(({ project_id, name }) => projects.includes(project_id) || projects.includes(name));
}

/** Finds projects without a new crawl within their usual rhythm. */
export function findStale(rhythms: readonly Rhythm[], now: number): Incident[] {
  return rhythms.flatMap(({ project_id, name, ends }) => {
    const due = expectedBy(ends);
    if (due === null || now <= due) return [];
    const last = Math.max(...ends);
    return [
      {
        key: staleKey(project_id),
        event: 'stale' as const,
        title: `${name}: no new crawl since ${minute(last)}`,
        details: [`expected by ${minute(due)}, from its usual interval`],
        project_id,
        began: new Date(due).toISOString(),
        hint: 'check in the service that crawls of this project still start and finish',
        wait: now - last > Math.max(REST_MS, REST_DISTANCES * (due - last)),
      },
    ];
  });
}

export function staleKey(projectId: string): string {
  return `stale/${projectId}`;
}

function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
