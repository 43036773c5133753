import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CrawlhouseError } from '../errors/errors.ts';

/** A DuckDB file begins with a main header and two database headers of this size, followed by the blocks. */
const HEADER_BYTES = 4096;
const HEADERS = 3;
export const FIRST_BLOCK = HEADERS * HEADER_BYTES;
/** The checksum at the start of each header and block, over the bytes that follow it. */
const CHECKSUM_BYTES = 8;
/** Pieces per metadata block, each of which begins with a pointer to the next one. */
const PIECES = 64;
const POINTER_BYTES = 8;
const NO_POINTER = 2n ** 64n - 1n;
/** Approximate bytes per read. */
const READ_BYTES = 1024 * 1024;

/** The header of a DuckDB file at its last checkpoint. */
interface Header {
  readonly iteration: bigint;
  readonly blockBytes: number;
  readonly blocks: number;
  /** The start of the lists of free blocks and of metadata. */
  readonly lists: bigint;
}

/** A DuckDB file at its last checkpoint. */
export interface DatabaseState extends Omit<Header, 'lists'> {
  /** Unused blocks. DuckDB writes to these, and to new ones, until the next checkpoint. */
  readonly free: ReadonlySet<number>;
  /** Blocks of metadata. DuckDB also writes to blocks of metadata that are in use. */
  readonly metadata: readonly number[];
}

export interface BlockSet {
  has(block: number): boolean;
}

/** Consecutive blocks in use, with their bytes, valid until the next read. */
interface BlockRun {
  readonly first: number;
  readonly position: number;
  readonly bytes: Buffer;
  /** The first block whose checksum differs. */
  readonly damaged: number | undefined;
}

/**
 * Reads the blocks of a DuckDB file that has no writer, and compares each block with its stored checksum. DuckDB itself
 * checks only the blocks that a query needs. Free blocks may contain anything, such as an interrupted write.
 *
 * @param name the file's name in the error
 * @param only the blocks to read; default: all
 * @throws CrawlhouseError `damaged_warehouse` naming the first header or block whose checksum differs
 */
export async function verifyBlocks(
  path: string,
  signal?: AbortSignal,
  name = path,
  only?: BlockSet,
): Promise<void> {
  await using file = await open(path, 'r');
  const state = readState(file.fd, name);
  for await (const run of usedBlocks(file, state, only, signal)) {
    if (run.damaged !== undefined) throw damagedBlock(name, state, run.damaged);
  }
}

/** Yields the used blocks of a file in consecutive runs; with `only`, just those blocks. */
export async function* usedBlocks(
  file: FileHandle,
  { blocks, blockBytes, free }: DatabaseState,
  only?: BlockSet,
  signal?: AbortSignal,
): AsyncGenerator<BlockRun> {
  const perRead = Math.max(1, Math.floor(READ_BYTES / blockBytes));
  const buffer = Buffer.allocUnsafeSlow(perRead * blockBytes);
  const words = new Int32Array(buffer.buffer);
  const blockWords = blockBytes / 4;
  const isMeant = (block: number): boolean =>
    block < blocks && !free.has(block) && (only === undefined || only.has(block));
  for (let first = 0; first < blocks; first++) {
    if (!isMeant(first)) continue;
    signal?.throwIfAborted();
    let count = 1;
    while (count < perRead && isMeant(first + count)) count++;
    const position = FIRST_BLOCK + first * blockBytes;
    const read = await readAt(file, buffer, position, count * blockBytes);
    let damaged: number | undefined;
    for (let index = 0; index < count && damaged === undefined; index++) {
      const isThere = (index + 1) * blockBytes <= read;
      if (!isThere || !isSound(words, index * blockWords, blockWords)) damaged = first + index;
    }
    yield { first, position, bytes: buffer.subarray(0, count * blockBytes), damaged };
    first += count - 1;
  }
}

export function damagedFile(path: string, what: string, cause?: unknown): CrawlhouseError {
  return new CrawlhouseError('damaged_warehouse', `${path} is damaged: ${what}`, { cause });
}

export function damagedBlock(
  path: string,
  { blocks, blockBytes }: Pick<DatabaseState, 'blocks' | 'blockBytes'>,
  block: number,
): CrawlhouseError {
  const [at, size] = [block, blocks].map((number) => FIRST_BLOCK + number * blockBytes);
  return damagedFile(path, `block ${block} of ${blocks}, at byte ${at} of ${size}, has another checksum`);
}

/**
 * Reads the state of a DuckDB file. The file must have no writer, or this process must be its writer and run no
 * statement.
 *
 * @throws CrawlhouseError `damaged_warehouse` when its headers or lists are damaged
 */
