import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import type { AskCrawls } from './chosen-crawls.ts';
import type { PageFilter } from './pages/page-filter.ts';

/** A segment of the pages of a crawl (mart.crawl_segments); (site) and (site) for all pages. */
export const PageSegment = z.strictObject({ segmentation: z.string(), segment: z.string() });
export type PageSegment = Typed<typeof PageSegment>;

/**
 * A segment as the user names it: with its segmentation, as in template:other, or alone if only one segmentation has
 * it.
 */
export type AskedSegment = Pick<PageFilter, 'segment' | 'segmentation'>;

const MOST_NAMED = 20;

export const WHOLE_SITE: PageSegment = { segmentation: '(site)', segment: '(site)' };

/** Returns the name of a segment in a link or a form. It is unique. */
export const segmentName = ({ segmentation, segment }: PageSegment): string => `${segmentation}:${segment}`;

/**
 * Returns the segments that a name may mean, first those with a segmentation. Names may contain colons, so they are
 * compared, not split.
 */
export function segmentsNamed(
  known: readonly PageSegment[],
  { segment, segmentation }: AskedSegment,
): readonly PageSegment[] {
  const own = known.filter((one) => one.segmentation === (segmentation ?? one.segmentation));
  const named = own.filter((one) => segmentName(one) === segment);
  return named.length > 0 ? named : own.filter((one) => one.segment === segment);
}

/**
 * Returns the requested segment.
 *
 * @throws CrawlhouseError `usage` for a segment that neither crawl has, and for a name that several segmentations have
 */
export async function segmentOf(
  ask: AskCrawls,
  asked: AskedSegment,
  [crawl, since]: readonly [string, string | null],
): Promise<PageSegment> {
  const { segment, segmentation } = asked;
  if (segment === undefined) return WHOLE_SITE;
  const known = await ask(
    PageSegment,
    `SELECT segmentation, segment FROM mart.crawl_segments
     WHERE crawl_id IN ($crawl, $since) AND segment IS NOT NULL
     GROUP BY segmentation, segment
     ORDER BY segmentation = '(directory)', segmentation, max(pages) DESC NULLS LAST, segment`,
    { crawl, since },
  );
  const [found, ...more] = segmentsNamed(known, asked);
  if (found && more.length === 0) return found;
  if (found) throw severalSegments(segment, [found, ...more]);
  const within = known.filter((one) => one.segmentation === (segmentation ?? one.segmentation));
  const names = new Set(within.map((one) => one.segment));
  const others = [...names].filter((name) => name !== WHOLE_SITE.segment);
  const rest =
    others.length > MOST_NAMED
      ? ', …; crawlhouse query "SELECT DISTINCT segmentation, segment FROM mart.crawl_segments"'
      : '';
  throw new CrawlhouseError('usage', `crawl ${crawl} has no segment ${segment}`, {
    hint: `${didYouMean(segment, others)}segments: ${others.slice(0, MOST_NAMED).join(', ') || 'none'}${rest}`,
  });
}

export function severalSegments(name: string, found: readonly PageSegment[]): CrawlhouseError {
  return new CrawlhouseError('usage', `several segmentations have a segment ${name}`, {
    hint: `name the segmentation too: ${found.map((one) => shellWord(segmentName(one))).join(' or ')}`,
  });
}

/** Returns the segment as the end of a caption: `, segment lamps of directory`. */
export function segmentWords({ segmentation, segment }: PageSegment): string {
  const kind = segmentation.replace(/^\((.*)\)$/, '$1');
  return kind === 'site' ? '' : `, segment ${segment} of ${kind}`;
}

export const segmentParts = (segment: PageSegment): { readonly segment?: string } =>
  segment.segmentation === WHOLE_SITE.segmentation ? {} : { segment: segmentName(segment) };

/**
 * Returns a condition on `pages` with the parameter `$segment` and, except for directories, `$segmentation`. Returns
 * null for the whole site.
 */
export function segmentCondition({ segmentation }: PageSegment, crawl: string): string | null {
  if (segmentation === '(site)') return null;
  if (segmentation === '(directory)') return 'pages.url_first_path = $segment';
  return `pages.url IN (
      SELECT url FROM mart.page_segments WHERE crawl_id = ${crawl} AND segment = $segment AND segmentation = $segmentation)`;
}

/** Keeps the URLs of a table that are in the segment. */
export function urlsOf(table: string, segment: PageSegment, crawl: string): string {
  const condition = segmentCondition(segment, crawl);
  if (condition === null) return '';
  return `AND ${table}.url IN (SELECT pages.url FROM mart.pages AS pages WHERE pages.crawl_id = ${crawl} AND ${condition})`;
}

/**
 * Counts pages of a segment with an issue, next to `changes`. A page counts as having neither hits nor demand only if
 * both are known.
 */
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
