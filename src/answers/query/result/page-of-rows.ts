import { ident, text } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';

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

/** A statement of DuckDB, and what its answer's columns are called. */
interface PageStatement {
  readonly sql: string;
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

/** No statement of a person has a parameter of this name. */
const FILTER = 'crawlhouse_filter';

/**
 * One SELECT of a person as a relation. It is a value here: DuckDB parses it by itself and takes exactly one SELECT, so
 * nothing in it can end, comment out or join what stands around it.
 *
 * @param parameters the names of its `$name`s. They are known to a statement only where it names them.
 * @returns what comes before the outer SELECT, and the relation
 */
export function asRelation(select: string, parameters: readonly string[]): readonly [string, string] {
  const named = parameters.map((name) => `$${/^\d+$/.test(name) ? name : ident(name)}`);
  const given = named.length === 0 ? '' : `WITH "crawlhouse parameters" AS (SELECT ${named.join(', ')}) `;
  return [given, `system.main.query(${text(select)})`];
}

/**
 * The statement that gives a page of another one's answer. Columns have their places for names.
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
  // Equal values would else change their order from page to page.
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

/** The name of the column at a place, from 0, in a statement around an answer. */
export function placeName(place: number): string {
  return `c${place}`;
}

/**
 * The place of a column in an answer, from 0, in any case of its letters.
 *
 * @throws CrawlhouseError `bad_query`
 */
export function placeOf(columns: readonly string[], name: string): number {
  const exact = columns.indexOf(name);
  if (exact >= 0) return exact;
  const place = columns.findIndex((column) => column.toLowerCase() === name.toLowerCase());
  if (place >= 0) return place;
  throw new CrawlhouseError('bad_query', `the answer has no column ${JSON.stringify(name)}`, {
    hint: `${didYouMean(name, columns)}name a column as the answer does`,
  });
}
