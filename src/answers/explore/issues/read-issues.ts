import type { Severity } from '../../../project/settings/issue-settings.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { type AskedCrawls, asking, CHOSEN, chosenBy, onlyCrawl, rowsOf } from '../chosen-crawls.ts';
import { type ComparedPair, changedIssues, comparedPair } from '../compare/page-comparison.ts';
import { CHANGES_OF_ISSUE, type ChangeOfIssue } from '../pages/page-filter.ts';
import { type AskedSegment, ISSUES_WITHIN, type PageSegment, segmentOf, WHOLE_SITE } from '../segments.ts';

/** An issue that pages of a crawl have, or had in the previous crawl (mart.issue_changes). */
export interface FoundIssue {
  readonly project: string;
  readonly crawl_id: string;
  readonly issue: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: string;
  readonly pages: number;
  /** Null where nothing is compared, as in all of the next. */
  readonly new: number | null;
  /** Pages that were read again, or are gone, and have it no more. */
  readonly fixed: number | null;
  /** Pages that had it and were not read again. */
  readonly missing: number | null;
  readonly remaining: number | null;
  /** Pages that have it and were not read by the previous crawl. */
  readonly unseen: number | null;
}

/** Whether pages have it newly, no longer, or were not read again. */
export const isChanged = ({ new: added, fixed, missing }: FoundIssue): boolean =>
  [added, fixed, missing].some((pages) => Number(pages) > 0);

interface FoundCrawl {
  /** Its name, else its identifier. */
  readonly project: string;
  readonly project_id: string;
  readonly crawl_id: string;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
  readonly previous_crawl_id: string | null;
  readonly previous_ended_at: string | null;
  /** Whether charts of the last crawls have this one. */
  readonly is_in_trends: boolean | null;
  /** Why the crawl does not cover the whole site (mart.crawls.scope_note); null where it does. */
  readonly scope_note: string | null;
}

/** A crawl whose issues are shown, of all its pages or of a segment of them. */
export interface JudgedCrawl extends FoundCrawl, PageSegment {
  /** Issues that nobody knows: its export lacks a field, or hits or demand of its days are not there. */
  readonly unknown: number;
  /** Issues that no page has. */
  readonly none: number;
  readonly issues: readonly FoundIssue[];
}

const CRAWLS = `
  WITH chosen AS (${CHOSEN})
  SELECT
    chosen.project, chosen.project_id, chosen.crawl_id, chosen.ended_at, chosen.previous_crawl_id,
    previous.ended_at AS previous_ended_at, own.is_in_trends, own.scope_note
  FROM chosen
  JOIN mart.crawls AS own ON own.crawl_id = chosen.crawl_id
  LEFT JOIN mart.crawls AS previous ON previous.crawl_id = chosen.previous_crawl_id
  ORDER BY chosen.project, chosen.crawl_id`;

/** The issues of crawls: `counts` has the pages of each, and what else they are counted from. */
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

/** Fixed and missing are pages that the segment had in the previous crawl. */
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
 * The issues of crawls, the severest first.
 *
 * @throws CrawlhouseError `usage` for a project, crawl or segment that is not there, and for a segment of several crawls
 */
export async function readIssues(
  warehouse: CatalogReader,
  asked: AskedCrawls & AskedSegment,
  signal: AbortSignal,
): Promise<readonly JudgedCrawl[]> {
  const parameters = await chosenBy(asked, warehouse, signal);
  const crawls = await rowsOf<FoundCrawl>(warehouse, CRAWLS, parameters, signal);
  const ask = asking(warehouse, signal);
  let found = WHOLE_SITE;
  let rows: readonly Omit<FoundIssue, 'project'>[];
  if (asked.segment === undefined) rows = await rowsOf(warehouse, OF_SITE, parameters, signal);
  else {
    const { crawl_id: crawl, previous_crawl_id: since } = onlyCrawl(crawls);
    found = await segmentOf(ask, asked, [crawl, since]);
    const pair = await comparedPair({ crawl: '$crawl', since: '$since' }, true);
    rows = await ask(inSegment(found, pair), { crawl, since, ...found });
  }
  const issues = Map.groupBy(rows, ({ crawl_id }) => crawl_id);
  return crawls.map((crawl) => {
    const own = (issues.get(crawl.crawl_id) ?? []).map((one) => ({ project: crawl.project, ...one }));
    return {
      ...crawl,
      ...found,
      unknown: own.filter(({ pages }) => pages === null).length,
      none: own.filter(({ pages }) => pages === 0).length,
      issues: own.filter(({ pages, fixed, missing }) =>
        [pages, fixed, missing].some((one) => Number(one) > 0),
      ),
    };
  });
}
