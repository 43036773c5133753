import type { Dialect } from '../../engines/dialect.ts';
import type { AnswerColumn, EngineStatement } from './engine-statement.ts';
import { placeName, placeOf, type RowsFilter, type RowsPage } from './page-of-rows.ts';

/**
 * The statement of an engine that gives a page of another one's answer. Rows of a subquery have no order, so a page without
 * filter and sorting is cut out of the answer as it comes. Columns have their places for names.
 *
 * @param select in the engine's SQL, without comments and `;`
 */
export function pageElsewhere(
  dialect: Dialect,
  select: string,
  columns: readonly AnswerColumn[],
  { columns: wanted, count, filter, sort, limit, offset = 0 }: RowsPage,
): EngineStatement {
  const places = columns.keys().map(placeName).toArray();
  const answer = `(${select}\n) AS answer(${places.join(', ')})`;
  const where = filter === undefined ? '' : ` WHERE ${holds(dialect, filter, columns)}`;
  if (count) {
    const sql = `SELECT count(*) FROM ${answer}${where}`;
    return { sql, columns: [{ name: 'rows', type: 'BIGINT' }], skip: 0, picked: null };
  }
  const names = columns.map(({ name }) => name);
  const picked = wanted?.map((name) => placeOf(names, name)) ?? null;
  const shown = picked?.flatMap((place) => columns[place] ?? []) ?? columns;
  if (filter === undefined && sort === undefined)
    return { sql: select, columns: shown, skip: offset, picked };
  // Equal values would else change their order from page to page.
  const first =
    sort === undefined
      ? []
      : [`${placeName(placeOf(names, sort.column))} ${sort.descending ? 'DESC' : 'ASC'} NULLS LAST`];
  const rows = limit === undefined ? '' : ` ${dialect.slice(offset, limit)}`;
  return {
    sql: `SELECT * FROM ${answer}${where} ORDER BY ${[...first, ...places].join(', ')}${rows}`,
    columns: shown,
    skip: 0,
    picked,
  };
}

function holds(dialect: Dialect, { text, column }: RowsFilter, columns: readonly AnswerColumn[]): string {
  const names = columns.map(({ name }) => name);
  const among = column === undefined ? [...columns.keys()] : [placeOf(names, column)];
  return dialect.contains(
    among.map((place) => ({ name: placeName(place), type: columns[place]?.type ?? '' })),
    text,
  );
}
