import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';

/**
 * The error of one object that could not be read.
 *
 * @throws the error where no other object could be read either: rejected credentials (401), or an interrupt
 */
export function skippableError(thrown: unknown, signal: AbortSignal): CrawlhouseError {
  signal.throwIfAborted();
  const error = toCrawlhouseError(thrown);
  if (['access', 'interrupted', 'usage', 'locked'].includes(error.kind)) throw error;
  return error;
}

/**
 * The error of a list that was asked for and could not be read. It is never one of exit code 0: a refusal that only skips a
 * unit (a missing feature, a state that does not allow it) leaves the whole list unread.
 *
 * @throws what `skippableError` throws
 */
export function listError(thrown: unknown, signal: AbortSignal): CrawlhouseError {
  const error = skippableError(thrown, signal);
  if (error.exitCode !== 0) return error;
  return new CrawlhouseError('list_unread', error.message, { hint: error.hint, cause: error });
}
