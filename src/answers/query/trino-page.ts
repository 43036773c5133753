import { literal } from '../../engines/trino/literal.ts';
import { placeName, placeOf, type RowsFilter, type RowsPage } from './page-of-rows.ts';
import type { AnswerColumn, TrinoStatement } from './trino-statement.ts';

/**
 * The statement of Trino that gives a page of another one's answer. Rows of a subquery have no order, so a page without
 * filter and sorting is cut out of the answer as it comes. Columns have their places for names.
 *
 * @param select in Trino's SQL, without comments and `;`
 */
export function trinoPage(
  select: string,
  columns: readonly AnswerColumn[],
  { columns: wanted, count, filter, sort, limit, offset = 0 }: RowsPage,
): TrinoStatement {
  const places = columns.keys().map(placeName).toArray();
  const answer = `(${select}\n) AS answer(${places.join(', ')})`;
  const where = filter === undefined ? '' : ` WHERE ${holds(filter, columns)}`;
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
  const rows = limit === undefined ? '' : ` OFFSET ${offset} LIMIT ${limit}`;
  return {
    sql: `SELECT * FROM ${answer}${where} ORDER BY ${[...first, ...places].join(', ')}${rows}`,
    ...{ columns: shown, skip: 0, picked },
  };
}

function holds({ text, column }: RowsFilter, columns: readonly AnswerColumn[]): string {
  const names = columns.map(({ name }) => name);
  const among = column === undefined ? [...columns.keys()] : [placeOf(names, column)];
  const texts = among.map((place) => {
    const type = columns[place]?.type ?? '';
    // Trino has no text of a list, and another one of a DOUBLE.
    return type.endsWith('[]') || type === 'DOUBLE'
      ? `json_format(CAST(${placeName(place)} AS JSON))`
      : `CAST(${placeName(place)} AS varchar)`;
  });
  return `strpos(lower(concat_ws(chr(31), ARRAY[${texts.join(', ')}])), lower(${literal(text)})) > 0`;
}
