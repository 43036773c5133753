import { z } from 'zod';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../../etl/state/catalog/catalog.ts';
import { CrawlDays } from '../../presentation/days-words.ts';
import { asking } from '../chosen-crawls.ts';
import { type PageSegment, urlsOf } from '../page-segments.ts';
import { FoundIssue, IssueTicket } from './found-issue.ts';
import { JudgedCrawl } from './read-issues.ts';

/** An issue with its definition in the project (mart.project_issues) and its figures (mart.issue_priorities). */
const IssueMeaning = z.strictObject({
  ...CrawlDays.shape,
  definition: z.string(),
  why_it_matters: z.string(),
  fix: z.string(),
  owner: z.string(),
  /** The former name of `owner`, until version 3 of the contract of mart. */
  mended_by: z.string(),
  source: z.string(),
  /** Null if no page has the issue anymore. */
  priority: z.number().nullable(),
  /** Of its pages, on the days of the crawl; null if unknown. */
  clicks: z.number().nullable(),
  search_bot_hits: z.number().nullable(),
  example: z.string().nullable(),
});
const ListedIssue = z.strictObject({
  ...FoundIssue.shape,
  ...IssueMeaning.shape,
  /** The pages with the issue in each of the last 12 crawls that charts show, oldest first; null if unknown. */
  trend: z.array(z.number().nullable()),
  /** Its pages in ignored tickets (mart.tickets), of `pages`; absent if tickets.yaml ignores nothing. */
  ignored: z.number().optional(),
  /** The tickets of the issue; absent if they are not read. */
  tickets: z.array(IssueTicket).optional(),
});
export type ListedIssue = Typed<typeof ListedIssue>;
const Detail = IssueMeaning.extend({ issue: z.string(), trend: ListedIssue.shape.trend.nullable() });

/** Counts each page once, no matter how many issues of the subject it has. */
const IssueSubject = z.strictObject({
  category: z.string(),
  pages: z.number(),
  clicks: z.number().nullable(),
  search_bot_hits: z.number().nullable(),
});
export type IssueSubject = Typed<typeof IssueSubject>;

export const IssueList = z.strictObject({
  ...JudgedCrawl.shape,
  issues: z.array(ListedIssue),
  /** Categories of all issues, regardless of the filter. */
  categories: z.array(z.string()),
  /** Null if they are not read. */
  subjects: z.array(IssueSubject).nullable(),
});
export type IssueList = Typed<typeof IssueList>;

const DETAILS = `
  SELECT
    issues.issue, issues.definition, issues.why_it_matters, issues.fix, issues.owner, issues.mended_by, issues.source,
    found.priority, found.example, trend.pages AS trend,
    CASE WHEN whole.clicks IS NOT NULL THEN coalesce(found.clicks, 0) END AS clicks,
    CASE WHEN found.issue IS NULL AND whole.log_days > 0 THEN 0 ELSE found.search_bot_hits END AS search_bot_hits,
    whole.ranking_from_date, whole.ranking_to_date, whole.log_from_date, whole.log_to_date
  FROM mart.project_issues AS issues
  LEFT JOIN mart.crawl_segments AS whole
    ON whole.crawl_id = $crawl AND whole.segmentation = $segmentation AND whole.segment = $segment
  LEFT JOIN mart.issue_priorities AS found
    ON found.crawl_id = $crawl AND found.issue = issues.issue
    AND found.segmentation = $segmentation AND found.segment = $segment
  LEFT JOIN (
    SELECT trend.issue,
      array_agg(
        CASE WHEN $segmentation = '(site)' OR trend.pages IS NULL THEN trend.pages ELSE coalesce(part.pages, 0) END
        ORDER BY trend.ended_at, trend.crawl_id) AS pages
    FROM mart.issue_trend AS trend
    LEFT JOIN mart.issue_priorities AS part
      ON part.crawl_id = trend.crawl_id AND part.issue = trend.issue
      AND part.segmentation = $segmentation AND part.segment = $segment
    WHERE trend.crawl_id IN (
      SELECT others.crawl_id
      FROM mart.crawls AS asked
      JOIN mart.crawls AS others
        ON others.project_id = asked.project_id
        AND others.crawl_config_id IS NOT DISTINCT FROM asked.crawl_config_id
        AND others.is_in_trends AND others.ended_at <= asked.ended_at
      WHERE asked.crawl_id = $crawl
      ORDER BY others.ended_at DESC, others.crawl_id DESC LIMIT 12)
    GROUP BY trend.issue
  ) AS trend ON trend.issue = issues.issue
  WHERE issues.project_id = $project`;

