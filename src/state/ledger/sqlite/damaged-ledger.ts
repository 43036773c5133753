import { CrawlhouseError } from '../../../core/errors/errors.ts';

/** Of SQLite: SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED: readonly unknown[] = [11, 26];

/** SQLite's error for a damaged database, as an error of ours; any other error unchanged. */
export function asDamage(error: unknown, path: string): unknown {
  const { errcode } = error as { errcode?: unknown };
  return DAMAGED.includes(errcode) ? damaged(path, (error as Error).message) : error;
}

export function damaged(path: string, reason: unknown): CrawlhouseError {
  return new CrawlhouseError('damaged_ledger', `${path} is damaged: ${reason}`, {
    hint: 'the next run renames it and makes a new one from the published warehouse',
  });
}
