import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';

/** Returns an error that the person can act on as one of the form; faults of crawlhouse and locks stay unchanged. */
export function asUsage(thrown: unknown): CrawlhouseError {
  const error = toCrawlhouseError(thrown);
  const { kind, message, hint } = error;
  if (kind === 'fault' || kind === 'locked') return error;
  return new CrawlhouseError('usage', message, { cause: error, hint });
}
