import { join } from 'node:path';
import { lockFile } from './lock-file.ts';

/**
 * Says that somebody waits for the state of a directory whose holder makes room between two units. It is a lock of its
 * own, so a waiter that dies wishes no more. Null when another one wishes already.
 */
export function waitForLock(stateDir: string): Disposable | null {
  return lockFile(join(stateDir, 'wish.sqlite'));
}

/** Does anybody wait for the state? */
export function hasLockWaiter(stateDir: string): boolean {
  const wish = waitForLock(stateDir);
  wish?.[Symbol.dispose]();
  return wish === null;
}
