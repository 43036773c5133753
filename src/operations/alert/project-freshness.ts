import { z } from 'zod';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import { Freshness, freshness } from '../../state/catalogue/freshness.ts';
import { crawlEnds } from '../../state/catalogue/raw/raw-projects.ts';
import { rhythmOf } from './find-stale.ts';

/** How fresh a project is, and when its next crawl is expected; by the rule of the event `stale` (docs/operate.md). */
export const ProjectFreshness = Freshness.extend({
  /** Seconds between two crawls, usually; null where there are too few. */
  interval: z.number().nullable(),
  /** ISO 8601, UTC. */
  expected_by: z.string().nullable(),
  late: z.boolean(),
});
export type ProjectFreshness = z.infer<typeof ProjectFreshness>;

/** The projects, the one whose last crawl is the oldest first. */
export async function projectFreshness(connection: Connection): Promise<(now: number) => ProjectFreshness[]> {
  const ends = new Map((await crawlEnds(connection)).map(({ project_id, ends: own }) => [project_id, own]));
  const projects = (await freshness(connection)).map((one) => ({
    ...one,
    rhythm: rhythmOf(ends.get(one.project_id) ?? []),
  }));
  return (now) =>
    projects.map(({ rhythm, ...one }) => ({
      ...one,
      interval: rhythm && rhythm.median / 1000,
      expected_by: rhythm && new Date(rhythm.due).toISOString(),
      late: rhythm !== null && now > rhythm.due,
    }));
}
