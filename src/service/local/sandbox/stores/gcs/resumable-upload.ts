import { type FileHandle, open, rm } from 'node:fs/promises';
import { Digests } from '../digests.ts';
import type { ObjectFolder, Received } from '../object-folder.ts';
import type { Upload } from './finish-upload.ts';
import { GcsError } from './gcs-error.ts';

/** A resumable upload: bytes arrive in any number of requests, and who lost track asks where to go on. */
export class ResumableUpload {
  readonly upload: Upload;
  readonly bucket: string;
  readonly #folder: ObjectFolder;
  readonly #incoming: { readonly file: string; readonly path: string };
  readonly #digests = new Digests(['md5', 'crc32c']);
  /** Requests of one upload wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: ObjectFolder, bucket: string, upload: Upload) {
    this.upload = upload;
    this.bucket = bucket;
    this.#folder = folder;
    this.#incoming = folder.newIncoming();
  }

  /** Bytes that have arrived. */
  get size(): number {
    return this.#digests.size;
  }

  /**
   * Takes the bytes of a request, as its Content-Range says; what arrived, once that is all of it.
   *
   * @throws GcsError for a range that does not go on where the last one ended
   */
  take(body: AsyncIterable<Buffer>, contentRange: string | undefined): Promise<Received | undefined> {
    const taken = this.#turn.then(() => this.#take(body, contentRange));
    // The sender of these bytes gets the error.
    this.#turn = taken.catch(() => {});
    return taken;
  }

  async #take(body: AsyncIterable<Buffer>, contentRange: string | undefined): Promise<Received | undefined> {
    const range = parseRange(contentRange);
    if (range.first !== undefined) await this.#append(body, range.first);
    const total = contentRange === undefined || range.open ? this.size : range.total;
    if (total === undefined || this.size < total) return undefined;
    if (this.size > total) throw new GcsError(400, `${this.size} bytes have arrived, more than ${total}`);
    if (this.size === 0) await this.#append([], 0);
    return this.#folder.keep(this.#incoming.file, this.#digests);
  }

  async #append(body: AsyncIterable<Buffer> | Iterable<Buffer>, first: number): Promise<void> {
    if (first > this.size) throw new GcsError(503, `bytes from ${this.size} on are missing`);
    let known = this.size - first;
    const handle: FileHandle = await open(this.#incoming.path, 'a');
    try {
      for await (const piece of body) {
        const fresh = piece.subarray(known);
        known = Math.max(0, known - piece.length);
        await handle.writeFile(fresh);
        this.#digests.update(fresh);
      }
    } finally {
      await handle.close();
    }
  }

  async cancel(): Promise<void> {
    await rm(this.#incoming.path, { force: true });
  }
}

interface ContentRange {
  /** Nothing in a question how much has arrived. */
  readonly first: number | undefined;
  /** Nothing while the sender does not know it. */
  readonly total: number | undefined;
  /** `bytes 0-*\/*`: the end of this request is the end of the object. */
  readonly open: boolean;
}

function parseRange(header: string | undefined): ContentRange {
  if (header === undefined) return { first: 0, total: undefined, open: true };
  const [all, bytes = '', first = '', last = '', total = ''] =
    /^bytes ((?:(\d+)-(\d+|\*))|\*)\/(\d+|\*)$/.exec(header) ?? [];
  if (all === undefined) throw new GcsError(400, `Content-Range ${JSON.stringify(header)} is not understood`);
  return {
    first: bytes === '*' ? undefined : Number(first),
    total: total === '*' ? undefined : Number(total),
    open: last === '*',
  };
}
