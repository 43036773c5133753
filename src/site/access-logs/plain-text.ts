import { bytesAsCharacters, openDecoder, type Utf16, utf16Of } from '../../core/text/encodings.ts';
import { beginOf, decompress, joined, refusePacked } from './decompress.ts';
import type { LogSource } from './log-source.ts';

const NUL = 0;
const NEWLINE = 10;
/** Blocks are compared natively. */
const NULS = Buffer.alloc(4096);
const [SPACE, QUOTE, BACKSLASH, OPEN, CLOSE] = [32, 34, 92, 123, 125];

/**
 * Returns the text of a file from its first byte: unpacked, in UTF-8 or as raw bytes, without a byte order mark and
 * without the NUL bytes that a truncating copy leaves before a line. Each record of a JSON array is a line, and so is a
 * record that spans several lines.
 */
export async function* plainText(source: LogSource, signal: AbortSignal): AsyncGenerator<Buffer> {
  const pieces = decompress(source.name, source.open(0, signal), signal);
  const first = await beginOf(pieces, BEGIN);
  if (first.length === 0) return;
  refusePacked(source.name, first.toString('latin1', 0, BEGIN));
  const encoding = utf16Of(first);
  const whole =
    encoding === null ? withoutNuls(joined(first, pieces)) : decoded(joined(first, pieces), encoding);
  const head = await beginOf(whole, BEGIN);
  const bare = head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? head.subarray(3) : head;
  const text = joined(bare, whole);
  yield* /^\s*(?:\[\s*\{|\{\s*\n)/.test(bytesAsCharacters(bare.subarray(0, 256))) ? recordLines(text) : text;
}

/** Returns whether a string without characters contains bytes. */
export async function isOfNuls(source: LogSource, signal: AbortSignal): Promise<boolean> {
  for await (const piece of decompress(source.name, source.open(0, signal), signal))
    if (piece.length > 0) return piece[0] === NUL;
  return false;
}

/** Number of first bytes that reveal the encoding, and a tar archive within packed data. */
const BEGIN = 512;

async function* decoded(pieces: AsyncGenerator<Buffer>, encoding: Utf16): AsyncGenerator<Buffer> {
  const decoder = openDecoder(encoding);
  for await (const piece of pieces) yield Buffer.from(decoder.decode(piece, { stream: true }));
  yield Buffer.from(decoder.decode());
}

async function* withoutNuls(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let isLineBegin = true;
  for await (const whole of pieces) {
    const piece: Buffer = isLineBegin ? whole.subarray(leadingNuls(whole)) : whole;
    if (piece.length === 0) continue;
    if (!piece.includes(NUL)) {
      isLineBegin = piece.at(-1) === NEWLINE;
      yield piece;
      continue;
    }
    const kept = Buffer.allocUnsafe(piece.length);
    let length = 0;
    for (const byte of piece) {
      if (byte === NUL && isLineBegin) continue;
      isLineBegin = byte === NEWLINE;
      kept[length++] = byte;
    }
    yield kept.subarray(0, length);
  }
}

function leadingNuls(piece: Buffer): number {
  let at = 0;
  while (NULS.equals(piece.subarray(at, at + NULS.length))) at += NULS.length;
  while (piece[at] === NUL) at += 1;
  return at;
}

/** Returns the objects of JSON arrays or sequences, each on its own line. */
async function* recordLines(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let [depth, isText, isEscaped] = [0, false, false];
  for await (const piece of pieces) {
    const lines = Buffer.allocUnsafe(piece.length * 2);
    let length = 0;
    for (const byte of piece) {
      if (depth === 0 && byte !== OPEN) continue;
      lines[length++] = Math.max(byte, SPACE);
      if (isEscaped) isEscaped = false;
      else if (isText) [isEscaped, isText] = [byte === BACKSLASH, byte !== QUOTE];
      else if (byte === QUOTE) isText = true;
      else if (byte === OPEN) depth += 1;
      else if (byte === CLOSE && --depth === 0) lines[length++] = NEWLINE;
    }
    if (length > 0) yield lines.subarray(0, length);
  }
}
