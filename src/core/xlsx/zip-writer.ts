import { crc32, createDeflateRaw } from 'node:zlib';
import { CrawlhouseError } from '../errors/errors.ts';

/** Writes bytes; resolves when the receiver can take the next ones. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** A ZIP archive without its 64-bit extension, which spreadsheets do not read reliably. */
const MOST_BYTES = 0xffff_ffff;
/** UTF-8 names; sizes and checksum follow the data. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const VERSION = 20;
/** 1980-01-01: equal content makes equal files. */
const DAY = 0x21;

interface Written {
  readonly name: Buffer;
  readonly offset: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

/** Writes a ZIP archive from its first byte to its last, one file at a time, in memory that does not depend on sizes. */
export class ZipWriter {
  readonly #write: WriteBytes;
  readonly #files: Written[] = [];
  #offset = 0;

  constructor(write: WriteBytes) {
    this.#write = write;
  }

  /** Begins a file. The next one may begin after `end`. */
  async begin(path: string): Promise<ZipFile> {
    const [name, offset] = [Buffer.from(path), this.#offset];
    await this.#send(
      numbers(
        [0x04034b50, 4],
        [VERSION, 2],
        [FLAGS, 2],
        [DEFLATED, 2],
        [0, 2],
        [DAY, 2],
        [0, 4],
        [0, 4],
        [0, 4],
      ),
      numbers([name.length, 2], [0, 2]),
      name,
    );
    return new ZipFile(
      (bytes) => this.#send(bytes),
      async ({ crc, packed, size }) => {
        await this.#send(numbers([0x08074b50, 4], [crc, 4], [packed, 4], [size, 4]));
        this.#files.push({ name, offset, crc, packed, size });
      },
    );
  }

  /** Writes the list of the files. */
  async end(): Promise<void> {
    const begin = this.#offset;
    for (const { name, offset, crc, packed, size } of this.#files)
      await this.#send(
        numbers([0x02014b50, 4], [VERSION, 2], [VERSION, 2], [FLAGS, 2], [DEFLATED, 2], [0, 2], [DAY, 2]),
        numbers(
          [crc, 4],
          [packed, 4],
          [size, 4],
          [name.length, 2],
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 4],
          [offset, 4],
        ),
        name,
      );
    const [count, size] = [this.#files.length, this.#offset - begin];
    await this.#send(
      numbers([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [begin, 4], [0, 2]),
    );
  }

  async #send(...parts: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(parts);
    this.#offset += bytes.length;
    if (this.#offset > MOST_BYTES) throw tooLarge();
    await this.#write(bytes);
  }
}

type Sizes = Pick<Written, 'crc' | 'packed' | 'size'>;

/** A file of an archive, as it grows. */
export class ZipFile {
  readonly #deflate = createDeflateRaw();
  readonly #sent: Promise<void>;
  readonly #ended: (sizes: Sizes) => Promise<void>;
  #crc = 0;
  #packed = 0;
  #size = 0;

  constructor(send: WriteBytes, ended: (sizes: Sizes) => Promise<void>) {
    this.#ended = ended;
    this.#sent = this.#pass(send);
    // The next write, or the end, throws the error.
    this.#sent.catch(() => {});
  }

  /** @throws CrawlhouseError `usage` beyond 4 GB */
  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
    if (this.#size > MOST_BYTES) throw tooLarge();
    await new Promise<void>((resolve) => this.#deflate.write(bytes, () => resolve()));
    if (this.#deflate.destroyed) await this.#sent;
  }

  async end(): Promise<void> {
    this.#deflate.end();
    await this.#sent;
    await this.#ended({ crc: this.#crc, packed: this.#packed, size: this.#size });
  }

  async #pass(send: WriteBytes): Promise<void> {
    for await (const bytes of this.#deflate) {
      this.#packed += bytes.length;
      await send(bytes);
    }
  }
}

/** Numbers in little-endian order, with their bytes. */
function numbers(...list: readonly (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    list.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}

function tooLarge(): CrawlhouseError {
  return new CrawlhouseError('usage', 'a workbook can have at most 4 GB', {
    hint: 'request fewer rows or columns, or use CSV or Parquet',
  });
}
