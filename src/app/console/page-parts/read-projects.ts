import { z } from 'zod';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { Count } from '../layout/unit-counts.ts';
import type { Readers } from '../readers/readers.ts';

/** A project with its main crawl and its last crawl, whatever the state of the last one. */
export const ProjectLine = z.strictObject({
  project_id: z.string(),
  project_name: z.string().nullable(),
  crawls: Count,
  crawl_id: z.string().nullable(),
  crawl_number: Count.nullable(),
  ended_at: z.string().nullable(),
  /** Whether other crawls can be compared with it. */
  is_comparable: z.boolean().nullable(),
  /** Why the crawl does not cover the whole site; null if it does. */
  scope_note: z.string().nullable(),
  previous_crawl_id: z.string().nullable(),
  pages: Count.nullable(),
  pages_change: Count.nullable(),
  indexable_pages: Count.nullable(),
  indexable_pages_change: Count.nullable(),
  error_pages: Count.nullable(),
  error_pages_change: Count.nullable(),
  clicks: Count.nullable(),
  clicks_change: Count.nullable(),
  /** Includes clicks on URLs that are not pages of the crawl. */
  all_clicks: Count.nullable(),
  clicks_change_reason: z.string().nullable(),
  /** The days of the clicks. */
  ranking_from_date: z.string().nullable(),
  ranking_to_date: z.string().nullable(),
  /** Counts pages, each once per issue. */
  new_issues: Count.nullable(),
  fixed_issues: Count.nullable(),
  missing_issues: Count.nullable(),
  /** Counts pages with an issue of which the previous crawl cannot show whether they had it. */
  unseen_issues: Count.nullable(),
  /** Issues that are not compared with the previous crawl. */
  uncompared_issues: Count.nullable(),
  last_crawl_id: z.string().nullable(),
  last_crawl_number: Count.nullable(),
  last_ended_at: z.string().nullable(),
  last_end_reason: z.string().nullable(),
  last_is_comparable: z.boolean().nullable(),
  last_has_pages: z.boolean().nullable(),
});
export type ProjectLine = Typed<typeof ProjectLine>;

/** Reads every project, ordered by name. */
export function readProjects(readers: Readers): Promise<readonly ProjectLine[]> {
  return readers.rowsOnce(
    ProjectLine,
    `WITH
       crawled AS (
         SELECT project_id, max(project_name) AS project_name, count(*) AS crawls FROM mart.crawls GROUP BY project_id
       ),
       placed AS (
         SELECT project_id, crawl_id, crawl_number, ended_at, end_reason, is_comparable, has_pages,
           row_number() OVER (PARTITION BY project_id ORDER BY ended_at DESC, crawl_id) AS place
         FROM mart.crawls WHERE ended_at IS NOT NULL
       ),
       found AS (
         SELECT crawl_id, CAST(sum(new_pages) AS BIGINT) AS new_issues, CAST(sum(fixed_pages) AS BIGINT) AS fixed_issues,
           CAST(sum(missing_pages) AS BIGINT) AS missing_issues, CAST(sum(unseen_pages) AS BIGINT) AS unseen_issues,
           count(*) - count(new_pages) AS uncompared_issues
         FROM mart.issue_changes GROUP BY crawl_id
       )
     SELECT * FROM (SELECT coalesce(crawled.project_id, projects.project_id) AS project_id,
       coalesce(projects.project_name, crawled.project_name) AS project_name, coalesce(crawled.crawls, 0) AS crawls,
       main.crawl_id, main.crawl_number, main.ended_at, main.is_comparable, main.scope_note,
       main.previous_crawl_id, main.pages,
       kpis.pages_change, kpis.indexable_pages, kpis.indexable_pages_change, kpis.error_pages, kpis.error_pages_change,
       kpis.clicks, kpis.all_clicks, kpis.clicks_change, kpis.clicks_change_reason, kpis.ranking_from_date,
       kpis.ranking_to_date, found.new_issues, found.fixed_issues, found.missing_issues, found.unseen_issues,
       found.uncompared_issues,
       last.crawl_id AS last_crawl_id, last.crawl_number AS last_crawl_number, last.ended_at AS last_ended_at,
       last.end_reason AS last_end_reason, last.is_comparable AS last_is_comparable, last.has_pages AS last_has_pages
     FROM crawled
     FULL JOIN mart.projects AS projects ON projects.project_id = crawled.project_id
     LEFT JOIN mart.crawls AS main ON main.project_id = crawled.project_id AND main.is_main
     LEFT JOIN mart.crawl_kpis AS kpis ON kpis.crawl_id = main.crawl_id AND kpis.segmentation = '(site)'
     LEFT JOIN found ON found.crawl_id = main.crawl_id
     LEFT JOIN placed AS last ON last.project_id = crawled.project_id AND last.place = 1
     WHERE coalesce(crawled.project_id, projects.project_id) IS NOT NULL) AS lines
     ORDER BY lower(project_name) NULLS LAST, project_id`,
  );
}

