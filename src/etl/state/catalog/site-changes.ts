import { z } from 'zod';
import { type Connection, isoTime } from '../../../core/duckdb/duckdb.ts';
import { hasColumns } from './catalog.ts';

/** A row of mart.site_changes, with the configuration of its crawl; times are ISO 8601, UTC. */
const SiteChange = z.object({
  project_id: z.string(),
  crawl_config_id: z.string().nullable(),
  crawl_id: z.string(),
  change: z.string(),
  segmentation: z.string(),
  segment: z.string(),
  pages: z.number().nullable(),
  pages_left: z.number().nullable(),
  of_pages: z.number().nullable(),
  clicks: z.number().nullable(),
  most_in: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  example: z.string().nullable(),
  began_at: z.string(),
  ended_at: z.string().nullable(),
});
export type SiteChange = z.infer<typeof SiteChange>;

/**
 * Returns the changes of websites that are incidents, and the incidents that have ended. Returns none if the project
 * does not use the shipped models.
 */
export async function siteChanges(connection: Connection): Promise<readonly SiteChange[]> {
  if (!(await hasColumns(connection, 'mart.site_changes', ['change', 'pages_left', 'ended_at']))) return [];
  const rows = await connection.jsonRows(
    `SELECT found.project_id, crawls.crawl_config_id, found.crawl_id, found.change, found.segmentation, found.segment,
       CAST(found.pages AS DOUBLE) AS pages, CAST(found.pages_left AS DOUBLE) AS pages_left,
       CAST(found.of_pages AS DOUBLE) AS of_pages, CAST(found.clicks AS DOUBLE) AS clicks, found.most_in,
       found."before", found."after", found.example, ${isoTime('found.began_at')} AS began_at,
       ${isoTime('found.ended_at')} AS ended_at
     FROM mart.site_changes AS found
     LEFT JOIN mart.crawls AS crawls ON crawls.crawl_id = found.crawl_id
     WHERE found.began_at IS NOT NULL
     ORDER BY found.project_id, found.change, found.segmentation, found.segment, found.began_at, found.crawl_id`,
  );
  return z.array(SiteChange).parse(rows);
}
