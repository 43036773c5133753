import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';

const PIECE = 1 << 18;

export type Compression = 'none' | 'gzip' | 'zstd' | 'bzip2';

const MAGIC: readonly (readonly [Compression, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['bzip2', Buffer.from('BZh', 'latin1')],
];

/** Formats that need unpacking, by their first bytes, with the program that writes their text. */
const PACKED: readonly (readonly [name: string, magic: string, command: string])[] = [
  ['xz', '\xfd7zX', 'xz -dc'],
  ['zip', 'PK\x03\x04', 'unzip -p'],
  ['lz4', '\x04"M\x18', 'lz4 -dc'],
  ['7-Zip', '7z\xbc\xaf', '7z x -so'],
  ['compress', '\x1f\x9d', 'zcat'],
  ['RAR', 'Rar!', 'unrar p -inul'],
];
/** The first entry of an Excel workbook, and the container of those before 2007. */
const WORKBOOK = /^PK[\s\S]{28}(?:\[Content_Types\]|_rels\/|docProps\/|xl\/)/;
const OLD_WORKBOOK = '\xd0\xcf\x11\xe0';
/** Bytes that identify the packing of a file, and contain the mark of a tar archive. */
const HEAD = 512;
const TAR = { at: 257, magic: 'ustar' } as const;

/** Returns the compression of bytes, detected from the first ones. */
export function compressionOf(first: Uint8Array): Compression {
  const head = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  return MAGIC.find(([, magic]) => head.subarray(0, magic.length).equals(magic))?.[0] ?? 'none';
}

/**
 * Yields the decompressed text for any supported compression. Several gzip members or zstd frames may follow each
 * other.
 *
 * @throws CrawlhouseError `contract_broken` for a truncated or damaged file, `usage` for an unsupported format
 */
export async function* decompress(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const pieces = buffersOf(bytes);
  try {
    const first = await beginOf(pieces, HEAD);
    const compression = compressionOf(first);
    refusePacked(name, first.toString('latin1', 0, HEAD));
    const whole = joined(first, pieces);
    if (compression === 'none') yield* whole;
    else if (compression === 'bzip2') yield* throughBzip2(name, whole, signal);
    else yield* throughZlib(name, compression, whole, signal);
  } finally {
    await pieces.return(undefined);
  }
}

/** @throws CrawlhouseError `usage` for a file that is not a text, with a command that writes its text */
export function refusePacked(name: string, head: string): void {
  if (WORKBOOK.test(head) || head.startsWith(OLD_WORKBOOK))
    throw new CrawlhouseError('usage', `${name} is an Excel workbook, not a log`, {
      hint: "add the server's original file, or save the sheet as CSV and add it",
    });
  const packed = PACKED.find(([, magic]) => head.startsWith(magic));
  const isTar = head.startsWith(TAR.magic, TAR.at);
  if (packed === undefined && !isTar) return;
  const [what, , command] = packed ?? ['tar', '', 'tar -xOf'];
  throw new CrawlhouseError('usage', `${name} is compressed with ${what}, which crawlhouse cannot read`, {
    hint: `unpack it first, or: ${command} ${shellWord(name)} | crawlhouse logs add -`,
  });
}

async function* buffersOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of pieces)
    yield Buffer.from(buffer, byteOffset, byteLength);
}

/** Returns the first pieces of a text joined, up to a number of bytes. */
export async function beginOf(pieces: AsyncGenerator<Buffer>, bytes: number): Promise<Buffer> {
  let first: Buffer = Buffer.alloc(0);
  while (first.length < bytes) {
    const next = await pieces.next();
    if (next.done) break;
    first = first.length === 0 ? next.value : Buffer.concat([first, next.value]);
  }
  return first;
}

/** Returns a text whose beginning was read before. */
export async function* joined(first: Buffer, pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    yield* pieces;
  } finally {
    await pieces.return(undefined);
  }
}

/**
 * Decompresses with Node's decoder, which may end where a frame or member ends within a piece. The unread rest then
 * begins the next one.
 */
async function* throughZlib(
  name: string,
  compression: 'gzip' | 'zstd',
  bytes: AsyncGenerator<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const options = { chunkSize: PIECE };
  let rest = await nextPiece(bytes);
  for (let isFirst = true; rest !== null; isFirst = false) {
    signal.throwIfAborted();
    // Tapes and copies of whole blocks pad with zeros.
    if (!isFirst) rest = await withoutPadding(rest, bytes);
    if (rest === null) return;
    const stream = compression === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
    const feed = async (): Promise<void> => {
      while (rest !== null) {
        const before = stream.bytesWritten;
        await write(stream, rest);
        rest = rest.subarray(stream.bytesWritten - before);
        if (rest.length > 0) return;
        rest = await nextPiece(bytes);
      }
      stream.end();
    };
    const fed = feed();
    // An error of the stream ends the loop below; one of the bytes has to end the stream.
    fed.catch((error: unknown) => stream.destroy(error as Error));
    try {
      for await (const piece of stream) yield piece as Buffer;
      await fed;
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof CrawlhouseError) throw cause;
      const hasBegun = isFirst || stream.bytesWritten > 0;
      throw damaged(name, compression, hasBegun ? cause : new Error('other bytes follow its end'));
    } finally {
      stream.destroy();
    }
  }
}

async function withoutPadding(piece: Buffer, bytes: AsyncGenerator<Buffer>): Promise<Buffer | null> {
  for (let rest: Buffer | null = piece; rest !== null; rest = await nextPiece(bytes)) {
    const begin = rest.findIndex((byte) => byte !== 0);
    if (begin >= 0) return rest.subarray(begin);
  }
  return null;
}

async function nextPiece(bytes: AsyncGenerator<Buffer>): Promise<Buffer | null> {
  for (;;) {
    const { done, value } = await bytes.next();
    if (done) return null;
    if (value.length > 0) return value;
  }
}

/** Writes a piece. A decoder that ends within the piece no longer responds. */
function write(stream: Gunzip | ZstdDecompress, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('end', resolve);
    stream.write(piece, (error) => {
      stream.off('end', resolve);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Decompresses with the program bzip2, which is usually installed on machines with such files. */
async function* throughBzip2(
  name: string,
  bytes: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const child = spawn('bzip2', ['-dc'], { stdio: ['pipe', 'pipe', 'pipe'], signal });
  const ended = once(child, 'close');
  // Thrown by the later await.
  ended.catch(() => {});
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const fed = pipeline(Readable.from(bytes, { objectMode: false }), child.stdin);
  // A program that ends early breaks the pipe; its own message gives the reason.
  const broken = fed.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const piece of child.stdout) yield piece as Buffer;
    const [code] = (await ended) as [number | null];
    const cause = await broken;
    const words = said.join('').trim();
    // It ignores bytes after a stream, prints a warning, and ends with 0.
    const why = /trailing garbage/.test(words) ? 'other bytes follow its end' : words;
    if (code !== 0 || cause !== undefined || words !== '')
      throw damaged(name, 'bzip2', cause instanceof CrawlhouseError ? cause : new Error(why));
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CrawlhouseError(
      'usage',
      `${name}: reading it needs the program bzip2, which is not installed`,
      { hint: 'install bzip2, or unpack the file first' },
    );
  } finally {
    child.kill();
  }
}

function damaged(name: string, compression: Compression, cause: unknown): CrawlhouseError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CrawlhouseError(
    'contract_broken',
    `${name}: the ${compression} file is cut or damaged: ${why}`,
    { hint: 'copy the file again; none of its lines were added', cause },
  );
}