export function projectsNamed<T extends ProjectLine>(projects: readonly T[], text: string | null): T[] {
  const wanted = (text ?? '').trim().toLowerCase();
  return projects.filter(({ project_id, project_name }) =>
    `${project_name ?? ''}\n${project_id}`.toLowerCase().includes(wanted),
  );
}

/** The figures of a project's crawls for a chart, oldest first. */
export const ProjectTrend = z.strictObject({
  project_id: z.string(),
  ended_at: z.string().nullable(),
  indexable_pages: Count.nullable(),
  error_pages: Count.nullable(),
  new_issues: Count.nullable(),
  clicks: Count.nullable(),
});
export type ProjectTrend = Typed<typeof ProjectTrend>;

const MOST_CRAWLS = 12;

/**
 * Reads the latest crawls with the main configurations of the given projects, for charts (mart.crawls.is_in_trends).
 * Omits clicks if they do not cover the same number of days as the clicks of the main crawl.
 */
export async function readTrends(
  readers: Readers,
  projects: readonly string[],
): Promise<ReadonlyMap<string, readonly ProjectTrend[]>> {
  if (projects.length === 0) return new Map();
  const named = projects.map((id, index) => [`p${index}`, id] as const);
  const rows = await readers.rowsOnce(
    ProjectTrend,
    `WITH
       main AS (
         SELECT crawls.project_id, coalesce(crawls.crawl_config_id, '') AS config, kpis.ranking_days
         FROM mart.crawls AS crawls
         LEFT JOIN mart.crawl_kpis AS kpis ON kpis.crawl_id = crawls.crawl_id AND kpis.segmentation = '(site)'
         WHERE crawls.is_main AND crawls.project_id IN (${named.map(([name]) => `$${name}`).join(', ')})
       ),
       placed AS (
         SELECT crawls.project_id, crawls.crawl_id, crawls.ended_at, main.ranking_days,
           row_number() OVER (PARTITION BY crawls.project_id ORDER BY crawls.ended_at DESC, crawls.crawl_id) AS place
         FROM main
         JOIN mart.crawls AS crawls
           ON crawls.project_id = main.project_id AND coalesce(crawls.crawl_config_id, '') = main.config
         WHERE crawls.is_in_trends
       ),
       found AS (
         SELECT crawl_id, CAST(sum(new_pages) AS BIGINT) AS new_issues FROM mart.issue_changes GROUP BY crawl_id
       )
     SELECT placed.project_id, placed.ended_at, kpis.indexable_pages, kpis.error_pages, found.new_issues,
       CASE WHEN kpis.ranking_days = placed.ranking_days THEN kpis.clicks END AS clicks
     FROM placed
     JOIN mart.crawl_kpis AS kpis ON kpis.crawl_id = placed.crawl_id AND kpis.segmentation = '(site)'
     LEFT JOIN found ON found.crawl_id = placed.crawl_id
     WHERE placed.place <= ${MOST_CRAWLS}
     ORDER BY placed.project_id, placed.ended_at, placed.crawl_id`,
    new Map(named),
  );
  return Map.groupBy(rows, ({ project_id }) => project_id);
}
