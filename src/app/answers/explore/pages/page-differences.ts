import { ident } from '../../../../core/duckdb/duckdb.ts';
import { FIELDS, seenByBoth, valuesDiffer } from '../compare/comparable-columns.ts';
import { type ComparedPair, isPageChange, pageChangeSql } from '../compare/page-comparison.ts';

/** The change of pages that differ in any compared field. */
export const ANY_FIELD = 'changed';

/** Returns whether a change is a difference in columns, not one of whole pages. */
export const isOfColumn = (issue: string | undefined, change: string | undefined): boolean =>
  issue === undefined && change !== undefined && !isPageChange(change);

/** Returns the columns to show for a change: the changed fields, the values before and after, or why pages are gone. */
export function shownOfChange(issue: string | undefined, change: string | undefined): readonly string[] {
  if (change === undefined) return [];
  if (change === ANY_FIELD) return [ANY_FIELD];
  if (isOfColumn(issue, change)) return ['before', 'after'];
  if (change === 'moved') return ['moved_to'];
  if (change === 'removed') return ['reason', 'moved_to'];
  return change === 'missing' || change === 'unseen' ? ['reason'] : [];
}

/** The compared columns, and those whose difference counts only if the status is the same. */
export interface ComparedColumns {
  readonly columns: readonly string[];
  readonly ofAnswers: ReadonlySet<string>;
}

interface ChangedPages {
  readonly columns: readonly string[];
  readonly joins: readonly string[];
  readonly conditions: readonly string[];
}

export function pagesWithIssue(change: string | undefined, pair: ComparedPair | null): ChangedPages {
  const columns = ['found.why', 'found.related_url'];
  const found =
    'JOIN mart.page_issues AS found ON found.crawl_id = pages.crawl_id AND found.url = pages.url AND found.issue = $issue';
  if (change === undefined || pair === null) return { columns, joins: [found], conditions: [] };
  return {
    columns: [...columns, ...shownOfChange('', change).map((column) => `how.${column}`)],
    joins: [found, `JOIN (${pair.issueChanges}\n) AS how ON how.url = pages.url`],
    conditions: [`how.change = '${change}'`],
  };
}

export function changedPages(change: string, pair: ComparedPair, compared: ComparedColumns): ChangedPages {
  if (isPageChange(change))
    return {
      columns: shownOfChange(undefined, change).map((column) => `how.${column}`),
      joins: [`JOIN (${pageChangeSql(pair.exceptions)}) AS how ON how.url = pages.url`],
      conditions: [`how.change = '${change}'`],
    };
  // The model has compared these columns by the same rule.
  if (pair.fieldChanges !== null && Object.hasOwn(FIELDS, change))
    return {
      columns: ['how."before"', 'how."after"'],
      joins: [`JOIN (${pair.fieldChanges} AND change = '${change}') AS how ON how.url = pages.url`],
      conditions: [],
    };
  const { columns, ofAnswers } = compared;
  return {
    columns: change === ANY_FIELD ? [changedNames(columns, ofAnswers)] : valuesOf(change),
    joins: [
      `JOIN mart.pages AS other ON other.crawl_id = ${pair.since} AND other.url = pages.url`,
      `LEFT JOIN (${pageChangeSql(pair.exceptions)}) AS how ON how.url = pages.url`,
    ],
    conditions: [differs(columns, ofAnswers)],
  };
}

/** Returns the values of a column in both crawls: of `other` (the earlier crawl) and of `pages`. */
const valuesOf = (column: string): string[] => {
  const [before, after] = sidesOf(column);
  return [`${before} AS "before"`, `${after} AS "after"`];
};

function changedNames(columns: readonly string[], ofAnswers: ReadonlySet<string>): string {
  const names = columns.map(
    (column) => `CASE WHEN ${differs([column], ofAnswers)} THEN '${column}, ' ELSE '' END`,
  );
  return `regexp_replace(${names.join(' || ') || "''"}, ', $', '') AS ${ANY_FIELD}`;
}

function differs(columns: readonly string[], ofAnswers: ReadonlySet<string>): string {
  const sides = { former: 'other', later: 'pages', how: 'how' };
  const alike = ' AND other.status_code IS NOT DISTINCT FROM pages.status_code';
  const each = columns.map(
    (column) =>
      `${valuesDiffer(column, sidesOf(column))}${ofAnswers.has(column) ? alike : ''}${seenByBoth(column, sides)}`,
  );
  return `(${each.join(' OR ') || 'false'})`;
}

const sidesOf = (column: string): [string, string] => [
  `CAST(other.${ident(column)} AS VARCHAR)`,
  `CAST(pages.${ident(column)} AS VARCHAR)`,
];
