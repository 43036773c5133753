import { ident } from '../../core/duckdb.ts';
import { literal } from '../../engines/trino/literal.ts';
import type { RowsFilter, RowsPage } from './page-of-rows.ts';
import type { AnswerColumn, TrinoStatement } from './trino-statement.ts';

/**
 * The statement of Trino that gives a page of another one's answer. Rows of a subquery have no order, so a page without
 * filter and sorting is cut out of the answer as it comes.
 *
 * @param select in Trino's SQL
 */
export function trinoPage(
  select: string,
  columns: readonly AnswerColumn[],
  { columns: wanted, count, filter, sort, limit, offset = 0 }: RowsPage,
): TrinoStatement {
  const names = columns.map(({ name }) => ident(name));
  // On lines of its own, because the statement may end in a comment.
  const answer = `(${select}\n) AS answer(${names.join(', ')})`;
  const where = filter === undefined ? '' : ` WHERE ${holds(filter, columns)}`;
  if (count) {
    const sql = `SELECT count(*) FROM ${answer}${where}`;
    return { sql, columns: [{ name: 'rows', type: 'BIGINT' }], skip: 0, picked: null };
  }
  const places = wanted?.map((name) => columns.findIndex((column) => column.name === name)) ?? null;
  const picked = places?.filter((place) => place >= 0) ?? null;
  const shown = picked?.flatMap((place) => columns[place] ?? []) ?? columns;
  if (filter === undefined && sort === undefined)
    return { sql: select, columns: shown, skip: offset, picked };
  // Equal values would else change their order from page to page.
  const first =
    sort === undefined ? [] : [`${ident(sort.column)} ${sort.descending ? 'DESC' : 'ASC'} NULLS LAST`];
  const rows = limit === undefined ? '' : ` OFFSET ${offset} LIMIT ${limit}`;
  return {
    sql: `SELECT * FROM ${answer}${where} ORDER BY ${[...first, ...names].join(', ')}${rows}`,
    ...{ columns: shown, skip: 0, picked },
  };
}

function holds({ text, column }: RowsFilter, columns: readonly AnswerColumn[]): string {
  const among = columns.filter(({ name }) => column === undefined || name === column);
  const texts = among.map(({ name, type }) =>
    // Trino has no text of a list, and another one of a DOUBLE.
    type.endsWith('[]') || type === 'DOUBLE'
      ? `json_format(CAST(${ident(name)} AS JSON))`
      : `CAST(${ident(name)} AS varchar)`,
  );
  return `strpos(lower(concat_ws(chr(31), ARRAY[${texts.join(', ')}])), lower(${literal(text)})) > 0`;
}
