import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';

/** A place in a file under `sql/`, or in one that has SQL among its values; lines count from 1. */
export interface SqlPlace {
  readonly file: string;
  readonly line: number;
  readonly key?: string;
  /** Of the errors of the file; default: `bad_model`. */
  readonly code?: 'bad_model' | 'bad_segments';
}

/**
 * The one error of an invalid file under `sql/`: the place, the fault, and what would work. A damaged warehouse is no
 * fault of the model that meets it, and stays `damaged_warehouse`.
 */
export function badModel(place: SqlPlace, message: string, hint?: string, cause?: unknown): CrawlhouseError {
  const known = toCrawlhouseError(cause);
  if (known.code === 'damaged_warehouse') return known;
  const key = place.key === undefined ? '' : `${place.key}: `;
  return new CrawlhouseError(place.code ?? 'bad_model', `${place.file}:${place.line}: ${key}${message}`, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
