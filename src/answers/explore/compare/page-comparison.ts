import { join } from 'node:path';
import { readText } from '../../../core/files/read-text.ts';
import { SHIPPED_SQL } from '../../../project/sql/models/sql-folders.ts';
import { splitSqlFile } from '../../../project/sql/text/sql-file.ts';
import { CHANGES_OF_BEFORE, CHANGES_OF_ISSUE } from '../pages/page-filter.ts';
import { type PageSegment, urlsOf } from '../segments.ts';

/** Two crawls as parameters of a statement, and what the models say of their comparison. */
export interface ComparedPair {
  /** The later crawl. */
  readonly crawl: '$crawl' | '$to';
  /** The crawl that it is compared with. */
  readonly since: '$since' | '$from';
  /** A SELECT as of mart.page_comparison: the pages that they did not both read as the same page. */
  readonly exceptions: string;
  /** A SELECT as of mart.page_issue_changes: what became of the issues of each page. */
  readonly issueChanges: string;
}

/**
 * How two crawls compare, page by page. The models say it of a crawl and its previous one. Of any other two crawls their
 * SQL is asked, so there is one rule.
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
      ...{ crawl, since, exceptions: `SELECT * FROM mart.page_comparison WHERE ${pair}` },
      issueChanges: `SELECT * FROM mart.page_issue_changes WHERE ${pair}${only}`,
    };
  }
  const pairs = `SELECT * FROM (${await modelSql('crawl_pairs', {
    'crawls.previous_crawl_id': `CASE WHEN crawls.crawl_id = ${crawl} THEN ${since} END AS previous_crawl_id`,
  })}\n) AS pairs WHERE crawl_id = ${crawl}`;
  const exceptions = await modelSql('page_comparison', { 'mart.crawl_pairs': `(${pairs})` });
  const found = `(SELECT * FROM mart.page_issues WHERE issue = ${issue})`;
  const changes = await modelSql('page_issue_changes', {
    ...{ 'mart.crawl_pairs': `(${pairs})`, 'mart.page_comparison': 'compared_pages' },
    ...(issue && { 'mart.page_issues': found }),
  });
  // The model names them several times: they are compared once.
  const issueChanges = `WITH compared_pages AS (${exceptions}\n), changes AS (${changes}\n) SELECT * FROM changes`;
  return { crawl, since, exceptions, issueChanges };
}

/** The SELECT of a model with other texts for some that it names. */
async function modelSql(name: string, texts: Readonly<Record<string, string>>): Promise<string> {
  const file = `mart/${name}.sql`;
  const { sql } = splitSqlFile(`${SHIPPED_SQL.shown}/${file}`, await readText(join(SHIPPED_SQL.path, file)));
  return Object.entries(texts).reduce((whole, [name, text]) => whole.replaceAll(name, () => text), sql);
}

/** Changes of whole pages, each with the pages of mart.page_comparison that have it. */
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
 * A SELECT of crawl_id, url, change, reason and moved_to of the pages that mart.page_changes calls added, removed, moved
 * or missing, and of those that were not read before.
 *
 * @param exceptions a SELECT as of mart.page_comparison
 */
export function pageChangeSql(exceptions: string): string {
  const cases = Object.entries(COMPARISONS).map(([change, is]) => `WHEN ${is} THEN '${change}'`);
  return `SELECT crawl_id, url, CASE ${cases.join(' ')} END AS change,
      CASE WHEN comparison IN ('gone', 'merged') THEN comparison ELSE reason END AS reason, moved_to,
      is_observed AND is_observed_before AS is_read
    FROM (${exceptions}\n) AS exceptions`;
}

interface PageCount {
  readonly change: PageChange;
  readonly reason: string | null;
  readonly pages: number;
}
/** Rows of `countedPages`: pages of a change, those of each reason apart. */
export type ChangedPageCounts = readonly PageCount[];

/** How many pages each change has, by their reasons, the most common first. */
export function countedPages(pair: ComparedPair, segment: PageSegment): string {
  return `
    SELECT changes.change, changes.reason, count(*) AS pages
    FROM (${pageChangeSql(pair.exceptions)}) AS changes
    WHERE ${placed('changes', pair, segment)}
    GROUP BY changes.change, changes.reason
    ORDER BY pages DESC, changes.reason`;
}

/** How many pages of each issue are new, fixed, missing, remaining and unseen. */
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

/** Leaves the changes of pages that are in the segment, in the crawl that the change shows them of. */
function placed(table: string, { crawl, since }: ComparedPair, segment: PageSegment): string {
  const before = `${table}.change IN ('${CHANGES_OF_BEFORE.join("', '")}')`;
  return `(${table}.change IS NOT NULL AND NOT ${before} ${urlsOf(table, segment, crawl)}
      OR ${before} ${urlsOf(table, segment, since)})`;
}
