import { open } from 'node:fs/promises';
import { retriable } from '../time/retry.ts';

const MAGIC = 'PAR1';
/** The footer's length and the magic, at a file's end. */
const TAIL = 8;
/** Bytes of a 64-bit number with seven bits each. */
const LONGEST_NUMBER = 10;
/** The thrift compact type of a 64-bit integer. */
const I64 = 6;

/** Reads the bytes `from` to `to`, the latter exclusive. */
type ReadBytes = (from: number, to: number) => Promise<Buffer>;

/**
 * Reads the number of rows from the bytes of a Parquet file's footer. The count does not depend on the later reader of
 * the file.
 *
 * @param name the file's name in messages
 * @throws CrawlhouseError `cut_short` if the file is not a complete Parquet file
 */
export async function parquetRows(path: string, name: string): Promise<number> {
  await using handle = await open(path, 'r');
  const { size } = await handle.stat();
  return await footerRows(size, name, async (from, to) => {
    const bytes = Buffer.alloc(to - from);
    await handle.read(bytes, 0, bytes.length, from);
    return bytes;
  });
}

/** Reads the number of rows like `parquetRows`, for a file of `size` bytes in any place. */
export async function footerRows(size: number, name: string, read: ReadBytes): Promise<number> {
  const tail = size > TAIL + MAGIC.length ? await read(size - TAIL, size) : Buffer.alloc(TAIL);
  const length = tail.readUInt32LE(0);
  const incomplete = `${name} is not a complete Parquet file`;
  if (tail.toString('latin1', 4) !== MAGIC || length > size - TAIL - MAGIC.length)
    throw retriable('cut_short', `${incomplete}: its footer is missing`);
  const footer = await read(size - TAIL - length, size - TAIL);
  try {
    return numRows(footer);
  } catch (error) {
    throw retriable('cut_short', `${incomplete}: ${(error as Error).message}`, error);
  }
}

/** `FileMetaData.num_rows`: field 3, after the version (1) and the schema (2), in thrift's compact protocol. */
function numRows(footer: Buffer): number {
  const reader = new CompactReader(footer);
  for (let id = 0; ; ) {
    const { type, delta } = reader.fieldHeader();
    if (type === 0) throw new Error('the footer has no num_rows');
    id = delta === 0 ? reader.zigzag() : id + delta;
    if (id === 3 && type === I64) return checked(reader.zigzag());
    reader.skip(type);
  }
}

function checked(rows: number): number {
  if (Number.isSafeInteger(rows) && rows >= 0) return rows;
  throw new Error(`its footer says ${rows} rows`);
}

/** The part of thrift's compact protocol that is needed to skip fields. */
class CompactReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  fieldHeader(): { readonly type: number; readonly delta: number } {
    const byte = this.#byte();
    return { type: byte & 0x0f, delta: byte >> 4 };
  }

  zigzag(): number {
    const value = this.#varint();
    return Number((value >> 1n) ^ -(value & 1n));
  }

  skip(type: number): void {
    // 1, 2: true and false, within the header; 3: a byte; 4–6: numbers; 7: a double; 8: bytes; 9, 10: lists; 12: a struct.
    if (type === 3) this.#at += 1;
    else if (type >= 4 && type <= 6) this.#varint();
    else if (type === 7) this.#at += 8;
    else if (type === 8) this.#skipBytes();
    else if (type === 9 || type === 10) this.#skipList();
    else if (type === 12) this.#skipStruct();
    else if (type !== 1 && type !== 2) throw new Error(`a footer with the thrift type ${type}`);
  }

  #skipBytes(): void {
    const length = Number(this.#varint());
    this.#at += length;
  }

  #skipList(): void {
    const byte = this.#byte();
    const size = byte >> 4 === 15 ? Number(this.#varint()) : byte >> 4;
    const type = byte & 0x0f;
    // In a list, a boolean takes a byte. Each value takes at least a byte, so a size beyond the footer is invalid and
    // would take years.
    if (size > this.#bytes.length) throw new Error(`a list of ${size} values is longer than the footer`);
    for (let index = 0; index < size; index++) this.skip(type <= 2 ? 3 : type);
  }

  #skipStruct(): void {
    for (;;) {
      const { type, delta } = this.fieldHeader();
      if (type === 0) return;
      if (delta === 0) this.zigzag();
      this.skip(type);
    }
  }

  #varint(): bigint {
    let value = 0n;
    for (let index = 0; index < LONGEST_NUMBER; index++) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(index * 7);
      if (byte < 0x80) return value;
    }
    throw new Error('a number of the footer is longer than 64 bits');
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('the footer ends early');
    return byte;
  }
}
