import { join } from 'node:path';
import { lockFile } from './lock-file.ts';

/**
 * Announces a waiter for the state lock, which a backfill yields between two units. It is a lock too, so that it ends with
 * its process. Null if another process waits already.
 */
export function waitForLock(stateDir: string): Disposable | null {
  return lockFile(join(stateDir, 'waiter.sqlite'));
}

/** Does any process wait for the state lock? */
export function hasLockWaiter(stateDir: string): boolean {
  const waiter = waitForLock(stateDir);
  waiter?.[Symbol.dispose]();
  return waiter === null;
}
