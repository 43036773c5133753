import { CrawlhouseError } from '../core/errors.ts';

/** A place in a file under `sql/`; lines count from 1. */
export interface SqlPlace {
  readonly file: string;
  readonly line: number;
}

/** The one shape of what can be wrong with a file under `sql/`: where, what, and what would work. */
export function badModel(place: SqlPlace, message: string, hint?: string, cause?: unknown): CrawlhouseError {
  return new CrawlhouseError('bad_model', `${place.file}:${place.line}: ${message}`, {
    ...(hint ? { hint } : {}),
    ...(cause === undefined ? {} : { cause }),
  });
}
