import { join } from 'node:path';
import { z } from 'zod';
import { readText } from '../../../../core/files/read-text.ts';
import { SHIPPED_SQL } from '../../../../etl/project/sql/models/sql-folders.ts';
import { splitSqlFile } from '../../../../etl/project/sql/text/sql-file.ts';
import { type PageSegment, urlsOf } from '../page-segments.ts';
import { CHANGES_OF_BEFORE, CHANGES_OF_ISSUE } from '../pages/page-filter.ts';

/** Two crawls as parameters of a statement, and the comparison of the models. */
export interface ComparedPair {
  /** The later crawl. */
  readonly crawl: '$crawl' | '$to';
  /** The crawl that it is compared with. */
  readonly since: '$since' | '$from';
  /** A SELECT like mart.page_comparison: the pages that the two crawls did not both read as the same page. */
  readonly exceptions: string;
  /** A SELECT like mart.page_issue_changes: the changed issues of each page. */
  readonly issueChanges: string;
  /** A SELECT of mart.page_changes; null for two crawls that no model compares. */
  readonly fieldChanges: string | null;
}

/**
 * Compares two crawls, page by page. Models contain the comparison of a crawl with its previous one. Any other two
 * crawls use the SQL of these models, so there is only one rule.
 *
 * @param isPrevious whether the two are a crawl and its previous one (mart.crawls.previous_crawl_id)
 * @param issue a parameter: only the changes of this issue
 */
export async function comparedPair(
  { crawl, since }: Pick<ComparedPair, 'crawl' | 'since'>,
  isPrevious: boolean,
  issue?: '$issue',
): Promise<ComparedPair> {
  if (isPrevious) {
    const pair = `crawl_id = ${crawl} AND previous_crawl_id = ${since}`;
    const only = issue === undefined ? '' : ` AND issue = ${issue}`;
    return {
      crawl,
      since,
      exceptions: `SELECT * FROM mart.page_comparison WHERE ${pair}`,
      issueChanges: `SELECT * FROM mart.page_issue_changes WHERE ${pair}${only}`,
      fieldChanges: `SELECT * FROM mart.page_changes WHERE ${pair}`,
    };
  }
  const pairs = `SELECT * FROM (${await modelSql('crawl_pairs', {
    'crawls.previous_crawl_id': `CASE WHEN crawls.crawl_id = ${crawl} THEN ${since} END AS previous_crawl_id`,
  })}\n) AS pairs WHERE crawl_id = ${crawl}`;
  const exceptions = await modelSql('page_comparison', { 'mart.crawl_pairs': `(${pairs})` });
  const found = `(SELECT * FROM mart.page_issues WHERE issue = ${issue})`;
  const changes = await modelSql('page_issue_changes', {
    'mart.crawl_pairs': `(${pairs})`,
    'mart.page_comparison': 'compared_pages',
    ...(issue && { 'mart.page_issues': found }),
  });
  // The model names them several times, so they are compared once.
  const issueChanges = `WITH compared_pages AS (${exceptions}\n), changes AS (${changes}\n) SELECT * FROM changes`;
  return { crawl, since, exceptions, issueChanges, fieldChanges: null };
}

/** Returns the SELECT of a model with replacements for some of its tables. */
async function modelSql(name: string, texts: Readonly<Record<string, string>>): Promise<string> {
  const file = `mart/${name}.sql`;
  const { sql } = splitSqlFile(`${SHIPPED_SQL.shown}/${file}`, await readText(join(SHIPPED_SQL.path, file)));
  return Object.entries(texts).reduce((whole, [name, text]) => whole.replaceAll(name, () => text), sql);
}

/** Changes of whole pages, each with its condition on mart.page_comparison. */
const COMPARISONS = {
  added: "comparison = 'added'",
  removed: "comparison IN ('gone', 'merged')",
  moved: "comparison = 'moved'",
  missing: "comparison = 'missing' AND is_observed_before",
  unseen: "comparison = 'unseen' AND is_observed",
} as const;
export type PageChange = keyof typeof COMPARISONS;
export const PAGE_CHANGES = Object.keys(COMPARISONS) as PageChange[];

export const isPageChange = (change: string): change is PageChange => Object.hasOwn(COMPARISONS, change);

/**
 * Returns a SELECT of crawl_id, url, change, reason and moved_to of the pages that are added, removed, moved or missing
 * in mart.page_changes, and of pages that the earlier crawl did not read.
 *
 * @param exceptions a SELECT like mart.page_comparison
 */
export function pageChangeSql(exceptions: string): string {
  const cases = Object.entries(COMPARISONS).map(([change, is]) => `WHEN ${is} THEN '${change}'`);
  return `SELECT crawl_id, url, CASE ${cases.join(' ')} END AS change,
      CASE WHEN comparison IN ('gone', 'merged') THEN comparison ELSE reason END AS reason, moved_to,
      is_observed AND is_observed_before AS is_read
    FROM (${exceptions}\n) AS exceptions`;
}

/** A row of `countedPages`: the pages of a change and reason. */
export const PageCount = z.strictObject({
  change: z.enum(PAGE_CHANGES),
  reason: z.string().nullable(),
  pages: z.number(),
});

/** Counts the pages of each change by reason, most common first. */
export function countedPages(pair: ComparedPair, segment: PageSegment): string {
  return `
    SELECT changes.change, changes.reason, count(*) AS pages
    FROM (${pageChangeSql(pair.exceptions)}) AS changes
    WHERE ${placed('changes', pair, segment)}
    GROUP BY changes.change, changes.reason
    ORDER BY pages DESC, changes.reason`;
}

/** Counts the pages of each issue that are new, fixed, missing, remaining and unseen. */
export function changedIssues(pair: ComparedPair, segment: PageSegment): string {
  const counts = CHANGES_OF_ISSUE.map(
    (change) => `count(CASE WHEN changes.change = '${change}' THEN 1 END) AS "${change}"`,
  );
  return `
    SELECT changes.issue, ${counts.join(', ')}
    FROM (${pair.issueChanges}\n) AS changes
    WHERE ${placed('changes', pair, segment)}
    GROUP BY changes.issue`;
}

/** Keeps the changes of pages that are in the segment, in the crawl whose page the change shows. */
function placed(table: string, { crawl, since }: ComparedPair, segment: PageSegment): string {
  const before = `${table}.change IN ('${CHANGES_OF_BEFORE.join("', '")}')`;
  return `(${table}.change IS NOT NULL AND NOT ${before} ${urlsOf(table, segment, crawl)}
      OR ${before} ${urlsOf(table, segment, since)})`;
}
