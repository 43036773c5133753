import type { Connection } from '../../../core/duckdb.ts';
import { compressionOf, decompress } from '../../logs/decompress.ts';
import type { LogSource } from '../../logs/log-source.ts';
import { HEAD_BYTES } from '../../logs/read-log.ts';
import { alikeFiles, fingerprintOf, type KnownFile } from './known-files.ts';
import type { LogTables } from './log-tables.ts';

/** Bytes in which a format is recognised. */
const SAMPLE_BYTES = 256 * 1024;

/** Where the reading of a file begins. Texts have one byte a character. */
export interface FileBegin {
  /** The file that it continues; null for one that is new. */
  readonly known: KnownFile | null;
  /** Its first bytes. */
  readonly head: string;
  /** The last bytes before the place where reading begins. */
  readonly tail: string;
  /** Its first lines. */
  readonly sample: string;
  /** The text from the place where reading begins. */
  rest(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Finds how far a file was read before, under whatever name. */
export async function beginOf(
  source: LogSource,
  { connection, tables }: { readonly connection: Connection; readonly tables: LogTables },
  signal: AbortSignal,
): Promise<FileBegin> {
  const sample = await textOf(textFrom(source, 0, signal), SAMPLE_BYTES);
  const head = sample.slice(0, HEAD_BYTES);
  for (const known of await alikeFiles(connection, tables, head)) {
    const before = known.offset - known.tail_bytes;
    const tail = await textOf(textFrom(source, before, signal), known.tail_bytes);
    // A shorter copy has nothing that was not read.
    const isShorter = tail.length < known.tail_bytes;
    if (!isShorter && fingerprintOf(tail) !== known.tail) continue;
    const rest = (own: AbortSignal): AsyncIterable<Uint8Array> =>
      isShorter ? nothing() : textFrom(source, known.offset, own);
    return { known, head, tail, sample, rest };
  }
  return { known: null, head, tail: '', sample, rest: (own) => textFrom(source, 0, own) };
}

/** The text of a file from a byte on. Only what is not compressed is opened there. */
async function* textFrom(source: LogSource, from: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (from > 0 && (await isPlain(source, signal))) {
    yield* source.open(from, signal);
    return;
  }
  let left = from;
  for await (const piece of decompress(source.name, source.open(0, signal), signal)) {
    if (piece.length > left) yield piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
}

async function isPlain(source: LogSource, signal: AbortSignal): Promise<boolean> {
  for await (const piece of source.open(0, signal)) return compressionOf(piece) === 'none';
  return true;
}

async function textOf(pieces: AsyncGenerator<Uint8Array>, bytes: number): Promise<string> {
  try {
    return await taken(pieces, bytes);
  } finally {
    await pieces.return(undefined);
  }
}

async function taken(pieces: AsyncGenerator<Uint8Array>, bytes: number): Promise<string> {
  let text = '';
  while (text.length < bytes) {
    const next = await pieces.next();
    if (next.done) break;
    text += Buffer.from(next.value).toString('latin1');
  }
  return text.slice(0, bytes);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
