import { CrawlhouseError, toCrawlhouseError } from '../../../../core/errors/errors.ts';

/** A place in a file under `sql/`, or in a file with SQL among its values; lines count from 1. */
export interface SqlPlace {
  readonly file: string;
  readonly line: number;
  readonly key?: string;
  /** Code of the file's errors, `bad_model` by default. */
  readonly code?: 'bad_model' | 'bad_segments';
}

/**
 * Returns the error of an invalid file under `sql/`: the place, the fault, and a fix. A damaged warehouse is not the
 * model's fault, so its error stays `damaged_warehouse`.
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
