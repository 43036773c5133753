import { type FileHandle, open } from 'node:fs/promises';
import { CrawlhouseError } from './errors.ts';

/** A DuckDB file begins with a main header and two database headers of this size; the blocks follow. */
const HEADER_BYTES = 4096;
const HEADERS = 3;
const FIRST_BLOCK = HEADERS * HEADER_BYTES;
/** The checksum at the start of each header and block, of what follows it. */
const CHECKSUM_BYTES = 8;
/** A metadata block holds so many pieces, each of which names the next one. */
const PIECES = 64;
const NO_POINTER = 2n ** 64n - 1n;
/** About so much is read at a time. */
const READ_BYTES = 1024 * 1024;

/** The header of a DuckDB file as of its last checkpoint. */
interface Layout {
  readonly blockBytes: number;
  readonly blocks: number;
  /** The first block of the list of free blocks. */
  readonly free: bigint;
}

/**
 * Reads every block of a DuckDB file without a writer, and compares it with its stored checksum. DuckDB itself checks
 * only the blocks that a query needs. Free blocks may hold anything, such as an interrupted write.
 *
 * @param name what to call the file where it is damaged
 * @throws CrawlhouseError `damaged_warehouse` naming the first header or block whose checksum differs
 */
export async function verifyBlocks(path: string, signal?: AbortSignal, name = path): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const layout = await readLayout(file, name);
    const { blocks, blockBytes } = layout;
    const wrong: number[] = [];
    const perRead = Math.max(1, Math.floor(READ_BYTES / blockBytes));
    const buffer = Buffer.allocUnsafeSlow(perRead * blockBytes);
    const words = new Int32Array(buffer.buffer);
    const blockWords = blockBytes / 4;
    for (let first = 0; first < blocks; first += perRead) {
      signal?.throwIfAborted();
      const count = Math.min(perRead, blocks - first);
      const bytes = await readAt(file, buffer, FIRST_BLOCK + first * blockBytes, count * blockBytes);
      for (let index = 0; index < count; index++) {
        const isThere = (index + 1) * blockBytes <= bytes;
        if (!isThere || !isSound(words, index * blockWords, blockWords)) wrong.push(first + index);
      }
    }
    if (wrong.length === 0) return;
    const free = await freeBlocks(file, layout, name);
    const used = wrong.find((block) => !free.has(block));
    if (used === undefined) return;
    const at = FIRST_BLOCK + used * blockBytes;
    throw damagedFile(name, `block ${used} of ${blocks}, at byte ${at} of ${size}, has another checksum`);
  } finally {
    await file.close();
  }
}

/** Says that a file of the warehouse is not as it was written. */
export function damagedFile(path: string, what: string, cause?: unknown): CrawlhouseError {
  return new CrawlhouseError('damaged_warehouse', `${path} is damaged: ${what}`, {
    cause,
    hint: 'restore a backup, or move the file away: the next run publishes again. Check the disk',
  });
}

async function readLayout(file: FileHandle, path: string): Promise<Layout> {
  const buffer = Buffer.allocUnsafeSlow(FIRST_BLOCK);
  const bytes = await readAt(file, buffer, 0, FIRST_BLOCK);
  const words = new Int32Array(buffer.buffer);
  const headerWords = HEADER_BYTES / 4;
  for (let header = 0; header < HEADERS; header++) {
    if (bytes < FIRST_BLOCK || !isSound(words, header * headerWords, headerWords))
      throw damagedFile(path, `header ${header} has another checksum`);
  }
  const [, one, other] = [0, 1, 2].map((header) => {
    const at = header * HEADER_BYTES;
    return {
      iteration: buffer.readBigUInt64LE(at + 8),
      free: buffer.readBigUInt64LE(at + 24),
      blocks: Number(buffer.readBigUInt64LE(at + 32)),
      blockBytes: Number(buffer.readBigUInt64LE(at + 40)),
    };
  });
  if (!one || !other) throw damagedFile(path, 'it has no headers');
  return one.iteration > other.iteration ? one : other;
}

/** Blocks that hold nothing, by DuckDB's own list: pieces of metadata blocks, each naming the next. */
async function freeBlocks(file: FileHandle, layout: Layout, path: string): Promise<Set<number>> {
  const pieceBytes = Math.floor((layout.blockBytes - CHECKSUM_BYTES) / PIECES / 8) * 8;
  const free = new Set<number>();
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  let left: number | undefined;
  for (let pointer = layout.free; pointer !== NO_POINTER && left !== 0; ) {
    const block = Number(pointer & (2n ** 56n - 1n));
    const index = Number(pointer >> 56n);
    const at = FIRST_BLOCK + block * layout.blockBytes + CHECKSUM_BYTES + index * pieceBytes;
    if ((await readAt(file, piece, at, pieceBytes)) < pieceBytes)
      throw damagedFile(path, 'its list of free blocks ends early');
    pointer = piece.readBigUInt64LE(0);
    let next = 8;
    if (left === undefined) {
      left = Number(piece.readBigUInt64LE(next));
      next += 8;
    }
    for (; left > 0 && next < pieceBytes; next += 8, left--) free.add(Number(piece.readBigUInt64LE(next)));
  }
  return free;
}

async function readAt(file: FileHandle, buffer: Buffer, position: number, length: number): Promise<number> {
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return read;
}

/** DuckDB multiplies each 64-bit word by this (`0xbf58476d1ce4e5b9`), and joins the products by XOR, from 5381 on. */
const FACTOR_LOW = 0x1ce4e5b9;
const FACTOR_HIGH = 0xbf58476d;
const FACTOR_LOW_0 = FACTOR_LOW & 0xffff;
const FACTOR_LOW_1 = FACTOR_LOW >>> 16;

/** Does a header or block have its checksum? In 32-bit halves, since BigInt is forty times slower. */
function isSound(words: Int32Array, from: number, count: number): boolean {
  let low = 5381;
  let high = 0;
  for (let index = from + 2; index < from + count; index += 2) {
    const wordLow = words[index] as number;
    const wordHigh = words[index + 1] as number;
    const word0 = wordLow & 0xffff;
    const word1 = wordLow >>> 16;
    low ^= Math.imul(wordLow, FACTOR_LOW);
    // The upper half of the product of both low halves, by 16 bits at a time.
    const middle = (Math.imul(word1, FACTOR_LOW_0) + (Math.imul(word0, FACTOR_LOW_0) >>> 16)) | 0;
    const carried = (Math.imul(word0, FACTOR_LOW_1) + (middle & 0xffff)) | 0;
    const upper = Math.imul(word1, FACTOR_LOW_1) + (middle >>> 16) + (carried >>> 16);
    high ^= (upper + Math.imul(wordLow, FACTOR_HIGH) + Math.imul(wordHigh, FACTOR_LOW)) | 0;
  }
  return low === words[from] && high === words[from + 1];
}
