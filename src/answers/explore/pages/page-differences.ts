import { ident } from '../../../core/duckdb/duckdb.ts';

/** The change of pages that differ in any of the fields that comparisons have. */
export const ANY_FIELD = 'changed';

/** Whether a change is a difference in columns, not that pages came or went. */
export const isOfColumn = (issue: string | undefined, change: string | undefined): boolean =>
  issue === undefined && change !== undefined && change !== 'added' && change !== 'removed';

/** What is shown of pages that differ: the columns, or the values of the one that is asked for. */
export function shownOfChange(issue: string | undefined, change: string | undefined): readonly string[] {
  if (!isOfColumn(issue, change)) return [];
  return change === ANY_FIELD ? [ANY_FIELD] : ['before', 'after'];
}

/** The values of a column in both crawls: of `other`, which is before, and of `pages`. */
export const valuesOf = (column: string): string[] => {
  const [before, after] = sidesOf(column);
  return [`${before} AS "before"`, `${after} AS "after"`];
};

/** The names of the columns that differ, with commas between. */
export function changedNames(columns: readonly string[], ofAnswers: ReadonlySet<string>): string {
  const names = columns.map(
    (column) => `CASE WHEN ${differs([column], ofAnswers)} THEN '${column}, ' ELSE '' END`,
  );
  return `regexp_replace(${names.join(' || ') || "''"}, ', $', '') AS ${ANY_FIELD}`;
}

/** @param ofAnswers the columns of which a difference counts only where the status is the same */
export function differs(columns: readonly string[], ofAnswers: ReadonlySet<string>): string {
  const alike = ' AND other.status_code IS NOT DISTINCT FROM pages.status_code';
  const each = columns.map(
    (column) => `${sidesOf(column).join(' IS DISTINCT FROM ')}${ofAnswers.has(column) ? alike : ''}`,
  );
  return `(${each.join(' OR ') || 'false'})`;
}

const sidesOf = (column: string): [string, string] => [
  `CAST(other.${ident(column)} AS VARCHAR)`,
  `CAST(pages.${ident(column)} AS VARCHAR)`,
];
