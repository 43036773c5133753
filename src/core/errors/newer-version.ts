import type { DatabaseSync } from 'node:sqlite';
import { CrawlhouseError } from './errors.ts';

interface Versions {
  /** The kind of file: `ledger`. */
  readonly what: string;
  readonly found: number;
  readonly known: number;
}

/** Returns the error of a file that a newer program has made. The file is unchanged. */
export function newerVersion(path: string, { what, found, known }: Versions, hint: string): CrawlhouseError {
  return new CrawlhouseError(
    'newer_version',
    `${path} was written by a newer crawlhouse (${what} version ${found}; this crawlhouse supports ${known})`,
    { hint },
  );
}

/**
 * Stores the version of the tables in a SQLite file. Call this function before any other change.
 *
 * @throws CrawlhouseError `newer_version`, with the file closed
 */
export function keepVersion(
  database: DatabaseSync,
  path: string,
  { what, known }: Omit<Versions, 'found'>,
  hint: string,
): void {
  database.exec('PRAGMA busy_timeout = 5000');
  const found = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (found > known) {
    database.close();
    throw newerVersion(path, { what, found, known }, hint);
  }
  if (found < known) database.exec(`PRAGMA user_version = ${known}`);
}
