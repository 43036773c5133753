import { type LedgerSettings, sharedLedger } from './open-ledger.ts';
import type { SchedulerLease } from './postgres/postgres-scheduler-lease.ts';

/**
 * Takes the lease of the scheduler; undefined where the ledger is not shared: the lock of the state directory suffices
 * there. A process that waits takes over when the holder ends, or is not heard of for 30 seconds.
 *
 * @throws CrawlhouseError `locked` where it does not wait, and what `signal` aborts with
 */
export async function takeSchedulerLease(
  settings: LedgerSettings,
  onWait: ((holder: string) => void) | undefined,
  signal: AbortSignal,
): Promise<SchedulerLease | undefined> {
  const address = sharedLedger(settings);
  if (address === undefined) return undefined;
  const { SchedulerLease } = await import('./postgres/postgres-scheduler-lease.ts');
  return SchedulerLease.take(address, settings.state_dir, onWait, signal);
}
