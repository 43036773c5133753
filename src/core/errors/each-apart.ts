import { type CrawlhouseError, toCrawlhouseError } from './errors.ts';

/**
 * Does `work` for each item that comes from others, one after the other, so that a bad one costs only itself.
 *
 * @param onFailure takes the error of an item; what it throws ends the loop, where no other item could do better
 * @throws what `signal` aborts with, and what `items` throws
 */
export async function eachApart<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
  onFailure: (error: CrawlhouseError, item: T) => unknown,
  signal?: AbortSignal,
): Promise<void> {
  for await (const item of items) {
    try {
      signal?.throwIfAborted();
      await work(item);
    } catch (thrown) {
      signal?.throwIfAborted();
      onFailure(toCrawlhouseError(thrown), item);
    }
  }
}
