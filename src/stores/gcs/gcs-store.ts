import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type File, Storage } from '@google-cloud/storage';
import { DEFAULT_RETRY, type RetryPolicy } from '../../core/time/retry.ts';
import { PageTokens } from '../list-objects.ts';
import type { ByteRange, Checksum, ObjectHashes, ObjectStore, StoredObject } from '../object-store.ts';
import { retryStore } from '../retry-store.ts';
import type { NetworkOptions } from '../store-kind.ts';
import { gcsError } from './gcs-errors.ts';
import { GcsMedia } from './gcs-media.ts';

export interface GcsOptions extends NetworkOptions {
  readonly bucket: string;
  /** The address of an emulator, which is used without credentials. Default: Google's own. */
  readonly endpoint?: string | undefined;
}

/** Objects in a page of a listing: Google's maximum, which an emulator gives only on request. */
const PAGE = 1000;
/** Above this an upload can be taken up where it broke. */
const RESUMABLE_BYTES = 16 * 1024 * 1024;

/** `store_a`: a bucket of Google Cloud Storage. Credentials come from Google's standard chain. */
export class GcsStore implements ObjectStore {
  readonly #storage: Storage;
  readonly #media: GcsMedia;
  readonly #bucket: string;
  readonly #retry: RetryPolicy;

  constructor(options: GcsOptions) {
    const idleMs = options.idleMs ?? 60_000;
    this.#bucket = options.bucket;
    this.#retry = options.retry ?? DEFAULT_RETRY;
    this.#storage = new Storage({
      // Only our own retries, so that one policy decides and counts.
      retryOptions: { autoRetry: false },
      timeout: idleMs,
      ...(options.endpoint ? { apiEndpoint: options.endpoint } : {}),
    });
    this.#media = new GcsMedia(this.#storage, this.#bucket, idleMs);
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<StoredObject> {
    const where = this.#url(prefix);
    const tokens = new PageTokens();
    let token: string | undefined;
    do {
      const query = {
        prefix,
        autoPaginate: false,
        maxResults: PAGE,
        ...(token === undefined ? {} : { pageToken: token }),
      };
      const [files, next] = await this.#repeat('list', where, signal, () =>
        this.#storage.bucket(this.#bucket).getFiles(query),
      );
      for (const file of files) yield this.#storedObject(file);
      token = (next as { pageToken?: string } | null | undefined)?.pageToken;
      try {
        if (token !== undefined) tokens.take(token);
      } catch (error) {
        throw gcsError(error, 'list', where, this.#bucket);
      }
    } while (token !== undefined);
  }

  async checksum({ hashes }: StoredObject): Promise<Checksum> {
    if (hashes.md5 !== undefined) return { kind: 'md5', hex: hashes.md5 };
    // An object composed of others has no MD5.
    return hashes.crc32c === undefined ? { kind: 'length' } : { kind: 'crc32c', value: hashes.crc32c };
  }

  read(object: StoredObject, range: ByteRange, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return this.#media.read(object, range, signal);
  }

  async remove(object: StoredObject, signal: AbortSignal): Promise<void> {
    try {
      await this.#repeat('object', object.url, signal, () =>
        this.#storage.bucket(this.#bucket).file(object.key, { generation: object.version }).delete(),
      );
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'object_changed') throw error;
    }
  }

  async put(key: string, file: string, signal: AbortSignal): Promise<void> {
    const { size } = await stat(file);
    await this.#repeat('object', this.#url(key), signal, () => {
      const target = this.#storage.bucket(this.#bucket).file(key);
      const upload = target.createWriteStream({ resumable: size > RESUMABLE_BYTES, validation: 'md5' });
      return pipeline(createReadStream(file), upload, { signal });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#media[Symbol.asyncDispose]();
  }

  #storedObject({ name: key, metadata }: File): StoredObject {
    const url = this.#url(key);
    const { size, generation, md5Hash, crc32c } = metadata;
    if (size === undefined || generation === undefined) {
      throw gcsError(new Error('a listed object lacks size or generation'), 'list', url, this.#bucket);
    }
    const hashes: ObjectHashes = {
      ...(md5Hash ? { md5: Buffer.from(md5Hash, 'base64').toString('hex') } : {}),
      ...(crc32c ? { crc32c: Buffer.from(crc32c, 'base64').readUInt32BE() } : {}),
    };
    return { key, url, size: Number(size), version: String(generation), hashes };
  }

  #url(key: string): string {
    return `gs://${this.#bucket}/${key}`;
  }

  #repeat<T>(asked: 'list' | 'object', url: string, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    const attempt = async (): Promise<T> => {
      try {
        return await abortable(send(), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw gcsError(error, asked, url, this.#bucket);
      }
    };
    return retryStore(attempt, { policy: this.#retry, signal });
  }
}

/** Google's SDK takes no signal: we stop waiting, and its own timeout ends the request. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
