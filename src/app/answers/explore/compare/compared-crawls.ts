import { z } from 'zod';
import { countText } from '../../../../core/text/amounts.ts';
import type { Typed } from '../../../../core/text/typed-rows.ts';
import { SeverityName } from '../../../../etl/project/settings/issue-settings.ts';
import type { ShownValue } from '../../presentation/blocks.ts';
import type { PageSegment } from '../page-segments.ts';

export const ComparedCrawl = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string(),
  project: z.string(),
  crawl_number: z.number().nullable(),
  crawl_config_id: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  /** ISO 8601, UTC. */
  ended_at: z.string().nullable(),
  /** Whether it requested all linked pages. */
  is_complete: z.boolean(),
  /** Why the crawl does not cover the whole site (mart.crawls.scope_note); null if it does. */
  scope_note: z.string().nullable(),
});
export type ComparedCrawl = Typed<typeof ComparedCrawl>;

export type ComparedSegment = PageSegment & {
  /** Crawls in which no page belongs to a segment of the segmentation, so the pages of this segment are unknown. */
  readonly undivided: readonly ComparedCrawl[];
  /** Whether the crawls belong to two projects, whose pages have no URL in common. */
  readonly isApart: boolean;
};

/** Returns why the changes in the segment are unknown; null if they are known. */
export function whyUndivided({ undivided, segmentation, isApart }: ComparedSegment): string | null {
  if (isApart) return 'the crawls belong to two projects';
  if (undivided.length === 0) return null;
  return `no page of ${undivided.map(nameOfCrawl).join(' and ')} has a segment of ${segmentation}`;
}

/** Runs a statement on two crawls: binds `$from`, `$to`, and the segment's `$segmentation` and `$segment`. */
export type AskOfTwo = <Schema extends z.ZodType>(
  schema: Schema,
  sql: string,
) => Promise<readonly Typed<Schema>[]>;

export type ComparedName = Pick<ComparedCrawl, 'crawl_id' | 'crawl_number' | 'ended_at'>;

/** Returns the name of a crawl for people: its day, and its number if it has one. */
export function nameOfCrawl({ crawl_id, crawl_number, ended_at }: ComparedName): string {
  if (ended_at === null) return `crawl ${crawl_id}`;
  const number = crawl_number === null ? '' : ` ${countText(crawl_number)}`;
  return `crawl${number} of ${ended_at.slice(0, 10)}`;
}

/** Returns a cell with a link to the crawl. */
export function crawlCell(crawl: ComparedName): ShownValue {
  return { value: `${nameOfCrawl(crawl)} (${crawl.crawl_id})`, link: { to: 'crawl', ...crawl } };
}

export const IssueRow = z.strictObject({
  issue: z.string(),
  title: z.string(),
  severity: SeverityName,
  category: z.string(),
  /** Null if the export lacks a field that the issue needs, as in `after`. */
  before: z.number().nullable(),
  after: z.number().nullable(),
  is_by_days: z.boolean(),
  is_sampled: z.boolean(),
  /** A phrase that names what the issue needs but the crawl did not do; null if the crawl did everything. */
  lacks_before: z.string().nullable(),
  lacks_after: z.string().nullable(),
});
export type IssueRow = Typed<typeof IssueRow>;

export const pagesOfSite = (crawl: string): string =>
  `SELECT changes.issue, changes.pages FROM mart.issue_changes AS changes WHERE changes.crawl_id = ${crawl}`;

/** Returns whether this is a first crawl, which has no previous crawl to compare with. */
const isFirst = (crawl: string): string =>
  `strpos(files.needs, 'previous') > 0 AND ${crawl}.previous_crawl_id IS NULL`;

const lackOf = (crawl: string, more = ''): string => `CASE
      WHEN strpos(files.needs, 'links') > 0 AND NOT ${crawl}.has_all_links THEN 'did not read all links of the site'
      WHEN strpos(files.needs, 'sitemaps') > 0 AND NOT ${crawl}.has_all_sitemaps
        THEN 'did not read all sitemaps of the site'
      ${more}
    END`;

/**
 * Returns the issues of the project in two crawls, without the final condition; `pages` selects the pages of each issue
 * in one crawl.
 */
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

/** Returns why two crawls cannot be compared by one issue; null if they can. `ask` binds the issue. */
export async function whyNotCompared(
  ask: AskOfTwo,
  from: ComparedName,
  to: ComparedName,
): Promise<string | null> {
  const [row] = await ask(IssueRow, `${issuesSql(pagesOfSite)} WHERE issues.issue = $issue`);
  return row === undefined ? null : whyNot(row, from, to);
}

export function whyNot(
  { is_by_days, is_sampled, before, after, lacks_before, lacks_after }: IssueRow,
  from: ComparedName,
  to: ComparedName,
): string | null {
  if (is_by_days) return 'it depends on days, and the days differ';
  if (is_sampled) return 'it is measured on a sample of pages';
  const lack = lacks_before ?? lacks_after;
  if (lack !== null) return `${nameOfCrawl(lacks_before === null ? to : from)} ${lack}`;
  if (before !== null && after !== null) return null;
  return `the export of ${nameOfCrawl(before === null ? from : to)} lacks a field that shows it`;
}
