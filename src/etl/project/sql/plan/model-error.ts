import { type CrawlhouseError, toCrawlhouseError } from '../../../../core/errors/errors.ts';
import type { Model } from '../models/model.ts';
import { badModel } from '../text/bad-model.ts';
import { firstWord } from '../text/sql-tree.ts';

/** Adds the model's file to an error of building or testing it. */
export function modelError(model: Model, error: unknown, what: 'made' | 'tested'): CrawlhouseError {
  const known = toCrawlhouseError(error);
  // Other engines than DuckDB report a fault of a statement or of values as one of the query.
  if (!['internal', 'bad_query', 'memory'].includes(known.code)) return known;
  const place = firstWord(model.sql, { file: model.file, line: model.sqlLine });
  const hint = known.code === 'memory' ? 'raise memory_limit' : undefined;
  return badModel(place, `${model.name} could not be ${what}: ${known.message}`, hint, error);
}
