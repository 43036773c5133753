import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { newerVersion } from '../../../core/errors/newer-version.ts';
import { makePrivateFolder } from '../../../core/files/private-files.ts';
import { host, timestamp } from '../../../core/host/host.ts';
import { inTransaction, isReadOnly, openSqlite, openSqliteToRead } from '../../../core/locks/open-sqlite.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { LedgerRun } from '../../../project/model/runs/ledger-records.ts';
import { Ledger } from '../ledger.ts';
import { SqliteDatabase } from './sqlite-database.ts';

/** Of SQLite: SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED: readonly unknown[] = [11, 26];

/** In the state directory. */
export const LEDGER_FILE = 'ledger.sqlite';

/**
 * Opens `ledger.sqlite` in the state directory: of the one process that writes, and its readers.
 *
 * @param lockedSince for a reader: as `lockedSince` of the lock tells, asked before. A run that ends meanwhile is in the
 *   ledger by then.
 * @throws CrawlhouseError `newer_version`, `damaged_ledger`
 */
export function sqliteLedger(stateDir: string, lockedSince: string | null = null): Ledger {
  makePrivateFolder(stateDir);
  const path = join(stateDir, LEDGER_FILE);
  const pragmas = 'PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL';
  return opened(openSqlite(path), path, pragmas, lockedSince);
}

/**
 * Opens the ledger for a reader, who may have no right to write.
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
  // Never: the system gives the state lock to nobody else while this process is there.
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
      const [said] = await this.database.rows<{ quick_check: string }>('PRAGMA quick_check(1)');
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

/** SQLite's error for a damaged database, as an error of ours; any other error unchanged. */
function asDamage(error: unknown, path: string): unknown {
  const { errcode } = error as { errcode?: unknown };
  return DAMAGED.includes(errcode) ? damaged(path, (error as Error).message) : error;
}

function damaged(path: string, reason: unknown): CrawlhouseError {
  return new CrawlhouseError('damaged_ledger', `${path} is damaged: ${reason}`);
}

/**
 * The runs. A run that is marked as running, but began before the present holder acquired the lock, is `killed`: only
 * one process can write at a time.
 *
 * @param lockedSince as `lockedSince` of the lock tells, asked before the runs were read
 */
export function markDeadRuns(runs: readonly LedgerRun[], lockedSince: string | null): LedgerRun[] {
  return runs.map((run) =>
    run.status === 'running' && lockedSince !== null && run.started_at < lockedSince
      ? { ...run, status: 'killed' }
      : run,
  );
}

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
function migrateLedger(database: DatabaseSync, path: string): void {
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
    const copy = join(dirname(path), `ledger.v${version}-${stamp()}.sqlite`);
    if (!host().files.existsSync(copy)) database.prepare('VACUUM INTO ?').run(copy);
  }
  inTransaction(database, () => {
    // Another process may have been quicker.
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
  });
}

/** The time in the name of a file: `2026-11-21T07-50-57Z`. */
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
 * Opens the ledger of a state directory for the one process that writes. A damaged one is put aside, and the caller
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
    logger.warn('the ledger is damaged; a new one is made from the published warehouse', { aside });
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

/** Its log of changes goes with it: beside another file it would be taken for that one's. */
function putAside(stateDir: string): string {
  const aside = join(stateDir, `ledger.damaged-${stamp()}.sqlite`);
  const { files } = host();
  for (const suffix of ['', '-wal', '-shm']) {
    const file = join(stateDir, `${LEDGER_FILE}${suffix}`);
    if (files.existsSync(file)) files.renameSync(file, `${aside}${suffix}`);
  }
  return aside;
}
