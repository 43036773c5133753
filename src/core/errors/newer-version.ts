import type { DatabaseSync } from 'node:sqlite';
import { CrawlhouseError } from './errors.ts';

interface Versions {
  /** The kind of file: `ledger`. */
  readonly what: string;
  readonly found: number;
  readonly known: number;
}

/** The error of a file that a newer program has made. Nothing of it was changed. */
export function newerVersion(path: string, { what, found, known }: Versions, hint: string): CrawlhouseError {
  return new CrawlhouseError(
    'newer_version',
    `${path} was made by a newer crawlhouse (${what} version ${found}, this one knows ${known})`,
    { hint },
  );
}

/**
 * Notes the version of its tables in a file of SQLite. Call it before anything else is changed there.
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
