import { addAbortListener } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type File, Storage } from '@google-cloud/storage';
import { Agent, type Dispatcher } from 'undici';
import type { CrawlhouseError } from '../../core/errors/errors.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../core/time/retry.ts';
import { PageTokens } from '../list-objects.ts';
import type { ByteRange, Checksum, ObjectHashes, ObjectStore, StoredObject } from '../object-store.ts';
import { retryStore } from '../retry-store.ts';
import { isNetworkError, retryAfterMs, type StoreFailure, storeError } from '../store-errors.ts';
import type { NetworkOptions } from '../store-kind.ts';

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
async function abortable<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _stop = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([asked, promise]);
}

/** An error object is short. */
const ERROR_BYTES = 16 * 1024;

/**
 * The content of objects, requested with the SDK's address and credentials, but over our own connection. The SDK's
 * streams take no signal, and a broken one resets all others.
 */
export class GcsMedia implements AsyncDisposable {
  readonly #storage: Storage;
  readonly #bucket: string;
  readonly #agent: Agent;

  constructor(storage: Storage, bucket: string, idleMs: number) {
    this.#storage = storage;
    this.#bucket = bucket;
    this.#agent = new Agent({ connect: { timeout: 10_000 }, headersTimeout: idleMs, bodyTimeout: idleMs });
  }

  async read(
    object: StoredObject,
    range: ByteRange,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const path = `/b/${encodeURIComponent(this.#bucket)}/o/${encodeURIComponent(object.key)}`;
    const url = new URL(`${this.#storage.baseUrl}${path}?alt=media&generation=${object.version}`);
    let answer: Dispatcher.ResponseData;
    try {
      answer = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: {
          ...(await this.#credentials(url)),
          range: `bytes=${range.from}-${range.to - 1}`,
          // As stored: without this, Google decompresses objects with `Content-Encoding: gzip`.
          'accept-encoding': 'gzip',
        },
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw gcsError(error, 'object', object.url, this.#bucket);
    }
    if (answer.statusCode >= 300) {
      const message = await shortText(answer.body);
      const failed = { code: answer.statusCode, message, response: { headers: answer.headers } };
      throw gcsError(failed, 'object', object.url, this.#bucket);
    }
    const generation = answer.headers['x-goog-generation'];
    if (generation !== undefined && generation !== object.version) {
      answer.body.destroy();
      throw gcsError({ code: 412, message: 'another generation' }, 'object', object.url, this.#bucket);
    }
    return this.#bytes(answer.body, object, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async *#bytes(body: Readable, object: StoredObject, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      signal.throwIfAborted();
      throw gcsError(error, 'body', object.url, this.#bucket);
    } finally {
      body.destroy();
    }
  }

  /** The SDK refreshes a token that is about to expire. An emulator's address is asked without. */
  async #credentials(url: URL): Promise<Readonly<Record<string, string>>> {
    if (this.#storage.customEndpoint) return {};
    return { ...(await this.#storage.authClient.getRequestHeaders(url.href)) };
  }
}

async function shortText(body: Readable): Promise<string> {
  let text = '';
  try {
    for await (const piece of body) {
      text += String(piece);
      if (text.length > ERROR_BYTES) break;
    }
  } catch {
    // The status alone says enough.
  }
  return text;
}

/** The common part of the SDK's errors and plain answers. */
interface GcsFailure {
  /** HTTP status, or the code of a system error. */
  readonly code?: number | string;
  /** Google's own error object, as JSON, or a sentence. */
  readonly message?: string;
  readonly errors?: readonly { readonly reason?: string }[];
  readonly response?: { readonly status?: number; readonly headers?: Readonly<Record<string, unknown>> };
}

/** 403 for too many requests, not for missing rights. */
const TOO_FAST = /rateLimitExceeded|userRateLimitExceeded|slow ?down/i;
/** How the SDK words that there are no credentials, or that they are not taken. */
const NO_CREDENTIALS =
  /default credentials|invalid_grant|invalid_client|unauthorized_client|invalid_rapt|private key|credentials? file|does not exist, or it is not a file/i;

/** The error of a request: for a listing, for an object, or for a body that was already coming. */
export function gcsError(
  thrown: unknown,
  asked: 'list' | 'object' | 'body',
  url: string,
  bucket: string,
): CrawlhouseError {
  const error = thrown as GcsFailure;
  const status = statusOf(error);
  const { message, reasons } = said(error);
  return storeError(gcsFailure(thrown, status, `${message} ${reasons}`, asked), {
    url,
    reason: [message, status === undefined ? '' : `(${status})`].filter(Boolean).join(' '),
    setting: 'store_a',
    bucket,
    credentials:
      'credentials come from the standard chain of Google Cloud: GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, or the account of the machine',
    retryAfterMs: retryAfterMs(error.response?.headers?.['retry-after']),
  });
}

function gcsFailure(
  thrown: unknown,
  status: number | undefined,
  text: string,
  asked: 'list' | 'object' | 'body',
): StoreFailure {
  if (asked === 'body') return 'connection';
  if (status === 429 || status === 408 || (status !== undefined && status >= 500)) return 'unavailable';
  if (status === 403 && TOO_FAST.test(text)) return 'unavailable';
  if (status === 401 || status === 403 || NO_CREDENTIALS.test(text)) return 'access';
  if (status === 404 || (status === 400 && asked === 'list' && /bucket name/i.test(text))) {
    return asked === 'list' ? 'no_bucket' : 'changed';
  }
  if (status === 412 || status === 416) return asked === 'list' ? 'refused' : 'changed';
  return status === undefined && isNetworkError(thrown) ? 'connection' : 'refused';
}

function statusOf(error: GcsFailure): number | undefined {
  if (typeof error.code === 'number') return error.code;
  if (typeof error.code === 'string' && /^[1-5]\d\d$/.test(error.code)) return Number(error.code);
  return error.response?.status;
}

/** The store's message, taken from its JSON if it is JSON. */
function said(error: GcsFailure): { readonly message: string; readonly reasons: string } {
  const message = (error.message ?? '').trim();
  const reasons = (error.errors ?? []).map(({ reason }) => reason ?? '');
  try {
    const { error: inner } = JSON.parse(message) as { error?: GcsFailure };
    return {
      message: inner?.message ?? message,
      reasons: [...reasons, ...(inner?.errors ?? []).map(({ reason }) => reason ?? '')].join(' '),
    };
  } catch {
    // The message is not JSON, so it is used unchanged.
    return { message, reasons: reasons.join(' ') };
  }
}
