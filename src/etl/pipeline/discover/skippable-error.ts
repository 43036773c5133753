import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';

/**
 * Returns the error for an object that could not be read.
 *
 * @throws the error if it affects all objects: rejected credentials (401), or an interrupt
 */
export function skippableError(thrown: unknown, signal: AbortSignal): CrawlhouseError {
  signal.throwIfAborted();
  const error = toCrawlhouseError(thrown);
  if (['access', 'interrupted', 'usage', 'locked'].includes(error.kind)) throw error;
  return error;
}

/**
 * Returns the error of a requested list that could not be read. Its exit code is never 0: a refusal that only skips a
 * unit (a missing feature, a state that does not allow it) leaves the whole list unread.
 *
 * @throws what `skippableError` throws
 */
export function listError(thrown: unknown, signal: AbortSignal): CrawlhouseError {
  const error = skippableError(thrown, signal);
  if (error.exitCode !== 0) return error;
  return new CrawlhouseError('list_unread', error.message, { hint: error.hint, cause: error });
}
