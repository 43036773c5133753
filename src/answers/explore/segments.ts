import { CrawlhouseError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import type { AskCrawls } from './chosen-crawls.ts';
import { segmentCondition } from './pages/page-conditions.ts';
import type { PageFilter } from './pages/page-filter.ts';

/** A segment of the pages of a crawl (mart.crawl_segments); (site) and (site) for all of them. */
export type PageSegment = Readonly<Record<'segmentation' | 'segment', string>>;

/** As a person names it: several segmentations may have a segment of that name. */
export type AskedSegment = Pick<PageFilter, 'segment' | 'segmentation'>;

/** Segments that an error names. */
const MOST_NAMED = 20;

export const WHOLE_SITE: PageSegment = { segmentation: '(site)', segment: '(site)' };

/**
 * The segment that is asked for, of the first segmentation that has it; a directory comes last.
 *
 * @throws CrawlhouseError `usage` for a segment that neither has
 */
export async function segmentOf(
  ask: AskCrawls,
  { segment, segmentation }: AskedSegment,
  [crawl, since]: readonly [string, string | null],
): Promise<PageSegment> {
  if (segment === undefined) return WHOLE_SITE;
  const known = await ask<PageSegment>(
    `SELECT segmentation, segment FROM mart.crawl_segments
     WHERE crawl_id IN ($crawl, $since) AND segmentation = coalesce($segmentation, segmentation) AND segment IS NOT NULL
     GROUP BY segmentation, segment
     ORDER BY segmentation = '(directory)', segmentation, max(pages) DESC NULLS LAST, segment`,
    { crawl, since, segmentation: segmentation ?? null },
  );
  const names = known.map((one) => one.segment);
  const found = known[names.indexOf(segment)];
  if (found) return found;
  const others = names.filter((name) => name !== WHOLE_SITE.segment);
  const more =
    others.length > MOST_NAMED
      ? ', …; crawlhouse query "SELECT DISTINCT segmentation, segment FROM mart.crawl_segments"'
      : '';
  throw new CrawlhouseError('usage', `crawl ${crawl} has no segment ${segment}`, {
    hint: `${didYouMean(segment, others)}segments: ${others.slice(0, MOST_NAMED).join(', ') || 'none'}${more}`,
  });
}

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
