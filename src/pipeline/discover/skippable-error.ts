import { type CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';

/**
 * The error of one object that could not be read.
 *
 * @throws the error where no other object could be read either: rejected credentials (401), or an interrupt
 */
export function skippableError(thrown: unknown, signal: AbortSignal): CrawlhouseError {
  signal.throwIfAborted();
  const error = toCrawlhouseError(thrown);
  if (error.kind === 'access' || error.kind === 'interrupted' || error.kind === 'usage') throw error;
  return error;
}