export async function readIssueList(
  warehouse: CatalogReader,
  crawl: JudgedCrawl,
  signal: AbortSignal,
): Promise<IssueList> {
  const { crawl_id, project_id: project, segmentation, segment } = crawl;
  const details = await asking(warehouse, signal)(Detail, DETAILS, {
    crawl: crawl_id,
    project,
    segmentation,
    segment,
  });
  const by = new Map(details.map((detail) => [detail.issue, detail]));
  const issues = crawl.issues.flatMap((issue) => {
    const own = by.get(issue.issue);
    return own === undefined ? [] : [{ ...issue, ...own, trend: own.trend ?? [] }];
  });
  return {
    ...crawl,
    subjects: null,
    issues: issues.toSorted((a, b) => Number(b.priority ?? -1) - Number(a.priority ?? -1)),
    categories: [...new Set(issues.map(({ category }) => category))].sort(),
  };
}

/** Adds the tickets of each issue. */
export function withTickets(
  list: IssueList,
  tickets: ReadonlyMap<string, readonly IssueTicket[]>,
): IssueList {
  return {
    ...list,
    issues: list.issues.map((issue) => ({ ...issue, tickets: tickets.get(issue.issue) ?? [] })),
  };
}

const subjectsSql = (segment: PageSegment): string => `
  SELECT page.category, count(*) AS pages,
    CASE WHEN max(whole.clicks) IS NOT NULL THEN CAST(coalesce(sum(demand.clicks), 0) AS BIGINT) END AS clicks,
    CASE
      WHEN max(whole.log_days) > 0 AND count(CASE WHEN hits.url IS NOT NULL AND hits.search_bot_hits IS NULL THEN 1 END) = 0
        THEN CAST(coalesce(sum(hits.search_bot_hits), 0) AS BIGINT)
    END AS search_bot_hits
  FROM (
    SELECT DISTINCT issues.category, found.url
    FROM mart.page_issues AS found
    JOIN mart.issues AS issues ON issues.issue = found.issue
    WHERE found.crawl_id = $crawl AND strpos(' ' || $issues || ' ', ' ' || found.issue || ' ') > 0
      ${urlsOf('found', segment, '$crawl')}
  ) AS page
  LEFT JOIN mart.crawl_segments AS whole
    ON whole.crawl_id = $crawl AND whole.segmentation = $segmentation AND whole.segment = $segment
  LEFT JOIN mart.page_demand AS demand ON demand.crawl_id = $crawl AND demand.url = page.url
  LEFT JOIN mart.page_hits AS hits ON hits.crawl_id = $crawl AND hits.url = page.url
  GROUP BY page.category
  ORDER BY page.category`;

/** Reads every page that has one of the issues. */
export function readIssueSubjects(
  warehouse: CatalogReader,
  { crawl_id, segmentation, segment, issues }: IssueList,
  signal: AbortSignal,
): Promise<readonly IssueSubject[]> {
  const names = issues.map(({ issue }) => issue).join(' ');
  const given = { crawl: crawl_id, segmentation, segment, issues: names };
  return asking(warehouse, signal)(IssueSubject, subjectsSql({ segmentation, segment }), given);
}
