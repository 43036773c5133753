import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { Column } from '../catalogue/column.ts';
import { CELL_BYTES } from '../rows/export-lines.ts';
import { csvHeader, csvLine, jsonLine } from '../rows/line-sql.ts';
import type { ServiceRows } from '../rows/row-store.ts';
import { streamLines } from '../rows/stream-lines.ts';

/** How the lines of an export are written. */
export interface LineFormat {
  readonly format: 'csv' | 'json';
  readonly delimiter: string;
  readonly gzip: boolean;
}

/**
 * Writes rows as CSV with its header, or as JSONL, each line as the streamed export has it. Streamed, because COPY
 * would hold whole row groups of lines in memory.
 */
export async function writeLines(
  rows: ServiceRows,
  { source, columns }: { readonly source: string; readonly columns: readonly Column[] },
  { format, delimiter, gzip }: LineFormat,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const line = format === 'csv' ? csvLine(columns, '\n', delimiter) : jsonLine(columns, '\n');
  const header = format === 'csv' ? `${csvHeader(columns, delimiter)}\n` : '';
  const lines = async function* (connection: Connection): AsyncGenerator<Buffer> {
    yield Buffer.from(header);
    yield* streamLines(connection, `SELECT ${line} AS line ${source}`, [], columns.length * CELL_BYTES);
  };
  const bytes = Readable.from(rows.stream(lines, signal, columns.length), { objectMode: false });
  const file = createWriteStream(path);
  if (gzip) await pipeline(bytes, createGzip({ level: 1 }), file, { signal });
  else await pipeline(bytes, file, { signal });
}
