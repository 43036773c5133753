import { type CrawlhouseError, toCrawlhouseError } from '../../core/errors.ts';

/**
 * The error of what could not be read.
 *
 * @throws the error where nothing else could be read either: we are not let in, or told to end
 */
export function ofThisOnly(thrown: unknown, signal: AbortSignal): CrawlhouseError {
  signal.throwIfAborted();
  const error = toCrawlhouseError(thrown);
  if (error.kind === 'access' || error.kind === 'interrupted' || error.kind === 'usage') throw error;
  return error;
}
