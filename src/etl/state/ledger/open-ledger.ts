import { join } from 'node:path';
import { optional, optionalPart } from '../../../core/errors/optional-part.ts';
import { host } from '../../../core/host/host.ts';
import { lockedSince } from '../../../core/locks/state-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { type PostgresAddress, postgresAddress } from '../../../core/net/postgres-address.ts';
import type { Ledger } from './ledger.ts';
import type { SharedLedgerPart } from './shared-ledger.ts';
import { LEDGER_FILE, openSqliteLedger, readSqliteLedger } from './sqlite/sqlite-ledger.ts';

export interface LedgerSettings {
  readonly state_dir: string;
  readonly projectDir: string;
  /** Absent for SQLite in the state directory. */
  readonly ledger?: string | undefined;
}

/**
 * Opens the ledger for the process that writes to it. That process holds the state lock.
 *
 * @param command shown to the processes that are refused
 * @throws CrawlhouseError `newer_version`; for a shared ledger also `locked`, `bad_settings`, `ledger_unavailable`
 */
export async function openLedger(
  settings: LedgerSettings,
  command: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<Ledger> {
  const address = sharedLedger(settings);
  if (address === undefined) return openSqliteLedger(settings.state_dir, logger);
  const { openLedger } = await sharedLedgerPart();
  return openLedger(address, { command, stateDir: settings.state_dir }, signal);
}

/**
 * Opens the ledger for a process that only reads; undefined if there is none. A run whose process has ended is
 * `killed`.
 *
 * @throws CrawlhouseError `newer_version`, `damaged_ledger`; for a shared ledger also `bad_settings`,
 *   `ledger_unavailable`
 */
export async function readLedger(settings: LedgerSettings): Promise<Ledger | undefined> {
  const address = sharedLedger(settings);
  if (address !== undefined) return (await sharedLedgerPart()).readLedger(address);
  const { state_dir } = settings;
  // Read before the ledger, so that a run that ends meanwhile is already in it.
  const since = lockedSince(state_dir);
  return host().files.existsSync(join(state_dir, LEDGER_FILE))
    ? readSqliteLedger(state_dir, since)
    : undefined;
}

/** Returns the address of the shared ledger; undefined for one in the state directory. */
export function sharedLedger({ ledger, projectDir }: LedgerSettings): PostgresAddress | undefined {
  return ledger === undefined ? undefined : postgresAddress(ledger, projectDir);
}

/** @throws CrawlhouseError `bad_settings` if this installation lacks `postgres/` */
export async function sharedLedgerPart(): Promise<SharedLedgerPart> {
  const part = await optionalPart(
    'the ledger in PostgreSQL',
    import(optional('./postgres/postgres-part.ts')),
  );
  return part.postgresPart;
}
