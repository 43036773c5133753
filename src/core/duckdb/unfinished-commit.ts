import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isOpenSomewhere } from '../files/open-files.ts';

/** The version of a log whose entries each have an 8-byte size and an 8-byte checksum before them. */
const WAL_VERSION = 2;
const ENTRY_HEADER = 16;
/** The log's first entry has no header: its version, the database that it belongs to, and the checkpoint before it. */
const MOST_VERSION_BYTES = 128;
const VERSION_ENTRY = Buffer.from([100, 0, 98, 101, 0, WAL_VERSION]);
const [DATABASE_FIELD, CHECKPOINT_FIELD, END] = [102, 103, 0xffff];
/** An entry begins with the number of its first field, and its type. */
const TYPE_FIELD = 100;
const TYPE_BYTES = 3;
const [CHECKPOINT, FLUSH] = [99, 100];

/**
 * Cuts off the commit that a killed process did not finish from the write-ahead logs of a DuckDB file. DuckDB 1.5 rolls
 * such a commit back when it opens the file, but keeps row groups that were written before the commit
 * (https://github.com/duckdb/duckdb/pull/25931): rows that no load counted. A log in an unknown format stays unchanged,
 * as does one with a checkpoint, which DuckDB completes. The file must have no writer.
 *
 * @returns whether there was such a commit
 */
export async function dropUnfinishedCommit(path: string): Promise<boolean> {
  let isDropped = false;
  for (const log of [`${path}.wal`, `${path}.wal.checkpoint`]) {
    // A program that has the log open, such as DuckDB's shell, is its writer; DuckDB then refuses to open the file.
    if (!existsSync(log) || isOpenSomewhere(log) === true) continue;
    await using file = await open(log, 'r+');
    const end = await endOfCommits(file);
    if (end === undefined) continue;
    await file.truncate(end);
    isDropped = true;
  }
  return isDropped;
}

/** @returns the position after the last finished commit; undefined if nothing follows it, or if the log is not understood */
async function endOfCommits(file: FileHandle): Promise<number | undefined> {
  const { size } = await file.stat();
  const first = endOfVersion(await read(file, 0, MOST_VERSION_BYTES));
  if (first === undefined) return undefined;
  let end = first;
  for (let at = first; at < size; ) {
    const header = await read(file, at, ENTRY_HEADER + TYPE_BYTES);
    if (header.length < ENTRY_HEADER + TYPE_BYTES) break;
    const next = at + ENTRY_HEADER + Number(header.readBigUInt64LE(0));
    if (next > size) break;
    const type = header[ENTRY_HEADER + 2];
    if (header.readUInt16LE(ENTRY_HEADER) !== TYPE_FIELD || type === CHECKPOINT) return undefined;
    if (type === FLUSH) end = next;
    at = next;
  }
  return end < size ? end : undefined;
}

/** @returns the position after the log's first entry; undefined for a log of another version */
function endOfVersion(bytes: Buffer): number | undefined {
  if (!bytes.subarray(0, VERSION_ENTRY.length).equals(VERSION_ENTRY)) return undefined;
  let at = VERSION_ENTRY.length;
  // Whole numbers of seven bits a byte; the highest bit says that more follow.
  const number = (): number => {
    let value = 0;
    for (let shift = 0; at < bytes.length; shift += 7) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    return value;
  };
  while (at + 2 <= bytes.length) {
    const field = bytes.readUInt16LE(at);
    at += 2;
    if (field === END) return at;
    if (field === CHECKPOINT_FIELD) number();
    else if (field === DATABASE_FIELD) for (let left = number(); left > 0; left--) number();
    else return undefined;
  }
  return undefined;
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
