import { CrawlhouseError } from '../../src/core/errors/errors.ts';

/** The CrawlhouseError that some work ends with. */
export async function errorOf(work: Promise<unknown>): Promise<CrawlhouseError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof CrawlhouseError) return error;
  throw error;
}
