import type { Severity } from '../../project/settings/issue-settings.ts';
import type { CatalogReader } from '../../state/catalogue/catalog.ts';
import { type AskedCrawls, CHOSEN, chosenBy, rowsOf } from './chosen-crawls.ts';

/** An issue that pages of a crawl have, or had in the crawl before (mart.issue_changes). */
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
  readonly fixed: number | null;
  readonly remaining: number | null;
}

/** A crawl whose issues are shown. */
export interface JudgedCrawl {
  /** Its name, else its identifier. */
  readonly project: string;
  readonly project_id: string;
  readonly crawl_id: string;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
  readonly previous_ended_at: string | null;
  /** Issues that nobody knows: its export lacks a field, or hits or demand of its days are not there. */
  readonly unknown: number;
  /** Issues that no page has. */
  readonly none: number;
  readonly issues: readonly FoundIssue[];
}

const CRAWLS = `
  WITH chosen AS (${CHOSEN})
  SELECT
    chosen.project, chosen.project_id, chosen.crawl_id, chosen.ended_at, previous.ended_at AS previous_ended_at,
    count(*) FILTER (WHERE changes.issue IS NOT NULL AND changes.pages IS NULL) AS unknown,
    count(*) FILTER (WHERE changes.pages = 0) AS none
  FROM chosen
  LEFT JOIN mart.crawls AS previous ON previous.crawl_id = chosen.previous_crawl_id
  LEFT JOIN mart.issue_changes AS changes ON changes.crawl_id = chosen.crawl_id
  GROUP BY chosen.project, chosen.project_id, chosen.crawl_id, chosen.ended_at, previous.ended_at
  ORDER BY chosen.project, chosen.crawl_id`;

const ISSUES = `
  WITH chosen AS (${CHOSEN})
  SELECT
    chosen.project, changes.crawl_id, changes.issue, issues.title, issues.severity, issues.category, changes.pages,
    changes.new_pages AS "new", changes.fixed_pages AS fixed, changes.remaining_pages AS remaining
  FROM mart.issue_changes AS changes
  JOIN chosen ON chosen.crawl_id = changes.crawl_id
  JOIN mart.project_issues AS issues ON issues.project_id = changes.project_id AND issues.issue = changes.issue
  WHERE changes.pages > 0 OR changes.fixed_pages > 0
  ORDER BY chosen.project, changes.crawl_id, issues.weight DESC, changes.pages DESC, changes.issue`;

/**
 * The issues of crawls, the severest first.
 *
 * @throws CrawlhouseError `usage` for a project or crawl that is not there
 */
export async function readIssues(
  warehouse: CatalogReader,
  asked: AskedCrawls,
  signal: AbortSignal,
): Promise<readonly JudgedCrawl[]> {
  const parameters = await chosenBy(asked, warehouse, signal);
  const rows = <T>(sql: string): Promise<readonly T[]> => rowsOf<T>(warehouse, sql, parameters, signal);
  const crawls = await rows<Omit<JudgedCrawl, 'issues'>>(CRAWLS);
  const issues = Map.groupBy(await rows<FoundIssue>(ISSUES), ({ crawl_id }) => crawl_id);
  return crawls.map((one) => ({ ...one, issues: issues.get(one.crawl_id) ?? [] }));
}
