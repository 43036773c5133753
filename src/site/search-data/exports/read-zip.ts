import { type FileHandle, open } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { bytesAsCharacters } from '../../../core/text/encodings.ts';

/** The most members, and bytes of one and of all. An export of a page has seven tables of a thousand rows. */
const MOST_MEMBERS = 100;
const MOST_MEMBER_BYTES = 64 * 1024 * 1024;
const MOST_BYTES = 128 * 1024 * 1024;
const MOST_DIRECTORY_BYTES = 1024 * 1024;
const [END, DIRECTORY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50];
/** The end record without its comment, and the longest comment. */
const END_BYTES = 22;
const COMMENT_BYTES = 65_535;
const [STORED, DEFLATED] = [0, 8];
const ENCRYPTED = 1;
const UTF8 = 1 << 11;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

interface Placed extends Entry {
  /** Where the next member begins, or the file ends. */
  readonly until: number;
}

/**
 * Returns the files of a zip archive, by its central directory. Nothing is written to the disk, and one member at a
 * time is in memory: it is unpacked when its bytes are requested. Sizes are checked before and while a member is
 * unpacked.
 *
 * @throws CrawlhouseError `usage` for an archive that is damaged, encrypted or too large, or that contains paths
 *   outside of it
 */
export async function readZip(path: string) {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const entries = await directory(handle, size, path);
    return placed(entries, size, path)
      .filter(({ name }) => !name.endsWith('/') && !name.startsWith('__MACOSX/'))
      .map((entry) => ({ name: entry.name, bytes: () => unpack(path, entry) }));
  } finally {
    await handle.close();
  }
}

async function directory(handle: FileHandle, size: number, path: string): Promise<Entry[]> {
  const tail = await bytesAt(handle, Math.max(0, size - END_BYTES - COMMENT_BYTES), size, path);
  let at = tail.length - END_BYTES;
  while (
    at >= 0 &&
    !(tail.readUInt32LE(at) === END && at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length)
  )
    at--;
  if (at < 0) throw refused(path, 'its directory is missing or damaged');
  const [disk, start, here, count] = [4, 6, 8, 10].map((field) => tail.readUInt16LE(at + field));
  const [length, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (disk !== 0 || start !== 0 || here !== count) throw refused(path, 'it is one part of several');
  if (count === 0xffff || offset === 0xffffffff) throw refused(path, 'it is larger than an export (zip64)');
  if (Number(count) > MOST_MEMBERS) throw refused(path, `it has ${count} members, more than ${MOST_MEMBERS}`);
  if (length > MOST_DIRECTORY_BYTES || offset + length > size)
    throw refused(path, 'its directory is missing or damaged');
  return entriesOf(await bytesAt(handle, offset, offset + length, path), Number(count), path);
}

function entriesOf(bytes: Buffer, count: number, path: string): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY)
      throw refused(path, 'its directory is missing or damaged');
    const flags = bytes.readUInt16LE(at + 8);
    const [nameLength = 0, extra = 0, comment = 0] = [28, 30, 32].map((field) =>
      bytes.readUInt16LE(at + field),
    );
    const end = at + 46 + nameLength + extra + comment;
    if (end > bytes.length) throw refused(path, 'its directory is missing or damaged');
    // Names in another encoding only serve messages.
    const written = bytes.subarray(at + 46, at + 46 + nameLength);
    const name = flags & UTF8 ? written.toString('utf8') : bytesAsCharacters(written);
    const entry = {
      name,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    };
    if (flags & ENCRYPTED) throw refused(path, `${name} is encrypted`);
    if (isOutside(name)) throw refused(path, `it names the path ${JSON.stringify(name)}`);
    entries.push(entry);
    at = end;
  }
  return entries;
}

/** Returns whether a name would leave the folder that an archive is unpacked into. */
function isOutside(name: string): boolean {
  return name.includes('\0') || /^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes('..');
}

/**
 * Refuses sizes that no export has, and members that share their bytes, which would let a small file expand to a very
 * large one.
 */
function placed(entries: readonly Entry[], size: number, path: string): Placed[] {
  for (const entry of entries) {
    if (entry.size > MOST_MEMBER_BYTES) throw refused(path, `${entry.name} is larger than 64 MiB`);
    if (entry.offset + 30 + entry.packed > size) throw refused(path, `${entry.name} ends beyond the file`);
  }
  if (entries.reduce((sum, entry) => sum + entry.size, 0) > MOST_BYTES)
    throw refused(path, 'its members are larger than 128 MiB together');
  const sorted = entries.toSorted((a, b) => a.offset - b.offset);
  for (const [index, entry] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && entry.offset + 30 + entry.packed > next.offset)
      throw refused(path, `${entry.name} and ${next.name} share their bytes`);
  }
  const next = new Map(sorted.map((entry, index) => [entry, sorted[index + 1]?.offset ?? size]));
  return entries.map((entry) => ({ ...entry, until: next.get(entry) ?? size }));
}

async function unpack(path: string, entry: Placed): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const head = await bytesAt(handle, entry.offset, entry.offset + 30, path);
    if (head.readUInt32LE(0) !== LOCAL) throw refused(path, `${entry.name} is damaged`);
    const start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
    // A member's own header may set another position of its bytes.
    if (start + entry.packed > entry.until) throw refused(path, `${entry.name} shares the bytes of another`);
    const packed = await bytesAt(handle, start, start + entry.packed, path);
    const bytes = inflated(packed, entry, path);
    if (bytes.length !== entry.size || crc32(bytes) !== entry.crc)
      throw refused(path, `${entry.name} is damaged`);
    return bytes;
  } finally {
    await handle.close();
  }
}

function inflated(packed: Buffer, { name, method, size }: Entry, path: string): Buffer {
  if (method === STORED) return packed;
  if (method !== DEFLATED)
    throw refused(path, `${name} is compressed with the method ${method}; only deflate is supported`);
  try {
    // One extra byte shows whether the member is longer than the directory says.
    return inflateRawSync(packed, { maxOutputLength: size + 1 });
  } catch (cause) {
    throw refused(path, `${name} is damaged, or longer than in the directory`, cause);
  }
}

async function bytesAt(handle: FileHandle, from: number, to: number, path: string): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
  if (bytesRead < bytes.length) throw refused(path, 'it ends early');
  return bytes;
}

function refused(path: string, why: string, cause?: unknown): CrawlhouseError {
  return new CrawlhouseError('usage', `${path} is not a readable archive: ${why}`, {
    cause,
    hint: 'export the archive again, or unpack it and add its CSV files',
  });
}
