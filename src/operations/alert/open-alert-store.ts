import { join } from 'node:path';
import { host } from '../../core/host/host.ts';
import { type LedgerSettings, sharedLedger } from '../../state/ledger/open-ledger.ts';
import type { AlertStore } from './alert-store.ts';
import { sqliteAlertStore } from './sqlite-alert-store.ts';

/** Opens the alerts of a project: beside its ledger in the state directory, or in its shared ledger. */
export async function openAlertStore(settings: LedgerSettings): Promise<AlertStore> {
  const folder = join(settings.state_dir, 'alerts');
  const address = sharedLedger(settings);
  if (address === undefined) return sqliteAlertStore(folder);
  const { postgresAlertStore } = await import('./postgres-alert-store.ts');
  return postgresAlertStore(address, settings.state_dir, folder);
}

/** Opens the alerts for reading; undefined if there are none yet. */
export async function readAlertStore(settings: LedgerSettings): Promise<AlertStore | undefined> {
  const address = sharedLedger(settings);
  if (address === undefined && !host().files.existsSync(join(settings.state_dir, 'alerts'))) return undefined;
  if (address !== undefined) {
    const { hasSharedLedger } = await import('./postgres-alert-store.ts');
    if (!(await hasSharedLedger(address))) return undefined;
  }
  return openAlertStore(settings);
}
