import type { LogSource } from '../../site/logs/log-source.ts';
import { plainText } from '../../site/logs/plain-text.ts';
import { TextDigest } from '../../site/logs/text-digest.ts';
import { formerFile } from './former-files.ts';
import { alikeFiles, type FileStore, type KnownFile } from './known-files.ts';

/** Bytes in which a format is recognised. */
const SAMPLE_BYTES = 256 * 1024;

export interface FileBegin {
  /** The file whose whole text it begins with; null for one that is new. */
  readonly known: KnownFile | null;
  /** Its first lines, one byte a character. */
  readonly sample: string;
}

/** Finds how far a file was read before, under whatever name: the longest text of a known file that it begins with. */
export async function beginOf(source: LogSource, store: FileStore, signal: AbortSignal): Promise<FileBegin> {
  const sample = await textOf(plainText(source, signal), SAMPLE_BYTES);
  const known = await alikeFiles(store, sample);
  const found = known.length === 0 ? null : await longestOf(known, plainText(source, signal), store.secret);
  return { known: found ?? (await formerFile(source, store, signal)), sample };
}

/**
 * The text of a file behind a number of bytes.
 *
 * @param digest of the text before; it is moved over these bytes
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
      let one = byOffset[next];
      one !== undefined && one.offset <= at + piece.length;
      one = byOffset[++next]
    ) {
      digest.take(piece.subarray(from, one.offset - at));
      from = one.offset - at;
      digest.finish();
      if (digest.value() === one.digest) found = one;
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
