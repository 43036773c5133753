import { host } from '../../../core/host/host.ts';
import { type LedgerSettings, sharedLedger, sharedLedgerPart } from './open-ledger.ts';
import type { UnitQueue } from './unit-queue.ts';

/**
 * Opens the queue of units for a process that claims units. Returns undefined if the ledger is not shared.
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
  const worker = `crawlhouse ${command} (process ${host().pid} on ${host().hostname})`;
  return (await sharedLedgerPart()).openQueue(address, worker, signal);
}
