import { countText } from '../../../core/text/amounts.ts';
import type { ShownValue } from '../../../project/model/shown/blocks.ts';
import type { Severity } from '../../../project/settings/issue-settings.ts';
import type { PageSegment } from '../segments.ts';

export interface ComparedCrawl {
  readonly crawl_id: string;
  readonly project_id: string;
  readonly project: string;
  readonly crawl_number: number | null;
  readonly crawl_config_id: string | null;
  readonly crawl_config_name: string | null;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
  /** Whether it requested all pages that links lead to. */
  readonly is_complete: boolean;
  /** Why it does not cover the whole site (mart.crawls.scope_note); null where it does. */
  readonly scope_note: string | null;
}

export interface ComparedSegment extends PageSegment {
  /** Crawls in which no page has a segment of the segmentation: what was in this one is not known. */
  readonly undivided: readonly ComparedCrawl[];
}

/** Why nothing that changed in the segment is known; null: it is. */
export function whyUndivided({ undivided, segmentation }: ComparedSegment): string | null {
  if (undivided.length === 0) return null;
  return `no page of ${undivided.map(nameOfCrawl).join(' and ')} has a segment of ${segmentation}`;
}

/** Asks of two crawls: binds `$from`, `$to`, and the segment's `$segmentation` and `$segment`. */
export type AskOfTwo = <T>(sql: string) => Promise<readonly T[]>;

export type ComparedName = Pick<ComparedCrawl, 'crawl_id' | 'crawl_number' | 'ended_at'>;

/** As people call a crawl: by its day, and its number where it has one. */
export function nameOfCrawl({ crawl_id, crawl_number, ended_at }: ComparedName): string {
  if (ended_at === null) return `crawl ${crawl_id}`;
  const number = crawl_number === null ? '' : ` ${countText(crawl_number)}`;
  return `crawl${number} of ${ended_at.slice(0, 10)}`;
}

/** A crawl with its identifier, which leads to it. */
export function crawlCell(crawl: ComparedName): ShownValue {
  return { value: `${nameOfCrawl(crawl)} (${crawl.crawl_id})`, link: { to: 'crawl', ...crawl } };
}

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
  /** What each crawl lacks that the issue needs, as what it did not do; null: nothing. */
  readonly lacks_before: string | null;
  readonly lacks_after: string | null;
}

export const pagesOfSite = (crawl: string): string =>
  `SELECT changes.issue, changes.pages FROM mart.issue_changes AS changes WHERE changes.crawl_id = ${crawl}`;

/** No page of a first crawl became something since the previous one. */
const isFirst = (crawl: string): string =>
  `strpos(files.needs, 'previous') > 0 AND ${crawl}.previous_crawl_id IS NULL`;

const lackOf = (crawl: string, more = ''): string => `CASE
      WHEN strpos(files.needs, 'links') > 0 AND NOT ${crawl}.has_all_links THEN 'did not read all links of the site'
      WHEN strpos(files.needs, 'sitemaps') > 0 AND NOT ${crawl}.has_all_sitemaps
        THEN 'did not read all sitemaps of the site'
      ${more}
    END`;

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
    CASE WHEN ${isFirst('earlier')} THEN 0 ELSE former.pages END AS "before", later.pages AS "after", sampled.issue IS NOT NULL AS is_sampled,
    ${lackOf('earlier')} AS lacks_before,
    ${lackOf('crawls', `WHEN ${isFirst('crawls')} THEN 'has no previous crawl'`)} AS lacks_after
  FROM mart.project_issues AS issues
  JOIN mart.issues AS files ON files.issue = issues.issue
  JOIN mart.crawls AS crawls ON crawls.crawl_id = $to AND crawls.project_id = issues.project_id
  JOIN mart.crawls AS earlier ON earlier.crawl_id = $from
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
  { is_by_days, is_sampled, before, after, lacks_before, lacks_after }: IssueRow,
  from: ComparedName,
  to: ComparedName,
): string | null {
  if (is_by_days) return 'it depends on days, which differ';
  if (is_sampled) return 'it is measured on a sample of pages';
  const lack = lacks_before ?? lacks_after;
  if (lack !== null) return `${nameOfCrawl(lacks_before === null ? to : from)} ${lack}`;
  if (before !== null && after !== null) return null;
  return `the export of ${nameOfCrawl(before === null ? from : to)} lacks a field that shows it`;
}
