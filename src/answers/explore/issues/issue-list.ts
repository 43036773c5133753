import type { CrawlDays } from '../../../project/model/shown/days-words.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import { asking } from '../chosen-crawls.ts';
import { type PageSegment, urlsOf } from '../segments.ts';
import type { FoundIssue, JudgedCrawl } from './read-issues.ts';

/** An issue with what it means in the project (mart.project_issues), and what is behind it (mart.issue_priorities). */
export interface ListedIssue extends FoundIssue, CrawlDays {
  readonly definition: string;
  readonly why_it_matters: string;
  readonly fix: string;
  readonly mended_by: string;
  readonly source: string;
  /** Null where no page has it any more. */
  readonly priority: number | null;
  /** On its pages, on the days of the crawl; null where it is not known. */
  readonly clicks: number | null;
  readonly search_bot_hits: number | null;
  readonly example: string | null;
  /** Its pages in the last 12 crawls that charts have, the oldest first; null where it is not known. */
  readonly trend: readonly (number | null)[];
}

/** Each page once, however many issues of the subject it has. */
export interface IssueSubject {
  readonly category: string;
  readonly pages: number;
  readonly clicks: number | null;
  readonly search_bot_hits: number | null;
}

/** The issues of a crawl as they are shown, by priority. */
export interface IssueList extends JudgedCrawl {
  readonly issues: readonly ListedIssue[];
  /** Of all its issues, whatever is chosen. */
  readonly categories: readonly string[];
  /** Null where they are not read. */
  readonly subjects: readonly IssueSubject[] | null;
}

const DETAILS = `
  SELECT
    issues.issue, issues.definition, issues.why_it_matters, issues.fix, issues.mended_by, issues.source,
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
  type Detail = Omit<ListedIssue, Exclude<keyof FoundIssue, 'issue'> | 'trend'>;
  const details = await asking(warehouse, signal)<Detail & { readonly trend: ListedIssue['trend'] | null }>(
    DETAILS,
    { crawl: crawl_id, project, segmentation, segment },
  );
  const by = new Map(details.map((one) => [one.issue, one]));
  const issues = crawl.issues.flatMap((one) => {
    const own = by.get(one.issue);
    return own === undefined ? [] : [{ ...one, ...own, trend: own.trend ?? [] }];
  });
  return {
    ...{ ...crawl, subjects: null },
    issues: issues.toSorted((a, b) => Number(b.priority ?? -1) - Number(a.priority ?? -1)),
    categories: [...new Set(issues.map(({ category }) => category))].sort(),
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
  return asking(warehouse, signal)(subjectsSql({ segmentation, segment }), given);
}
