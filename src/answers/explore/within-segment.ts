import { segmentCondition } from './pages/page-conditions.ts';
import type { PageSegment } from './segments.ts';

/** As a caption goes on: `, segment lamps of directory`. */
export function segmentWords({ segmentation, segment }: PageSegment): string {
  const kind = segmentation.replace(/^\((.*)\)$/, '$1');
  return kind === 'site' ? '' : `, segment ${segment} of ${kind}`;
}

/** The part of an address that leads to the segment. */
export const segmentParts = ({ segmentation, segment }: PageSegment): Partial<PageSegment> =>
  segmentation === '(site)' ? {} : { segment, segmentation };

/** Leaves the URLs of a table that are in the segment. */
export function urlsOf(table: string, segment: PageSegment, crawl: string): string {
  const condition = segmentCondition(segment.segment, segment.segmentation, crawl);
  if (condition === null) return '';
  return `AND ${table}.url IN (SELECT pages.url FROM mart.pages AS pages WHERE pages.crawl_id = ${crawl} AND ${condition})`;
}

/** Pages of a segment that have an issue, beside `changes`. Nothing that hits or demand show is none only where both are known. */
export const ISSUES_WITHIN = {
  pages: `CASE
      WHEN found.pages IS NOT NULL OR changes.pages IS NULL OR changes.pages = 0 THEN coalesce(found.pages, changes.pages)
      WHEN strpos(known.evidence, 'page_hits.') > 0 AND whole.search_bot_hits IS NULL THEN NULL
      WHEN strpos(known.evidence, 'page_demand.') > 0 AND whole.clicks IS NULL THEN NULL
      ELSE 0
    END AS pages`,
  joins: `JOIN mart.issues AS known ON known.issue = changes.issue
  LEFT JOIN mart.crawl_segments AS whole ON whole.crawl_id = changes.crawl_id AND whole.segmentation = '(site)'
  LEFT JOIN mart.issue_priorities AS found
    ON found.crawl_id = changes.crawl_id AND found.issue = changes.issue
    AND found.segmentation = $segmentation AND found.segment = $segment`,
};
