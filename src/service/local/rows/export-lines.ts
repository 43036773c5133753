import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { ExportFileType } from '../../api/resources/search.ts';
import type { DatasetQuery } from './dataset-query.ts';
import { csvHeader, csvLine, jsonLine } from './line-sql.ts';
import { streamLines } from './stream-lines.ts';

/** How long a cell is, about, with its key. */
export const CELL_BYTES = 35;

export interface ExportOptions {
  readonly fileType: ExportFileType;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Another order of rows and columns, as the fault `reorder` wants it. */
  readonly reordered: boolean;
}

/** The bytes of an export: a header for CSV, then a line a row, each with its newline. */
export async function* exportLines(
  connection: Connection,
  query: DatasetQuery,
  options: ExportOptions,
): AsyncGenerator<Buffer> {
  const columns = options.reordered ? query.columns.toReversed() : query.columns;
  if (options.fileType === 'csv') yield Buffer.from(`${csvHeader(columns)}\n`);
  if (query.source === undefined) return;
  const line = options.fileType === 'csv' ? csvLine(columns, '\n') : jsonLine(columns, '\n');
  const order = options.reordered ? 'ORDER BY rowid DESC' : query.order;
  const sql = `SELECT ${line} AS line ${query.source} ${order} ${paging(options)}`;
  yield* streamLines(connection, sql, query.condition.values, columns.length * CELL_BYTES);
}

function paging({ limit, offset }: ExportOptions): string {
  return `${limit === undefined ? '' : `LIMIT ${limit}`} ${offset ? `OFFSET ${offset}` : ''}`;
}
