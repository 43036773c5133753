import type { DuckDBBlobValue } from '@duckdb/node-api';
import type { Connection, Values } from '../../core/duckdb.ts';

const PIECE = 64 * 1024;

/**
 * Streams the single VARCHAR column of a query as bytes, a newline after each row, in pieces of about 64 KB. DuckDB
 * computes ahead of the reader by a bounded buffer only.
 */
export async function* streamLines(
  connection: Connection,
  sql: string,
  values: Values,
): AsyncGenerator<Buffer> {
  // As BLOB, because the bytes are wanted, not JavaScript strings.
  const result = await connection.inner.stream(`SELECT encode(concat(line, chr(10))) FROM (${sql})`, [
    ...values,
  ]);
  let pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
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
