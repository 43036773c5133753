import { ident, text } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';

/** Some rows of a statement's answer. Without `limit`, or with `count`, it covers the whole answer. */
export interface RowsPage {
  /** The columns to return; none means all. */
  readonly columns?: readonly string[];
  /** Whether DuckDB computes the answer once, for this page and the next ones of the same answer. */
  readonly isKept?: true;
  /** Returns one row, `rows`: the number of rows after the filter. */
  readonly count?: true;
  readonly filter?: RowsFilter;
  readonly sort?: { readonly column: string; readonly descending: boolean };
  readonly limit?: number;
  readonly offset?: number;
}

/** Rows that contain a text, regardless of case. */
export interface RowsFilter {
  readonly text: string;
  /** None: in any column. */
  readonly column?: string;
}

/** A DuckDB statement, and the names of its answer's columns. */
interface PageStatement {
  readonly sql: string;
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

/** A parameter name that no user's statement has. */
const FILTER = 'crawlhouse_filter';

/**
 * Makes a relation of a user's SELECT. The SELECT is passed as a value: DuckDB parses it separately and accepts exactly
 * one SELECT, so nothing in it can end, comment out or change the enclosing statement.
 *
 * @param parameters the names of its `$name`s; the enclosing statement must name them
 * @returns the text before the outer SELECT, and the relation
 */
export function asRelation(select: string, parameters: readonly string[]): readonly [string, string] {
  const named = parameters.map((name) => `$${/^\d+$/.test(name) ? name : ident(name)}`);
  const given = named.length === 0 ? '' : `WITH "crawlhouse parameters" AS (SELECT ${named.join(', ')}) `;
  return [given, `system.main.query(${text(select)})`];
}

/**
 * Builds the statement that reads one page of another statement's result. Columns are named by position.
 *
 * @param columns of the answer
 * @param parameters the names of its `$name`s
 * @throws CrawlhouseError `bad_query` for a column that the answer does not have
 */
export function pageStatement(
  select: string,
  columns: readonly string[],
  parameters: readonly string[],
  page: RowsPage,
): PageStatement {
  const { count, filter, sort, limit, offset } = page;
  const [given, relation] = asRelation(select, parameters);
  const wanted = page.columns?.map((name) => placeOf(columns, name)) ?? columns.keys().toArray();
  const picked = count ? 'count(*)' : wanted.map(placeName).join(', ');
  const searched =
    filter?.column === undefined
      ? 'concat_ws(chr(31), *COLUMNS(*))'
      : `CAST(${placeName(placeOf(columns, filter.column))} AS VARCHAR)`;
  const where = filter === undefined ? '' : ` WHERE contains(lower(${searched}), lower($${FILTER}))`;
  // Otherwise equal values may change their order from page to page.
  const order =
    sort === undefined || count
      ? ''
      : ` ORDER BY ${placeName(placeOf(columns, sort.column))} ${sort.descending ? 'DESC' : 'ASC'} NULLS LAST, answer`;
  const rows = limit === undefined || count ? '' : ` LIMIT ${limit} OFFSET ${offset ?? 0}`;
  const places = columns.keys().map(placeName).toArray().join(', ');
  return {
    sql: `${given}SELECT ${picked} FROM ${relation} AS answer(${places})${where}${order}${rows}`,
    names: count ? ['rows'] : wanted.map((place) => columns[place] ?? ''),
    values: filter === undefined ? {} : { [FILTER]: filter.text },
  };
}

/** Returns the name of the column at a position, from 0, in a statement around an answer. */
export function placeName(place: number): string {
  return `c${place}`;
}

/**
 * Returns the position of a column in a result, counted from 0. Ignores letter case.
 *
 * @throws CrawlhouseError `bad_query`
 */
export function placeOf(columns: readonly string[], name: string): number {
  const exact = columns.indexOf(name);
  if (exact >= 0) return exact;
  const place = columns.findIndex((column) => column.toLowerCase() === name.toLowerCase());
  if (place >= 0) return place;
  throw new CrawlhouseError('bad_query', `the result has no column ${JSON.stringify(name)}`, {
    hint: `${didYouMean(name, columns)}use a column name of the result`,
  });
}
