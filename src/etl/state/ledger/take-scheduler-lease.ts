import { type LedgerSettings, sharedLedger, sharedLedgerPart } from './open-ledger.ts';
import type { SchedulerLease } from './shared-ledger.ts';

/**
 * Acquires the lease of the scheduler. Returns undefined if the ledger is not shared, because the lock of the state
 * directory then suffices. A waiting process takes over when the holder ends, or sends no heartbeat for 30 seconds.
 *
 * @throws CrawlhouseError `locked` if it does not wait; the reason of `signal`
 */
export async function takeSchedulerLease(
  settings: LedgerSettings,
  onWait: ((holder: string) => void) | undefined,
  signal: AbortSignal,
): Promise<SchedulerLease | undefined> {
  const address = sharedLedger(settings);
  if (address === undefined) return undefined;
  return (await sharedLedgerPart()).takeSchedulerLease(address, settings.state_dir, onWait, signal);
}
