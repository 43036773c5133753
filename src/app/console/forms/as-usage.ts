import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';

/**
 * Converts an error that the user can fix into a form error. Faults in crawlhouse and lock errors stay unchanged.
 */
export function asUsage(thrown: unknown): CrawlhouseError {
  const error = toCrawlhouseError(thrown);
  const { kind, message, hint } = error;
  if (kind === 'fault' || kind === 'locked') return error;
  return new CrawlhouseError('usage', message, { cause: error, hint });
}
