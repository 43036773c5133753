import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';

/** The error of a request without which nothing can be read: a 403 on it forbids everything. */
export function asAllForbidden(thrown: unknown): CrawlhouseError {
  const error = toCrawlhouseError(thrown);
  if (error.code !== 'forbidden') return error;
  return new CrawlhouseError('all_forbidden', error.message, {
    hint: error.hint,
    cause: error,
  });
}

/** Rejects with what `asAllForbidden` makes of the error. */
export function orAllForbidden(thrown: unknown): never {
  throw asAllForbidden(thrown);
}
