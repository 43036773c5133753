import { addAbortListener } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type File, Storage } from '@google-cloud/storage';
import { Agent } from 'undici';
import type { CrawlhouseError } from '../../errors/errors.ts';
import { type Asked, NetworkStore, unlessChanged } from '../network-store.ts';
import type { ByteRange, Checksum, ObjectHashes, ObjectStore, StoredObject } from '../object-store.ts';
import { isNetworkError, retryAfterMs, type StoreFailure, storeError } from '../store-errors.ts';
import type { NetworkOptions } from '../store-kind.ts';

export interface GcsOptions extends NetworkOptions {
  readonly bucket: string;
  /** The address of an emulator, which needs no credentials. Default: Google's own. */
  readonly endpoint?: string | undefined;
}

/** Objects per page of a listing: Google's maximum, which an emulator returns only on request. */
const PAGE = 1000;
/** Above this size, a broken upload can be resumed. */
const RESUMABLE_BYTES = 16 * 1024 * 1024;

/** `store_a`: a bucket of Google Cloud Storage. Credentials come from Google's standard chain. */
export class GcsStore extends NetworkStore implements ObjectStore {
  readonly #storage: Storage;
  /**
   * For the content of objects, requested with the SDK's address and credentials. The SDK's streams accept no signal,
   * and a broken stream resets all others.
   */
  readonly #agent: Agent;
  readonly #bucket: string;

  constructor(options: GcsOptions) {
    super(options.retry);
    const idleMs = options.idleMs ?? 60_000;
    this.#bucket = options.bucket;
    this.#storage = new Storage({
      // Only our own retries, so that one policy applies.
      retryOptions: { autoRetry: false },
      timeout: idleMs,
      ...(options.endpoint ? { apiEndpoint: options.endpoint } : {}),
    });
    this.#agent = new Agent({ connect: { timeout: 10_000 }, headersTimeout: idleMs, bodyTimeout: idleMs });
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<StoredObject> {
    const ask = (pageToken: string | undefined) => {
      const query = { prefix, autoPaginate: false, maxResults: PAGE };
      return this.#storage
        .bucket(this.#bucket)
        .getFiles(pageToken === undefined ? query : { ...query, pageToken });
    };
    const tokenOf = ([, next]: Awaited<ReturnType<typeof ask>>) =>
      (next as { pageToken?: string } | null | undefined)?.pageToken;
    for await (const [files] of this.pages(this.url(prefix), signal, ask, tokenOf))
      for (const file of files) yield this.#storedObject(file);
  }

  async checksum({ hashes }: StoredObject): Promise<Checksum> {
    if (hashes.md5 !== undefined) return { kind: 'md5', hex: hashes.md5 };
    // An object composed of others has no MD5.
    return hashes.crc32c === undefined ? { kind: 'length' } : { kind: 'crc32c', value: hashes.crc32c };
  }

  async read(
    object: StoredObject,
    range: ByteRange,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const path = `/b/${encodeURIComponent(this.#bucket)}/o/${encodeURIComponent(object.key)}`;
    const url = new URL(`${this.#storage.baseUrl}${path}?alt=media&generation=${object.version}`);
    const answer = await this.once('object', object.url, signal, async () =>
      this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: {
          ...(await this.#credentials(url)),
          range: `bytes=${range.from}-${range.to - 1}`,
          // As stored: otherwise Google decompresses objects with `Content-Encoding: gzip`.
          'accept-encoding': 'gzip',
        },
        signal,
      }),
    );
    if (answer.statusCode >= 300) {
      const message = await shortText(answer.body);
      const failed = { code: answer.statusCode, message, response: { headers: answer.headers } };
      throw this.error(failed, 'object', object.url);
    }
    const generation = answer.headers['x-goog-generation'];
    if (generation !== undefined && generation !== object.version) {
      answer.body.destroy();
      throw this.error({ code: 412, message: 'another generation' }, 'object', object.url);
    }
    return this.bytes(answer.body, object, signal);
  }

  /**
   * Returns the headers with credentials. The SDK refreshes a token that is about to expire. Requests to an emulator
   * contain no credentials.
   */
  async #credentials(url: URL): Promise<Readonly<Record<string, string>>> {
    if (this.#storage.customEndpoint) return {};
    return { ...(await this.#storage.authClient.getRequestHeaders(url.href)) };
  }

  remove({ key, url, version }: StoredObject, signal: AbortSignal): Promise<void> {
    return unlessChanged(() =>
      this.repeat('object', url, signal, () =>
        this.#storage.bucket(this.#bucket).file(key, { generation: version }).delete(),
      ),
    );
  }

  async put(key: string, file: string, signal: AbortSignal): Promise<void> {
    const { size } = await stat(file);
    await this.repeat('object', this.url(key), signal, () => {
      const target = this.#storage.bucket(this.#bucket).file(key);
      const upload = target.createWriteStream({ resumable: size > RESUMABLE_BYTES, validation: 'md5' });
      return pipeline(createReadStream(file), upload, { signal });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #storedObject({ name: key, metadata }: File): StoredObject {
    const url = this.url(key);
    const { size, generation, md5Hash, crc32c } = metadata;
    if (size === undefined || generation === undefined) {
      throw this.error(new Error('a listed object lacks size or generation'), 'list', url);
    }
    const hashes: ObjectHashes = {
      ...(md5Hash ? { md5: Buffer.from(md5Hash, 'base64').toString('hex') } : {}),
      ...(crc32c ? { crc32c: Buffer.from(crc32c, 'base64').readUInt32BE() } : {}),
    };
    return { key, url, size: Number(size), version: String(generation), hashes };
  }

  url(key: string): string {
    return `gs://${this.#bucket}/${key}`;
  }

  protected error(thrown: unknown, asked: Asked, url: string): CrawlhouseError {
    return gcsError(thrown, asked, url, this.#bucket);
  }

  protected override once<T>(
    asked: Asked,
    url: string,
    signal: AbortSignal,
    send: () => Promise<T>,
  ): Promise<T> {
    return super.once(asked, url, signal, () => abortable(send(), signal));
  }
}

/** Stops waiting when the signal aborts, because Google's SDK accepts no signal. The SDK's timeout ends the request. */
async function abortable<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _stop = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([asked, promise]);
}

/** An error object is short. */
const ERROR_BYTES = 16 * 1024;

async function shortText(body: Readable): Promise<string> {
  let text = '';
  try {
    for await (const piece of body) {
      text += String(piece);
      if (text.length > ERROR_BYTES) break;
    }
  } catch {
    // The status alone is enough.
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

/** A 403 for too many requests, not for missing permissions. */
const TOO_FAST = /rateLimitExceeded|userRateLimitExceeded|slow ?down/i;
/** The SDK's messages for missing or refused credentials. */
const NO_CREDENTIALS =
  /default credentials|invalid_grant|invalid_client|unauthorized_client|invalid_rapt|private key|credentials? file|does not exist, or it is not a file/i;

export function gcsError(thrown: unknown, asked: Asked, url: string, bucket: string): CrawlhouseError {
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

function gcsFailure(thrown: unknown, status: number | undefined, text: string, asked: Asked): StoreFailure {
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

/** Returns the store's message, extracted from JSON if it is JSON. */
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
