import { z } from 'zod';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { Freshness, freshness } from '../../../etl/state/catalog/freshness.ts';
import { crawlEnds } from '../../../etl/state/catalog/raw/raw-projects.ts';
import { rhythmOf } from './find-stale.ts';

/**
 * The freshness of a project and the expected time of its next crawl, by the rule for the event `stale`
 * (docs/operate.md).
 */
export const ProjectFreshness = Freshness.extend({
  /** Usual seconds between two crawls; null if there are too few. */
  interval: z.number().nullable(),
  /** ISO 8601, UTC. */
  expected_by: z.string().nullable(),
  late: z.boolean(),
});
export type ProjectFreshness = Typed<typeof ProjectFreshness>;

/** Returns the projects, the one with the oldest last crawl first. */
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