export function readState(fd: number, path: string): DatabaseState {
  const { lists, ...header } = readHeader(fd, path);
  const bytes = readPieces(fd, header, lists, path);
  let at = 0;
  const next = (): number => {
    if (at + 8 > bytes.length) throw damagedFile(path, 'its list of free blocks ends early');
    at += 8;
    return Number(bytes.readBigUInt64LE(at - 8));
  };
  const free = new Set<number>();
  for (let left = next(); left > 0; left--) free.add(next());
  // Blocks that several tables share, each with its 32-bit number.
  for (let left = next(); left > 0; left--) {
    next();
    at += 4;
  }
  const metadata: number[] = [];
  for (let left = next(); left > 0; left--) {
    metadata.push(next());
    // A bit mask of its free pieces.
    next();
  }
  return { ...header, free, metadata };
}

export function readIteration(fd: number, path: string): bigint {
  return readHeader(fd, path).iteration;
}

function readHeader(fd: number, path: string): Header {
  const buffer = Buffer.allocUnsafeSlow(FIRST_BLOCK);
  const bytes = readSync(fd, buffer, 0, FIRST_BLOCK, 0);
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
      lists: buffer.readBigUInt64LE(at + 24),
      blocks: Number(buffer.readBigUInt64LE(at + 32)),
      blockBytes: Number(buffer.readBigUInt64LE(at + 40)),
    };
  });
  if (!one || !other) throw damagedFile(path, 'it has no headers');
  return one.iteration > other.iteration ? one : other;
}

/** Returns the joined contents of the metadata pieces from the given one on. Their blocks are verified. */
function readPieces(fd: number, header: Omit<Header, 'lists'>, from: bigint, path: string): Buffer {
  const { blockBytes } = header;
  const pieceBytes = Math.floor((blockBytes - CHECKSUM_BYTES) / PIECES / 8) * 8;
  const blocks = new Map<number, Buffer>();
  const pieces: Buffer[] = [];
  for (let pointer = from; pointer !== NO_POINTER; ) {
    const number = Number(pointer & (2n ** 56n - 1n));
    const block = blocks.get(number) ?? Buffer.allocUnsafeSlow(blockBytes);
    if (!blocks.has(number)) {
      const read = readSync(fd, block, 0, blockBytes, FIRST_BLOCK + number * blockBytes);
      if (read < blockBytes || !isSound(new Int32Array(block.buffer), 0, blockBytes / 4))
        throw damagedBlock(path, header, number);
      blocks.set(number, block);
    }
    const at = CHECKSUM_BYTES + Number(pointer >> 56n) * pieceBytes;
    pieces.push(block.subarray(at + POINTER_BYTES, at + pieceBytes));
    pointer = block.readBigUInt64LE(at);
    if (pieces.length > PIECES * blocks.size) throw damagedFile(path, 'its list of free blocks has no end');
  }
  return Buffer.concat(pieces);
}

export async function readAt(
  file: FileHandle,
  buffer: Buffer,
  position: number,
  length: number,
): Promise<number> {
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, position + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return read;
}

/**
 * DuckDB multiplies each 64-bit word by this (`0xbf58476d1ce4e5b9`), and combines the products by XOR, starting at
 * 5381.
 */
const FACTOR_LOW = 0x1ce4e5b9;
const FACTOR_HIGH = 0xbf58476d;
const FACTOR_LOW_0 = FACTOR_LOW & 0xffff;
const FACTOR_LOW_1 = FACTOR_LOW >>> 16;

/** Checks the checksum of a header or block. It uses 32-bit halves, because BigInt is 40 times slower. */
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

/**
 * The blocks of a DuckDB file that may have been written since one of its checkpoints. DuckDB never writes to a block
 * that the last checkpoint uses. It uses free blocks, or new blocks at the end of the file. Only metadata is written in
 * place. So only the free blocks and the metadata of every checkpoint since then can differ.
 *
 * Checksums do not show which blocks changed, because DuckDB's checksums do not depend on the order of values in a
 * block.
 */
export class ChangedBlocks implements BlockSet {
  #from: number;
  readonly #blocks: Set<number>;

  /** @param state after which nothing was written; `add` each later one */
  constructor(state: DatabaseState);
  constructor(from: number, blocks: Iterable<number>);
  constructor(start: DatabaseState | number, blocks: Iterable<number> = []) {
    this.#blocks = new Set(blocks);
    this.#from = typeof start === 'number' ? start : start.blocks;
    if (typeof start !== 'number') this.add(start);
  }

  /** Adds the blocks that may be written from a checkpoint until the next one. */
  add({ blocks, free, metadata }: DatabaseState): void {
    this.#from = Math.min(this.#from, blocks);
    for (const block of free) this.#blocks.add(block);
    for (const block of metadata) this.#blocks.add(block);
  }

  has(block: number): boolean {
    return block >= this.#from || this.#blocks.has(block);
  }

  toJSON(): { from: number; blocks: number[] } {
    return { from: this.#from, blocks: [...this.#blocks].filter((block) => block < this.#from) };
  }
}
