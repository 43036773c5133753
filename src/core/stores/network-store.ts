import { addAbortListener } from 'node:events';
import type { Readable } from 'node:stream';
import { CrawlhouseError } from '../errors/errors.ts';
import { DEFAULT_RETRY, type RetryOptions, type RetryPolicy, retry } from '../time/retry.ts';
import type { StoredObject } from './object-store.ts';
import type { NetworkOptions } from './store-kind.ts';

/** Maximum pages of one listing: with a thousand objects each, more than any export has. */
const MOST_PAGES = 10_000;

/** The purpose of a request: a listing, an object, or a body that has already begun. */
export type Asked = 'list' | 'object' | 'body';

/** Requests of a network store: their errors are converted to ours, and they are retried if that may help. */
export abstract class NetworkStore {
  readonly #retry: RetryPolicy;

  constructor(policy: NetworkOptions['retry'] = DEFAULT_RETRY) {
    this.#retry = policy;
  }

  protected abstract error(thrown: unknown, asked: Asked, url: string): CrawlhouseError;

  protected async once<T>(
    asked: Asked,
    url: string,
    signal: AbortSignal,
    send: () => Promise<T>,
  ): Promise<T> {
    try {
      return await send();
    } catch (error) {
      signal.throwIfAborted();
      throw this.error(error, asked, url);
    }
  }

  protected repeat<T>(asked: Asked, url: string, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    return retryStore(() => this.once(asked, url, signal, send), { policy: this.#retry, signal });
  }

  /** Yields the pages of a listing; `tokenOf` returns the token of the next page. No token may lead to a known page. */
  protected async *pages<Page>(
    url: string,
    signal: AbortSignal,
    ask: (token: string | undefined) => Promise<Page>,
    tokenOf: (page: Page) => string | undefined,
  ): AsyncGenerator<Page> {
    const seen = new Set<string>();
    for (let token: string | undefined; ; ) {
      const page = await this.repeat('list', url, signal, () => ask(token));
      yield page;
      try {
        token = tokenOf(page);
        if (token === undefined) return;
        if (seen.has(token))
          throw new Error('the listing repeats itself: a page continues with an earlier page');
        if (seen.add(token).size > MOST_PAGES)
          throw new Error(`the listing does not end within ${MOST_PAGES} pages`);
      } catch (error) {
        throw this.error(error, 'list', url);
      }
    }
  }

  protected async *bytes(
    body: Readable,
    { url }: StoredObject,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    using _stop = addAbortListener(signal, () => body.destroy(new Error('aborted')));
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      signal.throwIfAborted();
      throw this.error(error, 'body', url);
    } finally {
      body.destroy();
    }
  }
}

/** Removes an object. It is not an error if it is gone or has another version. */
export async function unlessChanged(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'object_changed') throw error;
  }
}

/**
 * Retries like `retry`, but fails immediately for a replaced object. Repeating the request never restores it; a new
 * listing or run may.
 */
export async function retryStore<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const outcome = await retry(async () => {
    try {
      return { value: await attempt() };
    } catch (error) {
      if (error instanceof CrawlhouseError && error.code === 'object_changed') return { error };
      throw error;
    }
  }, options);
  if (outcome.error) throw outcome.error;
  return outcome.value;
}
