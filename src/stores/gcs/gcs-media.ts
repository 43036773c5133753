import type { Readable } from 'node:stream';
import type { Storage } from '@google-cloud/storage';
import { Agent, type Dispatcher } from 'undici';
import type { ByteRange, StoredObject } from '../object-store.ts';
import { gcsError } from './gcs-errors.ts';

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
