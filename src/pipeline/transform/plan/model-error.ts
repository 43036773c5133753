import { type CrawlhouseError, toCrawlhouseError } from '../../../core/errors.ts';
import type { Model } from '../models/model.ts';
import { badModel } from '../sql-text/bad-model.ts';
import { firstWord } from '../sql-text/sql-tree.ts';

/** Says of what failed while a model was made or tested which file it is. */
export function modelError(model: Model, error: unknown, what: 'made' | 'tested'): CrawlhouseError {
  const known = toCrawlhouseError(error);
  // Trino calls a fault of a statement or of values one of the query.
  if (known.code !== 'internal' && known.code !== 'bad_query') return known;
  const place = firstWord(model.sql, { file: model.file, line: model.sqlLine });
  const hint = /out of memory/i.test(known.message) ? 'raise the setting memory_limit' : undefined;
  return badModel(place, `${model.name} could not be ${what}: ${known.message}`, hint, error);
}
