import { END_REASONS_WITHOUT_REPORT } from '../../api/resources/crawls.ts';
import type { Dataset, Document } from '../resources/resources.ts';
import { ServiceRows } from '../rows/row-store.ts';
import { type CrawlPlan, type FetchStep, NO_COUNTS } from './crawl-plan.ts';

/**
 * The plan of an imported or generated crawl, from its rows; nothing for a crawl without a report. Pages that no link
 * leads to count at depth 1, where a sitemap would bring them in.
 */
export async function reportedPlan(
  rows: ServiceRows,
  crawl: Document,
  pages: Dataset | undefined,
): Promise<CrawlPlan | undefined> {
  const reason = String(crawl.end_reason ?? 'ok');
  if (END_REASONS_WITHOUT_REPORT.includes(reason)) return undefined;
  if (pages?.table === undefined) return { end_reason: reason, steps: [], samples: [] };
  const cell = (name: string, type: string): string => {
    const column = pages.columns.find(({ field }) => field.name === name);
    return column === undefined
      ? `CAST(NULL AS ${type})`
      : `TRY_CAST(CAST(${column.id} AS VARCHAR) AS ${type})`;
  };
  const status = cell('status_code', 'INTEGER');
  const sql = `SELECT coalesce(${cell('depth', 'INTEGER')}, 1) AS depth,
      CASE WHEN ${status} BETWEEN 200 AND 599 THEN concat('fetched_', ${status} // 100, 'xx')
        WHEN ${cell('robots_txt_denied', 'BOOLEAN')} THEN 'unfetched_robots_denied' ELSE 'unfetched_exception' END AS fetch_status,
      CAST(count(*) AS INTEGER) AS urls
    FROM ${ServiceRows.table(pages.table)} GROUP BY ALL ORDER BY ALL`;
  const found = await rows.use((connection) =>
    connection.rows<{ depth: number; fetch_status: string; urls: number }>(sql),
  );
  const steps = found.map(
    ({ depth, fetch_status, urls }): FetchStep => ({ step: 0, depth, ...NO_COUNTS, [fetch_status]: urls }),
  );
  return { end_reason: reason, steps, samples: [] };
}
