import type { DuckDBBlobValue } from '@duckdb/node-api';
import { z } from 'zod';
import type { ExportFileType, SearchBody } from '../../client/resources/search.ts';
import { type Connection, text, type Values } from '../../core/duckdb/duckdb.ts';
import { StreamedRows } from '../../core/duckdb/streamed-rows.ts';
import { stringifyJson } from '../../core/text/json.ts';
import { typedRows } from '../../core/text/typed-rows.ts';
import type { Column } from '../fields/column.ts';
import { csvCell, jsonCell } from './cell-sql.ts';
import type { DatasetQuery } from './dataset-query.ts';

const LineRow = z.strictObject({ line: z.string() });

const PIECE = 64 * 1024;
const VECTOR = 2048;
/** The approximate limit of computed but unread rows. */
const AHEAD = 16 * 1024 * 1024;
/** The size that DuckDB counts for a vector of text in its streaming buffer, without the text itself. */
const COUNTED = 33 * 1024;

/** The approximate length of a cell with its key. */
export const CELL_BYTES = 35;

interface RowWindow {
  readonly limit: number;
  readonly offset: number;
}

export interface ExportOptions {
  readonly fileType: ExportFileType;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Another order of rows and columns, for the fault `reorder`. */
  readonly reordered: boolean;
}

/** Returns the bytes of an export: a header for CSV, then a line per row, each with its newline. */
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

/**
 * Returns SQL for a row as one JSON object followed by `end`. The row is built as text, because a STRUCT cannot contain
 * both `Title` and `title`, and in a single expression, because every further step would copy the whole text.
 */
export function jsonLine(columns: readonly Column[], end: string): string {
  const cells = columns.flatMap((column, index) => [
    text(`${index === 0 ? '' : ','}${JSON.stringify(column.field.name)}:`),
    jsonCell(column),
  ]);
  return `concat(${[text('{'), ...cells, literal(`}${end}`)].join(', ')})`;
}

/** Returns SQL for a row as one line of CSV with `end` after it. */
export function csvLine(columns: readonly Column[], end: string, delimiter = ';'): string {
  const cells = columns.flatMap((column, index) => {
    const cell = csvCell(column, delimiter);
    return index === 0 ? [cell] : [text(delimiter), cell];
  });
  return `concat(${[...cells, literal(end)].join(', ')})`;
}

function literal(end: string): string {
  return end.endsWith('\n') ? `${text(end.slice(0, -1))} || chr(10)` : text(end);
}

/** Returns the header line, without its newline. */
export function csvHeader(columns: readonly Column[], delimiter = ';'): string {
  return columns.map((column) => headerCell(column.field.name, delimiter)).join(delimiter);
}

function headerCell(name: string, delimiter: string): string {
  return name === '' || name.includes(delimiter) || /["\r\n]/.test(name)
    ? `"${name.replaceAll('"', '""')}"`
    : name;
}

/**
 * Streams the lines of a query, its column `line`, as bytes, in pieces of about 64 KB. DuckDB computes ahead of the
 * reader only within a bounded buffer. `lineBytes`, an estimate of a line's length, determines the number of rows in
 * the buffer.
 */
export async function* streamLines(
  connection: Connection,
  sql: string,
  values: Values,
  lineBytes: number,
): AsyncGenerator<Buffer> {
  const vectors = Math.min(30, Math.floor(AHEAD / (VECTOR * lineBytes)));
  await connection.run(`SET streaming_buffer_size = '${Math.max(1024, vectors * COUNTED)} bytes'`);
  // As BLOB, because bytes are needed, not JavaScript strings.
  const result = await StreamedRows.open(connection.inner, `SELECT encode(line) FROM (${sql})`, values);
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of result.chunks()) {
    const lines = chunk.getColumnVector(0);
    for (let row = 0; row < chunk.rowCount; row++) {
      const { bytes } = lines.getItem(row) as DuckDBBlobValue;
      pieces.push(bytes);
      size += bytes.length;
      if (size < PIECE) continue;
      yield Buffer.concat(pieces, size);
      pieces = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(pieces, size);
}

/** Returns a search response as JSON text; SQL makes each row, so that no number passes through JavaScript. */
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
  const rows = typedRows(LineRow, await connection.rows(sql, query.condition.values));
  return rows.map((row) => row.line);
}

async function countRows(connection: Connection, query: DatasetQuery): Promise<number> {
  if (query.source === undefined) return 0;
  return Number(await connection.scalar(`SELECT count(*) ${query.source}`, query.condition.values));
}
