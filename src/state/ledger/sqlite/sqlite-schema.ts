import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { newerVersion } from '../../../core/errors/newer-version.ts';
import { host } from '../../../core/host/host.ts';
import { inTransaction } from '../../../core/locks/open-sqlite.ts';

/** Each brings a ledger from the version before it to its own: the first makes an empty one. */
const MIGRATIONS = [
  `CREATE TABLE IF NOT EXISTS units (
     unit TEXT PRIMARY KEY, spec TEXT NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL,
     error TEXT, updated_at TEXT NOT NULL) STRICT;
   CREATE TABLE IF NOT EXISTS runs (
     run_id TEXT PRIMARY KEY, command TEXT NOT NULL, status TEXT NOT NULL,
     started_at TEXT NOT NULL, ended_at TEXT) STRICT;
   CREATE TABLE IF NOT EXISTS exports (
     unit TEXT PRIMARY KEY, data_export_id TEXT, store TEXT NOT NULL, format TEXT NOT NULL, prefix TEXT NOT NULL,
     status TEXT NOT NULL, requested_at TEXT NOT NULL) STRICT;
   CREATE TABLE IF NOT EXISTS open_crawls (id TEXT PRIMARY KEY) STRICT;
   CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;`,
  `ALTER TABLE units ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE units ADD COLUMN next_try_at TEXT;`,
  'ALTER TABLE exports ADD COLUMN run_id TEXT',
  'ALTER TABLE runs ADD COLUMN summary TEXT',
  'ALTER TABLE units ADD COLUMN failing_since TEXT',
  `UPDATE runs SET status = 'yielded' WHERE status = 'made room'`,
] as const;

/** `PRAGMA user_version` of a ledger; one of 0 that has tables is of version 1, which did not write it. */
export const LEDGER_VERSION = MIGRATIONS.length;

/**
 * Brings a ledger to this version, by one transaction; a copy of what it was stays beside it, named by its version and
 * the time.
 *
 * @throws CrawlhouseError `newer_version`
 */
export function migrateLedger(
  database: DatabaseSync,
  path: string,
  now: Date = new Date(host().now()),
): void {
  const version = versionOf(database);
  if (version === LEDGER_VERSION) return;
  if (version > LEDGER_VERSION) {
    throw newerVersion(
      path,
      { what: 'ledger', found: version, known: LEDGER_VERSION },
      'run that one; or delete the file: the ledger is rebuilt from the published warehouse',
    );
  }
  if (version > 0) {
    const copy = copyName(path, version, now);
    if (!host().files.existsSync(copy)) database.prepare('VACUUM INTO ?').run(copy);
  }
  inTransaction(database, () => {
    // Another process may have been quicker.
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
  });
}

/** `ledger.v1-2026-11-21T07-50-57Z.sqlite` */
function copyName(path: string, version: number, now: Date): string {
  const at = now.toISOString().slice(0, 19).replaceAll(':', '-');
  return join(dirname(path), `ledger.v${version}-${at}Z.sqlite`);
}

function versionOf(database: DatabaseSync): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > 0) return version;
  const units = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'units'`).get();
  return units === undefined ? 0 : 1;
}
