import { type CrawlhouseError, toCrawlhouseError } from './errors.ts';

/**
 * Runs `work` for each item from an external source, one at a time, so that a bad item affects only itself.
 *
 * @param onFailure receives the error of an item; it may throw to end the loop if no other item can succeed
 * @throws the reason of `signal`, and what `items` throws
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
