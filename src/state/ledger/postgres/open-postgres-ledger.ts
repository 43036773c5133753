import type { PostgresAddress } from '../../../core/net/postgres-address.ts';
import type { SqlLedger } from '../sql-ledger.ts';
import { holderOf, Lease } from './lease.ts';
import { postgresLedger, WRITER } from './postgres-ledger.ts';
import { BRIEF, PATIENT, PostgresPool } from './postgres-pool.ts';
import { migrateSharedLedger, sharedVersion } from './postgres-schema.ts';

/**
 * Opens a shared ledger for the process that holds the state lock, and makes its tables where they are missing.
 *
 * @throws CrawlhouseError `locked` while a process on another machine writes, `newer_version`, `bad_settings`,
 *   `ledger_unavailable`
 */
export async function openPostgresLedger(
  address: PostgresAddress,
  { command, stateDir }: { readonly command: string; readonly stateDir: string },
  signal: AbortSignal,
): Promise<SqlLedger> {
  const pool = new PostgresPool(address, PATIENT, signal);
  try {
    await pool.transaction((statements) => migrateSharedLedger(statements, address.schema));
    const holder = holderOf(`crawlhouse ${command}`, stateDir);
    const lease = await Lease.take(pool, { ...address, name: WRITER }, holder, signal);
    return postgresLedger(pool, address, lease);
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Opens a shared ledger for a process that only reads; undefined where no run has made it yet.
 *
 * @throws CrawlhouseError `newer_version`, `bad_settings`, `ledger_unavailable`
 */
export async function readPostgresLedger(address: PostgresAddress): Promise<SqlLedger | undefined> {
  const pool = new PostgresPool(address, BRIEF, new AbortController().signal);
  try {
    const version = await sharedVersion(pool, address.schema);
    if (version !== null) return postgresLedger(pool, address, null);
    await pool[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
}
