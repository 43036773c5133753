import { createHash } from 'node:crypto';
import { decompress } from '../../site/access-logs/decompress.ts';
import type { LogSource } from '../../site/access-logs/log-source.ts';
import { plainText } from '../../site/access-logs/plain-text.ts';
import { keyedHash, TextDigest } from '../../site/access-logs/text-digest.ts';
import { alikeFiles, type FileStore, type KnownFile, knownFile } from './known-files.ts';

/** First bytes of a file by which earlier versions identified it. */
const HEAD_BYTES = 4096;
/** Bytes from which a format is recognized. */
const SAMPLE_BYTES = 256 * 1024;

export interface FileBegin {
  /** The file whose whole text it begins with; null for a new one. */
  readonly known: KnownFile | null;
  /** Its first lines, one byte per character. */
  readonly sample: string;
}

/**
 * Finds how far a file was previously read under any name, which is the longest text of a known file that it begins
 * with.
 */
export async function beginOf(source: LogSource, store: FileStore, signal: AbortSignal): Promise<FileBegin> {
  const sample = await textOf(plainText(source, signal), SAMPLE_BYTES);
  const known = await alikeFiles(store, sample);
  const found = known.length === 0 ? null : await longestOf(known, plainText(source, signal), store.secret);
  return { known: found ?? (await formerFile(source, store, signal)), sample };
}

/**
 * Yields the text of a file after the given number of bytes.
 *
 * @param digest of the text before; it is updated with these bytes
 */
export async function* textFrom(
  source: LogSource,
  from: number,
  digest: TextDigest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let left = from;
  for await (const piece of plainText(source, signal)) {
    const before = Math.min(left, piece.length);
    left -= before;
    if (before > 0) digest.take(piece.subarray(0, before));
    if (left === 0 && before > 0) digest.finish();
    if (before < piece.length) yield piece.subarray(before);
  }
}

async function longestOf(
  known: readonly KnownFile[],
  pieces: AsyncGenerator<Uint8Array>,
  secret: string,
): Promise<KnownFile | null> {
  const byOffset = known.toSorted((a, b) => a.offset - b.offset);
  const digest = TextDigest.keyed(secret);
  let found: KnownFile | null = null;
  let [next, at] = [0, 0];
  for await (const piece of pieces) {
    let from = 0;
    for (
      let file = byOffset[next];
      file !== undefined && file.offset <= at + piece.length;
      file = byOffset[++next]
    ) {
      digest.take(piece.subarray(from, file.offset - at));
      from = file.offset - at;
      digest.finish();
      if (digest.value() === file.digest) found = file;
    }
    if (next === byOffset.length) break;
    digest.take(piece.subarray(from));
    at += piece.length;
  }
  return found;
}

async function textOf(pieces: AsyncGenerator<Uint8Array>, bytes: number): Promise<string> {
  let text = '';
  for await (const piece of pieces) {
    text += Buffer.from(piece).toString('latin1');
    if (text.length >= bytes) break;
  }
  return text.slice(0, bytes);
}

/**
 * Returns the file that an earlier version has read and that is the same as this one or its beginning: its first lines
 * and its last read bytes are equal. Such a file is read again as a whole, because its lines have no marks.
 */
async function formerFile(
  source: LogSource,
  { connection, tables, secret }: FileStore,
  signal: AbortSignal,
): Promise<KnownFile | null> {
  const former = await connection.rows(
    `SELECT * FROM ${tables.files} JOIN ${tables.former} USING (id) ORDER BY "offset" DESC`,
  );
  if (former.length === 0) return null;
  const textOf = async (from: number, bytes: number): Promise<string> => {
    let [at, text] = [0, ''];
    for await (const piece of decompress(source.name, source.open(0, signal), signal)) {
      text += piece.toString('latin1', Math.max(0, from - at), from + bytes - at);
      at += piece.length;
      if (at >= from + bytes) break;
    }
    return text;
  };
  const heads = headHashes(await textOf(0, HEAD_BYTES)).map((hash) => keyedHash(secret, hash));
  for (const row of former) {
    if (!heads.includes(String(row.first))) continue;
    const bytes = Number(row.last_bytes);
    const tail = await textOf(Number(row.offset) - bytes, bytes);
    if (keyedHash(secret, hashOf(tail)) === row.last) return knownFile(row);
  }
  return null;
}

/** Hashes of the first lines up to the end of each; if a line is longer, of its beginning. */
function headHashes(head: string): string[] {
  const ends = [...head.matchAll(/\n/g)].map(({ index }) => index + 1);
  return [...ends, head.length].map((end) => hashOf(head.slice(0, end)));
}

function hashOf(bytes: string): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex');
}
