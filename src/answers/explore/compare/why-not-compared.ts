import type { Severity } from '../../../project/settings/issue-settings.ts';
import { type AskOfTwo, type ComparedName, nameOfCrawl } from './compared-crawls.ts';

export interface IssueRow {
  readonly issue: string;
  readonly title: string;
  readonly severity: Severity;
  readonly category: string;
  /** Null where the export lacks a field that shows it, as in the next. */
  readonly before: number | null;
  readonly after: number | null;
  readonly is_by_days: boolean;
  readonly is_sampled: boolean;
}

export const pagesOfSite = (crawl: string): string =>
  `SELECT changes.issue, changes.pages FROM mart.issue_changes AS changes WHERE changes.crawl_id = ${crawl}`;

/** The issues of the project in two crawls, up to a condition; `pages` selects those of each issue in one. */
export const issuesSql = (pages: (crawl: '$from' | '$to') => string): string => `
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
  LEFT JOIN (${pages('$from')}) AS former ON former.issue = issues.issue
  LEFT JOIN (${pages('$to')}) AS later ON later.issue = issues.issue
  LEFT JOIN sampled ON sampled.issue = issues.issue`;

/** Why two crawls can't be compared by one issue; null: they can. `ask` is given the issue. */
export async function whyNotCompared(
  ask: AskOfTwo,
  from: ComparedName,
  to: ComparedName,
): Promise<string | null> {
  const [row] = await ask<IssueRow>(`${issuesSql(pagesOfSite)} WHERE issues.issue = $issue`);
  return row === undefined ? null : whyNot(row, from, to);
}

export function whyNot(
  { is_by_days, is_sampled, before, after }: IssueRow,
  from: ComparedName,
  to: ComparedName,
): string | null {
  if (is_by_days) return 'it depends on days, which differ';
  if (is_sampled) return 'it is measured on a sample of pages';
  if (before !== null && after !== null) return null;
  return `the export of ${nameOfCrawl(before === null ? from : to)} lacks a field that shows it`;
}
