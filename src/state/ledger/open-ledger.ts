import { join } from 'node:path';
import { host } from '../../core/host/host.ts';
import { lockedSince } from '../../core/locks/state-lock.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { type PostgresAddress, postgresAddress } from '../../core/net/postgres-address.ts';
import type { Ledger } from './ledger.ts';
import { LEDGER_FILE, openSqliteLedger, readSqliteLedger } from './sqlite/sqlite-ledger.ts';

export interface LedgerSettings {
  readonly state_dir: string;
  readonly projectDir: string;
  /** Absent: SQLite in the state directory. */
  readonly ledger?: string | undefined;
}

/**
 * Opens the ledger for the one process that writes; it holds the state lock.
 *
 * @param command that is named to the processes that are refused
 * @throws CrawlhouseError `newer_version`; of a shared ledger also `locked`, `bad_settings`, `ledger_unavailable`
 */
export async function openLedger(
  settings: LedgerSettings,
  command: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<Ledger> {
  const address = sharedLedger(settings);
  if (address === undefined) return openSqliteLedger(settings.state_dir, logger);
  const { openPostgresLedger } = await import('./postgres/postgres-ledger.ts');
  return openPostgresLedger(address, { command, stateDir: settings.state_dir }, signal);
}

/**
 * Opens the ledger for a process that only reads; undefined where there is none. A run whose process has ended is
 * `killed`.
 *
 * @throws CrawlhouseError `newer_version`, `damaged_ledger`; of a shared ledger also `bad_settings`, `ledger_unavailable`
 */
export async function readLedger(settings: LedgerSettings): Promise<Ledger | undefined> {
  const address = sharedLedger(settings);
  if (address !== undefined) {
    const { readPostgresLedger } = await import('./postgres/postgres-ledger.ts');
    return readPostgresLedger(address);
  }
  const { state_dir } = settings;
  // Looked at first: a run that ends meanwhile is in the ledger by then.
  const since = lockedSince(state_dir);
  return host().files.existsSync(join(state_dir, LEDGER_FILE))
    ? readSqliteLedger(state_dir, since)
    : undefined;
}

/** Where the shared ledger is; undefined for one in the state directory. */
export function sharedLedger({ ledger, projectDir }: LedgerSettings): PostgresAddress | undefined {
  return ledger === undefined ? undefined : postgresAddress(ledger, projectDir);
}
