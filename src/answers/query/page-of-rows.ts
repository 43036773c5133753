import { ident } from '../../core/duckdb.ts';

/** Some rows of a statement's answer; without `limit`, or with `count`, the whole answer is meant. */
export interface RowsPage {
  /** The columns to give; none: all. */
  readonly columns?: readonly string[];
  /** One row, `rows`: how many rows the filter leaves. */
  readonly count?: true;
  readonly filter?: RowsFilter;
  readonly sort?: { readonly column: string; readonly descending: boolean };
  readonly limit?: number;
  readonly offset?: number;
}

/** Rows that hold a text, in any case of its letters. */
export interface RowsFilter {
  readonly text: string;
  /** None: in any column. */
  readonly column?: string;
}

/** No statement of a person has a parameter of this name. */
const FILTER = 'crawlhouse_filter';

/** Texts, quoted names and comments, in which a `;` means nothing; or a `;`. */
const END =
  /(?<!\w)e'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[\s\S]*?\*\/|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|(;)/gi;

/**
 * The statement that gives a page of another one's answer.
 *
 * @param select one SELECT that was parsed on its own: brackets can't leave it
 * @returns the statement, whose lines are one further down, and the values of its own parameters
 */
export function pageStatement(
  select: string,
  page: RowsPage,
): { sql: string; parameters: ReadonlyMap<string, string> } {
  const { columns, count, filter, sort, limit, offset } = page;
  const given = count ? 'count(*) AS rows' : (columns?.map(ident).join(', ') ?? '*');
  const where =
    filter === undefined ? '' : ` WHERE contains(lower(${searched(filter.column)}), lower($${FILTER}))`;
  // Equal values would else change their order from page to page.
  const order =
    sort === undefined || count
      ? ''
      : ` ORDER BY ${ident(sort.column)} ${sort.descending ? 'DESC' : 'ASC'} NULLS LAST, answer`;
  const rows = limit === undefined || count ? '' : ` LIMIT ${limit} OFFSET ${offset ?? 0}`;
  return {
    // On lines of its own, because the statement may end in a comment.
    sql: `SELECT ${given} FROM (\n${withoutEnd(select)}\n) AS answer${where}${order}${rows}`,
    parameters: new Map(filter === undefined ? [] : [[FILTER, filter.text]]),
  };
}

function searched(column: string | undefined): string {
  return column === undefined ? 'concat_ws(chr(31), *COLUMNS(*))' : `CAST(${ident(column)} AS VARCHAR)`;
}

/** Without the semicolon and what follows it: only comments do. */
export function withoutEnd(select: string): string {
  for (const { 2: end, index } of select.matchAll(END)) if (end !== undefined) return select.slice(0, index);
  return select;
}
