import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { makePrivateFolder } from '../../../core/files/private-files.ts';
import { isReadOnly, openSqlite, openSqliteToRead } from '../../../core/locks/open-sqlite.ts';
import type { LedgerRun } from '../../../project/model/runs/ledger-records.ts';
import { SqlLedger } from '../sql-ledger.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { LEDGER_VERSION, migrateLedger } from './sqlite-schema.ts';

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
export function sqliteLedger(stateDir: string, lockedSince: string | null = null): SqlLedger {
  makePrivateFolder(stateDir);
  const path = join(stateDir, LEDGER_FILE);
  const file = openSqlite(path);
  try {
    file.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    migrateLedger(file, path);
  } catch (error) {
    file.close();
    throw asDamage(error, path);
  }
  return ledgerOf(file, path, lockedSince);
}

/**
 * Opens the ledger for a reader, who may have no right to write.
 *
 * @throws CrawlhouseError `newer_version`, `damaged_ledger`
 */
export function readSqliteLedger(stateDir: string, lockedSince: string | null): SqlLedger {
  const path = join(stateDir, LEDGER_FILE);
  try {
    return sqliteLedger(stateDir, lockedSince);
  } catch (error) {
    if (!isReadOnly(error)) throw error;
  }
  const file = openSqliteToRead(path);
  try {
    file.exec('PRAGMA busy_timeout = 5000');
    migrateLedger(file, path);
  } catch (error) {
    file.close();
    throw asDamage(error, path);
  }
  return ledgerOf(file, path, lockedSince);
}

function ledgerOf(file: DatabaseSync, path: string, lockedSince: string | null): SqlLedger {
  const database = new SqliteDatabase(file);
  return new SqlLedger({
    database,
    version: LEDGER_VERSION,
    offers: null,
    // Never: the system gives the state lock to nobody else while this process is there.
    lost: new AbortController().signal,
    check: () => check(database, path),
    claimed: async () => [],
    dataset: `spec ->> 'dataset'`,
    unitColumns: () => ({}),
    runColumns: {},
    runStatus: 'status',
    markDead: (runs) => markDeadRuns(runs, lockedSince),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  });
}

/**
 * @throws CrawlhouseError `damaged_ledger`
 */
async function check(database: SqliteDatabase, path: string): Promise<void> {
  try {
    const [said] = await database.rows<{ quick_check: string }>('PRAGMA quick_check(1)');
    if (said?.quick_check !== 'ok') throw damaged(path, said?.quick_check);
  } catch (error) {
    throw asDamage(error, path);
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
