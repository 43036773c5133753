import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import {
  type AskedCrawls,
  asking,
  CHOSEN,
  ChosenCrawl,
  chosenBy,
  onlyCrawl,
  rowsOf,
} from '../chosen-crawls.ts';
import { type ComparedPair, changedIssues, comparedPair } from '../compare/page-comparison.ts';
import { type AskedSegment, ISSUES_WITHIN, PageSegment, segmentOf, WHOLE_SITE } from '../page-segments.ts';
import { CHANGES_OF_ISSUE, type ChangeOfIssue } from '../pages/page-filter.ts';
import { FoundIssue } from './found-issue.ts';

/** Returns whether pages are new, fixed or missing. */
export const isChanged = ({ new: added, fixed, missing }: FoundIssue): boolean =>
  [added, fixed, missing].some((pages) => Number(pages) > 0);

const FoundCrawl = ChosenCrawl.extend({
  previous_ended_at: z.string().nullable(),
  /** Whether charts of the last crawls include this crawl. */
  is_in_trends: z.boolean().nullable(),
  /** Why the crawl does not cover the whole site (mart.crawls.scope_note); null if it does. */
  scope_note: z.string().nullable(),
});

export const JudgedCrawl = z.strictObject({
  ...FoundCrawl.shape,
  ...PageSegment.shape,
  /**
   * Issues that are unknown because the export lacks a field, or because the days of the crawl have no hits or demand.
   */
  unknown: z.number(),
  none: z.number(),
  issues: z.array(FoundIssue),
});
export type JudgedCrawl = Typed<typeof JudgedCrawl>;

/** `pages` is null if unknown. */
const IssueCounts = FoundIssue.omit({ project: true }).extend({ pages: z.number().nullable() });

const CRAWLS = `
  WITH chosen AS (${CHOSEN})
  SELECT
    chosen.project, chosen.project_id, chosen.crawl_id, chosen.ended_at, chosen.previous_crawl_id,
    previous.ended_at AS previous_ended_at, own.is_in_trends, own.scope_note
  FROM chosen
  JOIN mart.crawls AS own ON own.crawl_id = chosen.crawl_id
  LEFT JOIN mart.crawls AS previous ON previous.crawl_id = chosen.previous_crawl_id
  ORDER BY chosen.project, chosen.crawl_id`;

/** Returns the issues of crawls: `counts` selects the pages of each issue, `joins` the other tables of the counts. */
const issuesSql = (counts: string, joins: string): string => `
  SELECT changes.crawl_id, changes.issue, issues.title, issues.severity, issues.category, ${counts}
  FROM mart.issue_changes AS changes
  JOIN mart.project_issues AS issues ON issues.project_id = changes.project_id AND issues.issue = changes.issue
  ${joins}
  ORDER BY changes.crawl_id, issues.weight DESC, pages DESC, changes.issue`;

const OF_SITE = issuesSql(
  `changes.pages AS pages, changes.new_pages AS "new", changes.fixed_pages AS fixed, changes.missing_pages AS missing,
    changes.remaining_pages AS remaining, changes.unseen_pages AS unseen`,
  `WHERE changes.crawl_id IN (SELECT crawl_id FROM (${CHOSEN}) AS chosen)`,
);

/** Fixed and missing pages are those that were in the segment in the previous crawl. */
function inSegment(segment: PageSegment, pair: ComparedPair): string {
  const count = (change: ChangeOfIssue): string =>
    `CASE WHEN changes.new_pages IS NOT NULL THEN coalesce(own."${change}", 0) END AS "${change}"`;
  return issuesSql(
    `${ISSUES_WITHIN.pages},
    ${CHANGES_OF_ISSUE.map(count).join(',\n    ')}`,
    `${ISSUES_WITHIN.joins}
  LEFT JOIN (${changedIssues(pair, segment)}
  ) AS own ON own.issue = changes.issue
  WHERE changes.crawl_id = $crawl`,
  );
}

/**
 * Reads the issues of crawls, most severe first.
 *
 * @throws CrawlhouseError `usage` for an unknown project, crawl or segment, and for a segment of several crawls
 */
export async function readIssues(
  warehouse: CatalogReader,
  asked: AskedCrawls & AskedSegment,
  signal: AbortSignal,
): Promise<readonly JudgedCrawl[]> {
  const parameters = await chosenBy(asked, warehouse, signal);
  const crawls = await rowsOf(warehouse, FoundCrawl, CRAWLS, parameters, signal);
  const ask = asking(warehouse, signal);
  let found = WHOLE_SITE;
  let rows: readonly Typed<typeof IssueCounts>[];
  if (asked.segment === undefined) rows = await rowsOf(warehouse, IssueCounts, OF_SITE, parameters, signal);
  else {
    const { crawl_id: crawl, previous_crawl_id: since } = onlyCrawl(crawls);
    found = await segmentOf(ask, asked, [crawl, since]);
    const pair = await comparedPair({ crawl: '$crawl', since: '$since' }, true);
    rows = await ask(IssueCounts, inSegment(found, pair), { crawl, since, ...found });
  }
  const issues = Map.groupBy(rows, ({ crawl_id }) => crawl_id);
  return crawls.map((crawl) => {
    const own = (issues.get(crawl.crawl_id) ?? []).map((one) => ({ project: crawl.project, ...one }));
    return {
      ...crawl,
      ...found,
      unknown: own.filter(({ pages }) => pages === null).length,
      none: own.filter(({ pages }) => pages === 0).length,
      issues: own.filter((one): one is FoundIssue =>
        [one.pages, one.fixed, one.missing].some((pages) => Number(pages) > 0),
      ),
    };
  });
}
