import { CrawlhouseError } from '../core/errors/errors.ts';
import { type RetryOptions, retry } from '../core/time/retry.ts';

/** `retry`, but a replaced object fails at once. The same request never brings it back; a new listing or run may. */
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
