import type { Severity } from '../../../project/settings/issue-settings.ts';
import { type AskOfTwo, type ComparedName, nameOfCrawl } from './compared-crawls.ts';

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

type IssueRow = Pick<ComparedIssue, 'issue' | 'title' | 'severity' | 'category' | 'before' | 'after'> & {
  readonly is_by_days: boolean;
  readonly is_sampled: boolean;
};

/** The issues of the project in two crawls, up to a condition. */
const ISSUES = `
  WITH sampled AS (
    SELECT DISTINCT files.issue
    FROM mart.issues AS files
    JOIN mart.crawl_columns AS told ON told.crawl_id IN ($from, $to) AND told.column_name = 'cwv_measurement'
    WHERE strpos(files.evidence, 'cwv_') = 1
  )
  SELECT
    issues.issue, issues.title, issues.severity, issues.category, issues.is_by_days,
    former.pages AS "before", later.pages AS "after", sampled.issue IS NOT NULL AS is_sampled
  FROM mart.project_issues AS issues
  JOIN mart.crawls AS crawls ON crawls.crawl_id = $to AND crawls.project_id = issues.project_id
  LEFT JOIN mart.issue_changes AS former ON former.crawl_id = $from AND former.issue = issues.issue
  LEFT JOIN mart.issue_changes AS later ON later.crawl_id = $to AND later.issue = issues.issue
  LEFT JOIN sampled ON sampled.issue = issues.issue`;

/** Pages that have an issue in both crawls. */
const REMAINING = `
  SELECT later.issue, count(*) AS pages
  FROM (SELECT found.issue, found.url FROM mart.page_issues AS found WHERE found.crawl_id = $from) AS former
  JOIN (SELECT found.issue, found.url FROM mart.page_issues AS found WHERE found.crawl_id = $to) AS later
    ON later.issue = former.issue AND later.url = former.url
  GROUP BY later.issue`;

/**
 * The issues of two crawls, the severest first. The rule is that of mart.issue_changes: an issue is compared where both
 * exports have what shows it, and not where days decide or a sample was measured.
 */
export async function readComparedIssues(
  ask: AskOfTwo,
  from: ComparedName,
  to: ComparedName,
): Promise<readonly ComparedIssue[]> {
  const kept = new Map(
    (await ask<{ issue: string; pages: number }>(REMAINING)).map(({ issue, pages }) => [issue, pages]),
  );
  const rows = await ask<IssueRow>(`${ISSUES}
    WHERE former.pages > 0 OR later.pages > 0
    ORDER BY issues.weight DESC, coalesce(later.pages, 0) DESC, issues.issue`);
  return rows.map((row) => {
    const { is_by_days: _, is_sampled: __, ...issue } = row;
    const why = whyNot(row, from, to);
    if (why !== null || issue.before === null || issue.after === null)
      return { ...issue, new: null, fixed: null, remaining: null, why };
    const remaining = kept.get(issue.issue) ?? 0;
    return { ...issue, new: issue.after - remaining, fixed: issue.before - remaining, remaining, why };
  });
}

/** Why two crawls can't be compared by one issue; null: they can. `ask` is given the issue. */
export async function whyNotCompared(
  ask: AskOfTwo,
  from: ComparedName,
  to: ComparedName,
): Promise<string | null> {
  const [row] = await ask<IssueRow>(`${ISSUES} WHERE issues.issue = $issue`);
  return row === undefined ? null : whyNot(row, from, to);
}

function whyNot(
  { is_by_days, is_sampled, before, after }: IssueRow,
  from: ComparedName,
  to: ComparedName,
): string | null {
  if (is_by_days) return 'it depends on days, which differ';
  if (is_sampled) return 'it is measured on a sample of pages';
  if (before !== null && after !== null) return null;
  return `the export of ${nameOfCrawl(before === null ? from : to)} lacks a field that shows it`;
}
