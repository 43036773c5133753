import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;

/**
 * Copies a CSV with mixed record ends (CRLF and LF), each record with LF, and gives the copy to `work`. DuckDB's reader
 * needs one kind of end in a file. Text within quotes and any other `\r` stay unchanged.
 *
 * @param copy path of the copy, which is removed in the end
 * @returns null where all records end alike
 */
export async function withLfEndings<T>(
  path: string,
  copy: string,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T | null> {
  let lone = 0;
  let pairs = 0;
  let isQuoted = false;
  let hasReturn = false;
  const alike = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      const kept = Buffer.allocUnsafe(piece.length + 1);
      let length = 0;
      for (const byte of piece) {
        if (hasReturn) {
          hasReturn = false;
          if (byte === NEWLINE) pairs++;
          else kept[length++] = RETURN;
        } else if (byte === NEWLINE && !isQuoted) lone++;
        if (byte === QUOTE) isQuoted = !isQuoted;
        // The next byte shows whether it belongs to the end of a record.
        if (byte === RETURN && !isQuoted) hasReturn = true;
        else kept[length++] = byte;
      }
      yield kept.subarray(0, length);
    }
    if (hasReturn) yield Buffer.from([RETURN]);
  };
  try {
    await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), alike, createWriteStream(copy), {
      signal,
    });
    return lone > 0 && pairs > 0 ? await work(copy) : null;
  } finally {
    await rm(copy, { force: true });
  }
}
