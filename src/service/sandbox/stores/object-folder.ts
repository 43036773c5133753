import { randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { type ChecksumName, Digests } from './digests.ts';
import { type IndexedObject, ObjectIndex, type PartedUpload, type UploadedPart } from './object-index.ts';

/** Received bytes, in a file that does not belong to an object yet. */
export interface Received {
  readonly file: string;
  readonly digests: Digests;
}

export type NewObject = Partial<Pick<IndexedObject, 'etag'>> &
  Pick<IndexedObject, 'bucket' | 'key' | 'headers' | 'checksums' | 'parts'>;

/**
 * Buckets and objects on the disk. Bytes are written under a temporary name and renamed once they are complete. The
 * index then names them, and files without an entry are removed. A read that has started continues to its end.
 */
export class ObjectFolder implements Disposable {
  readonly index: ObjectIndex;
  readonly #dir: string;
  #lastGeneration = 0;

  constructor(dir: string) {
    this.#dir = dir;
    for (const name of ['objects', 'incoming']) makeFolder(join(dir, name));
    this.index = new ObjectIndex(join(dir, 'store.sqlite'));
    this.#removeLeftovers();
  }

  /** Creates a bucket if it is missing. */
  ensureBucket(name: string): void {
    this.index.addBucket(name, Date.now());
  }

  /** Returns the keys of the store's account, created if missing. */
  account(): { readonly accessKey: string; readonly secretKey: string } {
    if (this.index.accounts().length === 0)
      this.index.addAccount(
        `SANDBOX${randomBytes(6).toString('hex').toUpperCase()}`,
        randomBytes(24).toString('hex'),
      );
    return this.index.accounts()[0] as { accessKey: string; secretKey: string };
  }

  /** Writes bytes to a new file; a broken body leaves nothing. */
  async receive(body: AsyncIterable<Uint8Array>, checksums: readonly ChecksumName[]): Promise<Received> {
    const incoming = this.newIncoming();
    const digests = new Digests(checksums);
    try {
      const handle = await open(incoming.path, 'wx');
      try {
        for await (const piece of body) {
          digests.update(piece);
          await handle.writeFile(piece);
        }
      } finally {
        await handle.close();
      }
      return await this.keep(incoming.file, digests);
    } catch (error) {
      await rm(incoming.path, { force: true });
      throw error;
    }
  }

  newIncoming(): { readonly file: string; readonly path: string } {
    const file = randomUUID();
    return { file, path: join(this.#dir, 'incoming', file) };
  }

  /** Renames a complete incoming file. */
  async keep(file: string, digests: Digests): Promise<Received> {
    await rename(join(this.#dir, 'incoming', file), this.#path(file));
    return { file, digests };
  }

  /** Drops received bytes that are not needed. */
  async drop(received: Pick<Received, 'file'>): Promise<void> {
    await rm(this.#path(received.file), { force: true });
  }

  /** Makes an object of the received bytes. It replaces an object with the same key. */
  async put({ file, digests }: Received, { etag, ...object }: NewObject): Promise<IndexedObject> {
    const stored: IndexedObject = {
      ...object,
      file,
      size: digests.size,
      etag: etag ?? digests.value('md5').toString('hex'),
      generation: String(this.#nextGeneration()),
      updatedAt: Date.now(),
    };
    const before = this.index.object(object.bucket, object.key);
    this.index.putObject(stored);
    if (before !== undefined) await this.drop(before);
    return stored;
  }

  async delete(object: IndexedObject): Promise<void> {
    this.index.deleteObject(object.bucket, object.key);
    await this.drop(object);
  }

  /** The bytes of an object. The file is opened first, so that a concurrent deletion has no effect. */
  async read(
    object: Pick<IndexedObject, 'file'>,
    range: ServedRange | undefined,
  ): Promise<AsyncIterable<Buffer>> {
    const handle = await open(this.#path(object.file), 'r');
    const { first, last } = range ?? { first: 0, last: Number.POSITIVE_INFINITY };
    return createReadStream('', { fd: handle, start: first, end: last, highWaterMark: 256 * 1024 });
  }

  beginUpload(upload: Omit<PartedUpload, 'id'>): PartedUpload {
    const begun = { ...upload, id: randomBytes(24).toString('base64url') };
    this.index.putUpload(begun);
    return begun;
  }

  async putPart(uploadId: string, number: number, { file, digests }: Received): Promise<UploadedPart> {
    const before = this.index.parts(uploadId).find((part) => part.number === number);
    const part = { number, file, size: digests.size, md5: digests.value('md5').toString('hex') };
    this.index.putPart(uploadId, part);
    if (before !== undefined) await this.drop(before);
    return part;
  }

  /** Returns the bytes of parts, one after the other. */
  async *readParts(parts: readonly UploadedPart[]): AsyncGenerator<Buffer> {
    for (const part of parts) yield* await this.read(part, undefined);
  }

  async endUpload(id: string): Promise<void> {
    const parts = this.index.parts(id);
    this.index.deleteUpload(id);
    for (const part of parts) await this.drop(part);
  }

  #path(file: string): string {
    return join(this.#dir, 'objects', file);
  }

  #nextGeneration(): number {
    this.#lastGeneration = Math.max(Date.now() * 1000, this.#lastGeneration + 1);
    return this.#lastGeneration;
  }

  /** Removes files that a killed sandbox left behind. */
  #removeLeftovers(): void {
    rmSync(join(this.#dir, 'incoming'), { recursive: true });
    makeFolder(join(this.#dir, 'incoming'));
    const known = this.index.files();
    for (const file of readdirSync(join(this.#dir, 'objects')))
      if (!known.has(file)) rmSync(this.#path(file));
  }

  [Symbol.dispose](): void {
    this.index[Symbol.dispose]();
  }
}

/** Bytes of an object, both ends included. */
export interface ServedRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the part of `size` bytes that a Range header requests: `undefined` for all (no header, or one that a server
 * may ignore: RFC 9110 §14.2), `unsatisfiable` if it is beyond the end.
 */
export function byteRange(
  header: string | undefined,
  size: number,
): ServedRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return Number(to) === 0 ? 'unsatisfiable' : rangeOf(Math.max(0, size - Number(to)), size - 1);
  if (to !== '' && Number(to) < Number(from)) return undefined;
  return rangeOf(Number(from), Math.min(size - 1, to === '' ? size - 1 : Number(to)));
}

function rangeOf(first: number, last: number): ServedRange | 'unsatisfiable' {
  return first > last ? 'unsatisfiable' : { first, last };
}
