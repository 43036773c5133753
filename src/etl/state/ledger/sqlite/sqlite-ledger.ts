import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { newerVersion } from '../../../../core/errors/newer-version.ts';
import { makePrivateFolder } from '../../../../core/files/private-files.ts';
import { host, timestamp } from '../../../../core/host/host.ts';
import {
  inTransaction,
  isReadOnly,
  openSqlite,
  openSqliteToRead,
} from '../../../../core/locks/open-sqlite.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { LedgerRun } from '../../../project/model/runs/ledger-records.ts';
import { Ledger } from '../ledger.ts';
import { SqliteDatabase } from './sqlite-database.ts';

const QuickCheck = z.strictObject({ quick_check: z.string() });

/** SQLite codes: SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED: readonly unknown[] = [11, 26];

/** In the state directory. */
export const LEDGER_FILE = 'ledger.sqlite';

/**
 * Opens `ledger.sqlite` in the state directory, for its single writer and for readers.
 *
 * @param lockedSince for a reader: the `lockedSince` of the lock, read before. A run that ends meanwhile is already in
 *   the ledger.
 * @throws CrawlhouseError `newer_version`, `damaged_ledger`
 */
export function sqliteLedger(stateDir: string, lockedSince: string | null = null): Ledger {
  makePrivateFolder(stateDir);
  const path = join(stateDir, LEDGER_FILE);
  const pragmas = 'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL';
  return opened(openSqlite(path), path, pragmas, lockedSince);
}

/**
 * Opens the ledger for a reader that may lack write permission.
 *
 * @throws CrawlhouseError `newer_version`, `damaged_ledger`
 */
export function readSqliteLedger(stateDir: string, lockedSince: string | null): Ledger {
  const path = join(stateDir, LEDGER_FILE);
  try {
    return sqliteLedger(stateDir, lockedSince);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  return opened(openSqliteToRead(path), path, 'PRAGMA busy_timeout = 5000', lockedSince);
}

function opened(file: DatabaseSync, path: string, pragmas: string, lockedSince: string | null): Ledger {
  try {
    file.exec(pragmas);
    migrateLedger(file, path);
  } catch (error) {
    file.close();
    throw asDamage(error, path);
  }
  return new SqliteLedger(file, path, lockedSince);
}

class SqliteLedger extends Ledger {
  readonly version = LEDGER_VERSION;
  readonly offers = null;
  // Never aborts: the system gives the state lock to no other process while this one lives.
  readonly lost = new AbortController().signal;
  protected readonly dataset = `spec ->> 'dataset'`;
  protected readonly runColumns = {};
  protected readonly runStatus = 'status';
  readonly #path: string;
  readonly #lockedSince: string | null;

  constructor(file: DatabaseSync, path: string, lockedSince: string | null) {
    super(new SqliteDatabase(file));
    this.#path = path;
    this.#lockedSince = lockedSince;
  }

  /** @throws CrawlhouseError `damaged_ledger` */
  async check(): Promise<void> {
    try {
      const [said] = typedRows(QuickCheck, await this.database.rows('PRAGMA quick_check(1)'));
      if (said?.quick_check !== 'ok') throw damaged(this.#path, said?.quick_check);
    } catch (error) {
      throw asDamage(error, this.#path);
    }
  }

  protected unitColumns() {
    return {};
  }

  protected override markDead(runs: LedgerRun[]): LedgerRun[] {
    return markDeadRuns(runs, this.#lockedSince);
  }
}

/** Converts SQLite's error for a damaged database to a CrawlhouseError. Returns any other error unchanged. */
function asDamage(error: unknown, path: string): unknown {
  const { errcode } = error as { errcode?: unknown };
  return DAMAGED.includes(errcode) ? damaged(path, (error as Error).message) : error;
}

function damaged(path: string, reason: unknown): CrawlhouseError {
  return new CrawlhouseError('damaged_ledger', `${path} is damaged: ${reason}`);
}

/**
 * Returns the runs. A run that is marked as running, but began before the current holder acquired the lock, is
 * `killed`: only one process can write at a time.
 *
 * @param lockedSince the `lockedSince` of the lock, read before the runs
 */
export function markDeadRuns(runs: readonly LedgerRun[], lockedSince: string | null): LedgerRun[] {
  return runs.map((run) =>
    run.status === 'running' && lockedSince !== null && run.started_at < lockedSince
      ? { ...run, status: 'killed' }
      : run,
  );
}

/** Each entry migrates a ledger from the previous version to its own. The first one creates an empty ledger. */
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

/**
 * `PRAGMA user_version` of a ledger. A ledger of version 0 that contains tables has version 1, which did not write the
 * pragma.
 */
export const LEDGER_VERSION = MIGRATIONS.length;

/**
 * Migrates a ledger to this version, in one transaction. A copy of the former one stays next to it, named by its
 * version and the time.
 *
 * @throws CrawlhouseError `newer_version`
 */
function migrateLedger(database: DatabaseSync, path: string): void {
  const version = versionOf(database);
  if (version === LEDGER_VERSION) return;
  if (version > LEDGER_VERSION) {
    throw newerVersion(
      path,
      { what: 'ledger', found: version, known: LEDGER_VERSION },
      'use the newer version; or delete the file: the next run rebuilds the ledger from the published warehouse',
    );
  }
  if (version > 0) {
    const copy = join(dirname(path), `ledger.v${version}-${stamp()}.sqlite`);
    if (!host().files.existsSync(copy)) database.prepare('VACUUM INTO ?').run(copy);
  }
  inTransaction(database, () => {
    // Another process may have migrated it first.
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
  });
}

/** Returns the time for the name of a file: `2026-11-21T07-50-57Z`. */
function stamp(): string {
  return `${timestamp().slice(0, 19).replaceAll(':', '-')}Z`;
}

function versionOf(database: DatabaseSync): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > 0) return version;
  const units = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'units'`).get();
  return units === undefined ? 0 : 1;
}

/**
 * Opens the ledger of a state directory for the only process that writes. Renames a damaged ledger; the caller then
 * fills a new one from the published warehouse.
 *
 * @throws CrawlhouseError `newer_version`
 */
export async function openSqliteLedger(stateDir: string, logger: Logger): Promise<Ledger> {
  try {
    return await soundLedger(stateDir);
  } catch (error) {
    if (!(error instanceof CrawlhouseError) || error.code !== 'damaged_ledger') throw error;
    const aside = putAside(stateDir);
    logger.warn('the ledger is damaged; crawlhouse rebuilds it from the published warehouse', { aside });
    return sqliteLedger(stateDir);
  }
}

async function soundLedger(stateDir: string): Promise<Ledger> {
  const ledger = sqliteLedger(stateDir);
  try {
    await ledger.check();
    return ledger;
  } catch (error) {
    await ledger[Symbol.asyncDispose]();
    throw error;
  }
}

/** Renames the ledger and its log of changes, because SQLite would apply the log to any other file next to it. */
function putAside(stateDir: string): string {
  const aside = join(stateDir, `ledger.damaged-${stamp()}.sqlite`);
  const { files } = host();
  for (const suffix of ['', '-wal', '-shm']) {
    const file = join(stateDir, `${LEDGER_FILE}${suffix}`);
    if (files.existsSync(file)) files.renameSync(file, `${aside}${suffix}`);
  }
  return aside;
}
