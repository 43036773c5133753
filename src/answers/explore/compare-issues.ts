import type { Severity } from '../../project/settings/issue-settings.ts';
import { type AskOfTwo, type ComparedCrawl, nameOfCrawl } from './compared-crawls.ts';

/** An issue that pages of one of two crawls have. */
export interface ComparedIssue {
  readonly issue: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: string;
  /** Pages that had it; null where the export lacks a field that shows it, as in the next. */
  readonly before: number | null;
  readonly after: number | null;
  /** Null where the two can't be compared, as in the next two. */
  readonly new: number | null;
  readonly fixed: number | null;
  readonly remaining: number | null;
  /** Why they are not compared. */
  readonly why: string | null;
}

type Row = Pick<ComparedIssue, 'issue' | 'title' | 'severity' | 'category' | 'before' | 'after'> & {
  readonly remaining: number;
  readonly is_by_days: boolean;
  readonly is_sampled: boolean;
};

const ISSUES = `
  WITH kept AS (
    SELECT later.issue, count(*) AS remaining
    FROM (SELECT found.issue, found.url FROM mart.page_issues AS found WHERE found.crawl_id = $from) AS former
    JOIN (SELECT found.issue, found.url FROM mart.page_issues AS found WHERE found.crawl_id = $to) AS later
      ON later.issue = former.issue AND later.url = former.url
    GROUP BY later.issue
  ),
  sampled AS (
    SELECT DISTINCT files.issue
    FROM mart.issues AS files
    JOIN mart.crawl_columns AS told ON told.crawl_id IN ($from, $to) AND told.column_name = 'cwv_measurement'
    WHERE strpos(files.evidence, 'cwv_') = 1
  )
  SELECT
    issues.issue, issues.title, issues.severity, issues.category, issues.is_by_days,
    former.pages AS "before", later.pages AS "after", coalesce(kept.remaining, 0) AS remaining,
    sampled.issue IS NOT NULL AS is_sampled
  FROM mart.project_issues AS issues
  JOIN mart.crawls AS crawls ON crawls.crawl_id = $to AND crawls.project_id = issues.project_id
  LEFT JOIN mart.issue_changes AS former ON former.crawl_id = $from AND former.issue = issues.issue
  LEFT JOIN mart.issue_changes AS later ON later.crawl_id = $to AND later.issue = issues.issue
  LEFT JOIN kept ON kept.issue = issues.issue
  LEFT JOIN sampled ON sampled.issue = issues.issue
  WHERE former.pages > 0 OR later.pages > 0
  ORDER BY issues.weight DESC, coalesce(later.pages, 0) DESC, issues.issue`;

/**
 * The issues of two crawls, the severest first. The rule is that of mart.issue_changes: an issue is compared where both
 * exports have what shows it, and not where days decide or a sample was measured.
 */
export async function readComparedIssues(
  ask: AskOfTwo,
  from: ComparedCrawl,
  to: ComparedCrawl,
): Promise<readonly ComparedIssue[]> {
  return (await ask<Row>(ISSUES)).map(({ is_by_days, is_sampled, remaining, ...issue }) => {
    const { before, after } = issue;
    const not = { new: null, fixed: null, remaining: null };
    if (is_by_days) return { ...issue, ...not, why: 'it depends on days, which differ' };
    if (is_sampled) return { ...issue, ...not, why: 'it is measured on a sample of pages' };
    if (before === null || after === null) {
      const lacking = before === null ? from : to;
      return { ...issue, ...not, why: `the export of ${nameOfCrawl(lacking)} lacks a field that shows it` };
    }
    return { ...issue, new: after - remaining, fixed: before - remaining, remaining, why: null };
  });
}
