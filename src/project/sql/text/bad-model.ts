import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors.ts';

/** A place in a file under `sql/`; lines count from 1. */
export interface SqlPlace {
  readonly file: string;
  readonly line: number;
}

/**
 * The one error of an invalid file under `sql/`: the place, the fault, and what would work. A damaged warehouse is no
 * fault of the model that meets it, and stays `damaged_warehouse`.
 */
export function badModel(place: SqlPlace, message: string, hint?: string, cause?: unknown): CrawlhouseError {
  const known = toCrawlhouseError(cause);
  if (known.code === 'damaged_warehouse') return known;
  return new CrawlhouseError('bad_model', `${place.file}:${place.line}: ${message}`, {
    ...(hint ? { hint } : {}),
    ...(cause === undefined ? {} : { cause }),
  });
}
