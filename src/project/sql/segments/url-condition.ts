import { text } from '../../../core/duckdb/duckdb.ts';

/** The column that `withPath` adds. Names with a _ are our own: no column of `mart.pages` begins so. */
const PATH = '_path';

/**
 * A condition on `url`, and on what `withPath` adds, that holds where one of some patterns fits. A pattern is one of
 * robots.txt: it must fit from the start, `*` stands for any characters, and `$` at its end for the end. One that begins
 * with / or * is for the path with the query, another one for the whole URL. URLs are compared as they are written.
 */
export function urlCondition(patterns: readonly string[]): string {
  return patterns.map((pattern) => fits(/^[/*]/.test(pattern) ? PATH : 'url', pattern)).join(' OR ');
}

/** `mart.pages`, with the path and the query of each URL. */
export function withPath(): string {
  const rest = "regexp_replace(url, '^[^:/?#]*://[^/?#]*', '')";
  // What follows the host is a path, else a query or nothing: then the path is /.
  return `(
    SELECT *, CASE WHEN starts_with(${rest}, '/') THEN ${rest} ELSE '/' || ${rest} END AS ${PATH}
    FROM mart.pages
  ) AS pages`;
}

function fits(column: string, pattern: string): string {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern.replace(/\*+$/, '')).split('*');
  const [first = ''] = parts;
  if (parts.length === 1)
    return isWhole ? `${column} = ${text(first)}` : `starts_with(${column}, ${text(first)})`;
  // A group, because DuckDB makes plain anchored patterns string tests, and takes their anchors for letters.
  const pieces = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return `regexp_matches(${column}, ${text(`^(${pieces.join('.*')})${isWhole ? '$' : ''}`)})`;
}
