import { join } from 'node:path';
import { host } from '../host/host.ts';
import type { Logger } from '../logs/logger.ts';
import { describeHolder, lockedError, lockFile, tryLockState } from './state-lock.ts';

/** Wait between two attempts while another process holds the state. */
const LOOK_MS = 200;
/** Attempts to read the name of a holder that has not written it yet. */
const UNSAID_LOOKS = 5;

/**
 * Returns whether a command yields the lock. A backfill has the lowest priority: it waits for other commands, and
 * yields to them between two units.
 */
export function yieldsLock(command: string): boolean {
  return command === 'backfill';
}

/**
 * Acquires the state lock. A backfill waits for its holder and for other waiters. Other commands wait only for a
 * backfill, which yields to them; with any other holder, they fail (docs/decisions/ledger.md).
 *
 * @throws CrawlhouseError `locked`, and what `signal` aborts with
 */
export async function acquireLock(
  stateDir: string,
  command: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<Disposable> {
  const yields = yieldsLock(command);
  let waiting = false;
  let unsaid = 0;
  let waiter: Disposable | null = null;
  try {
    for (;;) {
      const taken = tryLockState(stateDir, `crawlhouse ${command}`, yields);
      if (!('holder' in taken)) {
        if (taken.wasDamaged)
          logger.warn('the lock file was not a database and was emptied', { folder: stateDir });
        if (!yields || !hasLockWaiter(stateDir)) return taken;
        // A waiting process goes first.
        taken[Symbol.dispose]();
        await host().sleep(LOOK_MS, signal);
        continue;
      }
      // The holder may not have written its name yet.
      const isUnsaid = taken.holder === null && unsaid++ < UNSAID_LOOKS;
      if (!yields && !isUnsaid && !taken.holder?.yields) throw lockedError(stateDir, taken.holder);
      if (!yields) waiter ??= waitForLock(stateDir);
      if (!waiting && !isUnsaid)
        logger.warn('waiting for the state lock', { held_by: describeHolder(taken.holder) });
      waiting ||= !isUnsaid;
      await host().sleep(LOOK_MS, signal);
    }
  } finally {
    waiter?.[Symbol.dispose]();
  }
}

/**
 * Announces a waiter for the state lock, to which a backfill yields between two units. The announcement is itself a
 * lock, so that it ends with its process. Returns null if another process is already waiting.
 */
function waitForLock(stateDir: string): Disposable | null {
  return lockFile(join(stateDir, 'waiter.sqlite'));
}

export function hasLockWaiter(stateDir: string): boolean {
  const waiter = waitForLock(stateDir);
  waiter?.[Symbol.dispose]();
  return waiter === null;
}
