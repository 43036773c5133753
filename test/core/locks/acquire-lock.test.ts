import { expect, test } from 'vitest';
import { acquireLock, hasLockWaiter, yieldsLock } from '../../../src/core/locks/acquire-lock.ts';
import { lockState, tryLockState } from '../../../src/core/locks/state-lock.ts';
import { createLogger } from '../../../src/core/logs/logger.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { signal } = new AbortController();
const WAIT = { timeout: 20_000 };

/** Acquires the lock of a folder, and keeps what is logged. */
async function stateDirectory() {
  const stateDir = await temporaryFolder();
  const logged: string[] = [];
  const logger = createLogger('debug', (line) => void logged.push(line));
  const acquire = (command: string, until = signal) => acquireLock(stateDir, command, logger, until);
  return { stateDir, logged, acquire };
}

function backfillLock(stateDir: string): Disposable {
  const taken = tryLockState(stateDir, 'crawlhouse backfill', true);
  if ('holder' in taken) throw new Error('the lock is held');
  return taken;
}

test('only a backfill yields the lock', () => {
  expect(['backfill', 'run', 'transform'].filter(yieldsLock)).toEqual(['backfill']);
});

test('a free lock is taken without a word, and a held one is refused with its holder', async () => {
  const { stateDir, logged, acquire } = await stateDirectory();
  const lock = await acquire('run');
  await expect(acquire('transform')).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining('in use by crawlhouse run'),
  });
  lock[Symbol.dispose]();
  (await acquire('transform'))[Symbol.dispose]();
  expect([logged, hasLockWaiter(stateDir)]).toEqual([[], false]);
});

test('a command waits for a backfill, which sees that somebody waits', async () => {
  const { stateDir, logged, acquire } = await stateDirectory();
  const lock = backfillLock(stateDir);
  const waiting = acquire('run');
  await expect.poll(() => hasLockWaiter(stateDir), WAIT).toBe(true);
  lock[Symbol.dispose]();
  (await waiting)[Symbol.dispose]();
  expect(logged).toEqual([expect.stringMatching(/waiting for the state lock.*crawlhouse backfill/)]);
  expect(hasLockWaiter(stateDir)).toBe(false);
});

test('a backfill waits for any holder, and lets others that wait go first', async () => {
  const { stateDir, logged, acquire } = await stateDirectory();
  const lock = lockState(stateDir, 'crawlhouse run');
  let order: string[] = [];
  const backfill = acquire('backfill').then((taken) => {
    order = [...order, 'backfill'];
    return taken;
  });
  await expect.poll(() => logged.length, WAIT).toBe(1);
  lock[Symbol.dispose]();
  (await backfill)[Symbol.dispose]();
  expect([order, logged[0]]).toEqual([['backfill'], expect.stringContaining('crawlhouse run')]);

  const held = backfillLock(stateDir);
  const run = acquire('run').then((taken) => {
    order = [...order, 'run'];
    return taken;
  });
  await expect.poll(() => hasLockWaiter(stateDir), WAIT).toBe(true);
  const second = acquire('backfill').then((taken) => {
    order = [...order, 'second backfill'];
    return taken;
  });
  held[Symbol.dispose]();
  (await run)[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  expect(order).toEqual(['backfill', 'run', 'second backfill']);
});

test('a wait ends with the signal, and leaves no waiter', async () => {
  const { stateDir, acquire } = await stateDirectory();
  using _lock = backfillLock(stateDir);
  const ending = new AbortController();
  const waiting = acquire('run', ending.signal);
  await expect.poll(() => hasLockWaiter(stateDir), WAIT).toBe(true);
  ending.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow();
  expect(hasLockWaiter(stateDir)).toBe(false);
});
