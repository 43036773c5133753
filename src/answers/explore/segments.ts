import { CrawlhouseError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import type { AskCrawls } from './chosen-crawls.ts';
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
