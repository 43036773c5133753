import { type FileHandle, open } from 'node:fs/promises';
import {
  type BlockSet,
  damagedBlock,
  FIRST_BLOCK,
  readAt,
  readState,
  usedBlocks,
} from './database-blocks.ts';

/** The bytes that a comparison reads of each file. The whole file is compared in rotation. */
const COMPARED_BYTES = 256 * 1024 * 1024;

export interface ComparedBlocks {
  readonly next: number;
  readonly isEqual: boolean;
}

/**
 * Compares a copy with a DuckDB file in some of the blocks that did not change since the copy. Starts at block `next`,
 * and continues with the first block after the last.
 *
 * @throws CrawlhouseError `damaged_warehouse` for a damaged block of the source
 */
export async function compareCopy(
  source: string,
  copy: string,
  { changed, next }: { readonly changed: BlockSet; readonly next: number },
  signal: AbortSignal,
): Promise<ComparedBlocks> {
  await using from = await open(source, 'r');
  await using to = await open(copy, 'r');
  const state = readState(from.fd, source);
  const first = next < state.blocks ? next : 0;
  const end = first + Math.ceil(COMPARED_BYTES / state.blockBytes);
  const some = { has: (block: number) => block >= first && block < end && !changed.has(block) };
  let other = Buffer.alloc(0);
  for await (const { bytes, position, damaged } of usedBlocks(from, state, some, signal)) {
    if (damaged !== undefined) throw damagedBlock(source, state, damaged);
    if (other.length < bytes.length) other = Buffer.allocUnsafeSlow(bytes.length);
    const read = await readAt(to, other, position, bytes.length);
    if (!bytes.equals(other.subarray(0, read))) return { next: first, isEqual: false };
  }
  return { next: end < state.blocks ? end : 0, isEqual: true };
}

/**
 * Updates an earlier copy of a DuckDB file, except for free blocks: it copies the headers and the blocks that may have
 * changed, each with its checksum verified.
 *
 * @returns the number of copied bytes
 * @throws CrawlhouseError `damaged_warehouse` for a damaged block of the source
 */
export async function patchCopy(
  source: string,
  copy: string,
  changed: BlockSet,
  signal: AbortSignal,
): Promise<number> {
  await using from = await open(source, 'r');
  await using to = await open(copy, 'r+');
  const state = readState(from.fd, source);
  let copied = 0;
  for await (const { bytes, position, damaged } of usedBlocks(from, state, changed, signal)) {
    if (damaged !== undefined) throw damagedBlock(source, state, damaged);
    await writeAt(to, bytes, position);
    copied += bytes.length;
  }
  const headers = Buffer.allocUnsafe(FIRST_BLOCK);
  await readAt(from, headers, 0, FIRST_BLOCK);
  await writeAt(to, headers, 0);
  await to.truncate((await from.stat()).size);
  return copied;
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
