import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type LedgerSettings, sharedLedger } from '../../state/ledger/open-ledger.ts';
import type { AlertStore } from './alert-store.ts';
import type { PostgresAlertStore } from './postgres-alert-store.ts';
import { SqliteAlertStore } from './sqlite-alert-store.ts';

/** Opens the alerts of a project: beside its ledger in the state directory, or in its shared ledger. */
export async function openAlertStore(settings: LedgerSettings): Promise<AlertStore> {
  return (await sharedStore(settings)) ?? new SqliteAlertStore(folderOf(settings));
}

/** The same for a process that only looks; undefined where there are none yet. */
export async function readAlertStore(settings: LedgerSettings): Promise<AlertStore | undefined> {
  const store = await sharedStore(settings);
  if (store === undefined) {
    const folder = folderOf(settings);
    return existsSync(folder) ? new SqliteAlertStore(folder) : undefined;
  }
  if (await store.exists()) return store;
  await store[Symbol.asyncDispose]();
  return undefined;
}

async function sharedStore(settings: LedgerSettings): Promise<PostgresAlertStore | undefined> {
  const address = sharedLedger(settings);
  if (address === undefined) return undefined;
  const loaded = await import('./postgres-alert-store.ts');
  return new loaded.PostgresAlertStore(address, settings.state_dir);
}

function folderOf({ state_dir }: LedgerSettings): string {
  return join(state_dir, 'alerts');
}
