import type { DuckDBBlobValue } from '@duckdb/node-api';
import type { Connection, Values } from '../../../core/duckdb/duckdb.ts';
import { StreamedRows } from '../../../core/duckdb/streamed-rows.ts';

const PIECE = 64 * 1024;
const VECTOR = 2048;

/** The approximate limit of computed but unread rows. */
const AHEAD = 16 * 1024 * 1024;
/** The size that DuckDB counts for a vector of text in its streaming buffer, without the text itself. */
const COUNTED = 33 * 1024;

/**
 * Streams the lines of a query, its column `line`, as bytes, in pieces of about 64 KB. DuckDB computes ahead of the
 * reader by a bounded buffer only; `lineBytes`, a guess at a line's length, sets how many rows that is.
 */
export async function* streamLines(
  connection: Connection,
  sql: string,
  values: Values,
  lineBytes: number,
): AsyncGenerator<Buffer> {
  const vectors = Math.min(30, Math.floor(AHEAD / (VECTOR * lineBytes)));
  await connection.run(`SET streaming_buffer_size = '${Math.max(1024, vectors * COUNTED)} bytes'`);
  // As BLOB, because the bytes are wanted, not JavaScript strings.
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
