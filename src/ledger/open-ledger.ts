import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../core/logger.ts';
import { lockedSince } from '../core/state-lock.ts';
import type { Ledger } from './ledger.ts';
import { openSqliteLedger } from './sqlite/open-sqlite-ledger.ts';
import { LEDGER_FILE, SqliteLedger } from './sqlite/sqlite-ledger.ts';

/** Where the ledger is. */
interface LedgerPlace {
  readonly state_dir: string;
}

/**
 * Opens the ledger for the one process that writes.
 *
 * @throws CrawlhouseError `newer_version`
 */
export async function openLedger({ state_dir }: LedgerPlace, logger: Logger): Promise<Ledger> {
  return openSqliteLedger(state_dir, logger);
}

/**
 * Opens the ledger for a process that only reads; undefined where there is none. A run whose process has ended is
 * `killed`.
 *
 * @throws CrawlhouseError `newer_version`, `damaged_ledger`
 */
export async function readLedger({ state_dir }: LedgerPlace): Promise<Ledger | undefined> {
  // Looked at first: a run that ends meanwhile is in the ledger by then.
  const since = lockedSince(state_dir);
  return existsSync(join(state_dir, LEDGER_FILE)) ? new SqliteLedger(state_dir, since) : undefined;
}
