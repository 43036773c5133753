import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { SearchBody } from '../../api/resources/search.ts';
import { countRows, type DatasetQuery } from './dataset-query.ts';
import { jsonLine } from './line-sql.ts';

export interface RowWindow {
  readonly limit: number;
  readonly offset: number;
}

/** A search response as JSON text; SQL makes each row, so that no number passes through JavaScript. */
export async function searchRows(
  connection: Connection,
  query: DatasetQuery,
  window: RowWindow,
): Promise<string> {
  const total = await countRows(connection, query);
  const rows = await page(connection, query, window);
  const meta: Record<string, unknown> = {
    columns: query.columns.map((column) => column.field.name),
    total_hits: total,
    total_pages: window.limit === 0 ? 0 : Math.ceil(total / window.limit),
  };
  const oql: SearchBody['oql'] = query.oql ?? null;
  return `{"meta":${JSON.stringify(meta)},"oql":${stringifyJson(oql)},"urls":[${rows.join(',')}]}`;
}

async function page(
  connection: Connection,
  query: DatasetQuery,
  { limit, offset }: RowWindow,
): Promise<string[]> {
  if (query.source === undefined || limit === 0) return [];
  // The page's rows are found before they are written out: a sort would carry every line.
  const found = `SELECT rowid ${query.source} ${query.order} LIMIT ${limit} OFFSET ${offset}`;
  const sql = `SELECT ${jsonLine(query.columns, '')} AS line FROM ${query.table} WHERE rowid IN (${found}) ${query.order || 'ORDER BY rowid'}`;
  const rows = await connection.rows<{ line: string }>(sql, query.condition.values);
  return rows.map((row) => row.line);
}
