import { host } from '../../core/host/host.ts';
import { type LedgerSettings, sharedLedger } from './open-ledger.ts';
import type { UnitQueue } from './postgres/postgres-unit-queue.ts';

/**
 * Opens the queue of units for a process that takes from it; undefined where the ledger is not shared.
 *
 * @throws CrawlhouseError `newer_version`, `bad_settings`, `ledger_unavailable`
 */
export async function openUnitQueue(
  settings: LedgerSettings,
  command: string,
  signal: AbortSignal,
): Promise<UnitQueue | undefined> {
  const address = sharedLedger(settings);
  if (address === undefined) return undefined;
  const { UnitQueue } = await import('./postgres/postgres-unit-queue.ts');
  return UnitQueue.open(
    address,
    `crawlhouse ${command} (process ${host().pid} on ${host().hostname})`,
    signal,
  );
}
