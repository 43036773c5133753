import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';

/**
 * Converts an error that the person can fix into an error of the form. Faults of crawlhouse and locks stay unchanged.
 */
export function asUsage(thrown: unknown): CrawlhouseError {
  const error = toCrawlhouseError(thrown);
  const { kind, message, hint } = error;
  if (kind === 'fault' || kind === 'locked') return error;
  return new CrawlhouseError('usage', message, { cause: error, hint });
}
