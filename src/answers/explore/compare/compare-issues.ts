import type { PageSegment } from '../segments.ts';
import { ISSUES_WITHIN, urlsOf } from '../within-segment.ts';
import { type AskOfTwo, type ComparedCrawl, type ComparedSegment, whyUndivided } from './compared-crawls.ts';
import { type IssueRow, issuesSql, pagesOfSite, whyNot } from './why-not-compared.ts';

/** An issue that pages of one of two crawls have. */
export interface ComparedIssue extends Omit<IssueRow, 'is_by_days' | 'is_sampled'> {
  /** Null where the two can't be compared, as in the next two. */
  readonly new: number | null;
  readonly fixed: number | null;
  readonly remaining: number | null;
  /** Why they are not compared. */
  readonly why: string | null;
}

const pagesWithin = (crawl: string): string => `
  SELECT changes.issue, ${ISSUES_WITHIN.pages}
  FROM mart.issue_changes AS changes
  ${ISSUES_WITHIN.joins}
  WHERE changes.crawl_id = ${crawl}`;

/** Pages of a segment of one of the crawls that have an issue in both. */
async function pagesOfBoth(
  ask: AskOfTwo,
  within: PageSegment,
  side: '$from' | '$to',
): Promise<ReadonlyMap<string, number>> {
  const other = side === '$to' ? '$from' : '$to';
  const rows = await ask<{ issue: string; pages: number }>(`
    SELECT own.issue, count(*) AS pages
    FROM mart.page_issues AS own
    JOIN mart.page_issues AS other
      ON other.crawl_id = ${other} AND other.issue = own.issue AND other.url = own.url
    WHERE own.crawl_id = ${side} ${urlsOf('own', within, side)}
    GROUP BY own.issue`);
  return new Map(rows.map(({ issue, pages }) => [issue, pages]));
}

/**
 * The issues of two crawls, the severest first. The rule is that of mart.issue_changes: an issue is compared where both
 * exports have what shows it, and not where days decide or a sample was measured.
 */
export async function readComparedIssues(
  ask: AskOfTwo,
  [from, to]: readonly [ComparedCrawl, ComparedCrawl],
  within: ComparedSegment,
): Promise<readonly ComparedIssue[]> {
  const isWhole = within.segmentation === '(site)';
  const kept = await pagesOfBoth(ask, within, '$to');
  // A page may have gone from one segment to another.
  const left = isWhole ? kept : await pagesOfBoth(ask, within, '$from');
  const isKnown = (crawl: ComparedCrawl): boolean => !within.undivided.includes(crawl);
  const rows = await ask<IssueRow>(`${issuesSql(isWhole ? pagesOfSite : pagesWithin)}
    WHERE former.pages > 0 OR later.pages > 0
    ORDER BY issues.weight DESC, coalesce(later.pages, 0) DESC, issues.issue`);
  return rows.map((row) => {
    const { is_by_days: _, is_sampled: __, ...found } = row;
    const [before, after] = [isKnown(from) ? found.before : null, isKnown(to) ? found.after : null];
    const issue = { ...found, before, after };
    const why = whyUndivided(within) ?? whyNot(row, from, to);
    if (why !== null || issue.before === null || issue.after === null)
      return { ...issue, new: null, fixed: null, remaining: null, why };
    const remaining = kept.get(issue.issue) ?? 0;
    const fixed = issue.before - (left.get(issue.issue) ?? 0);
    return { ...issue, new: issue.after - remaining, fixed, remaining, why };
  });
}
