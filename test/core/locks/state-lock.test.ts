import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { processStart } from '../../../src/core/host/host.ts';
import { type HeldLock, lockState, tryLockState } from '../../../src/core/locks/state-lock.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import '../../support/process-timeout.ts';

const MODULE = new URL('../../../src/core/locks/state-lock.ts', import.meta.url);

function refusal(stateDir: string): CrawlhouseError | undefined {
  try {
    lockState(stateDir, 'second')[Symbol.dispose]();
    return undefined;
  } catch (error) {
    if (error instanceof CrawlhouseError) return error;
    throw error;
  }
}

test('a second holder is refused with the name of the first until it releases the lock', async () => {
  const stateDir = join(await temporaryFolder(), 'made', 'when missing');
  const lock = lockState(stateDir, 'crawlhouse run');
  const error = refusal(stateDir);
  lock[Symbol.dispose]();
  expect(error?.code).toBe('locked');
  expect(error?.message).toContain(`in use by crawlhouse run (process ${process.pid} on `);
  expect(refusal(stateDir)).toBeUndefined();
});

test.for([
  ['has ended', { pid: 2 ** 22 + 1, started: '1' }],
  ['has an id that another process got later', { pid: process.pid, started: '1' }],
] as const)('a former holder that %s is not named', async ([_what, former]) => {
  const stateDir = await temporaryFolder();
  using _lock = lockState(stateDir, 'crawlhouse run');
  const said = JSON.parse(await readFile(join(stateDir, 'lock.json'), 'utf8'));
  expect(said.started).toBe(processStart(process.pid));
  await writeFile(join(stateDir, 'lock.json'), JSON.stringify({ ...said, ...former }));
  expect(refusal(stateDir)?.message).toBe(`${stateDir} is in use by another process`);
});

test('a holder in another container is named, even with the same host name and a reused process id', async () => {
  const stateDir = await temporaryFolder();
  using _lock = lockState(stateDir, 'crawlhouse run');
  const file = join(stateDir, 'lock.json');
  const said = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...said, scope: '0123456789ab', started: '1' }));
  expect(refusal(stateDir)?.message).toContain('in use by crawlhouse run (process ');
});

test('a lock whose holder cannot be recorded is released', async () => {
  const stateDir = await temporaryFolder();
  await mkdir(join(stateDir, 'lock.json'));
  expect(() => lockState(stateDir, 'crawlhouse schedule')).toThrowError('EISDIR');
  await rm(join(stateDir, 'lock.json'), { recursive: true });
  expect(refusal(stateDir)).toBeUndefined();
});

test('two state directories have independent locks', async () => {
  const folder = await temporaryFolder();
  using _one = lockState(join(folder, 'one'), 'one');
  expect(refusal(join(folder, 'two'))).toBeUndefined();
});

test('a killed holder loses the lock', async () => {
  const stateDir = await temporaryFolder();
  const script = join(stateDir, 'hold.ts');
  await writeFile(
    script,
    `import { lockState } from ${JSON.stringify(MODULE.href)};
     globalThis.lock = lockState(${JSON.stringify(stateDir)}, 'the child');
     process.stdout.write('held');
     setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  expect(refusal(stateDir)?.message).toContain(`in use by the child (process ${child.pid} `);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(refusal(stateDir)).toBeUndefined();
});

test.for([
  ['garbage', 'this is no database '.repeat(1000)],
  ['a header and garbage', `SQLite format 3\0${'garbage'.repeat(2000)}`],
  ['cut short', 'SQLite format 3\0'],
] as const)('a lock file that is %s is emptied and locked, by one holder only', async ([_what, content]) => {
  const stateDir = await temporaryFolder();
  await writeFile(join(stateDir, 'lock.sqlite'), content);
  const { ino } = await stat(join(stateDir, 'lock.sqlite'));
  using lock = tryLockState(stateDir, 'first', false) as HeldLock;
  expect(lock.wasDamaged).toBe(true);
  expect((await stat(join(stateDir, 'lock.sqlite'))).ino).toBe(ino);
  expect(refusal(stateDir)?.code).toBe('locked');
});

test('a held lock file that becomes garbage stays locked', async () => {
  const stateDir = await temporaryFolder();
  using _lock = lockState(stateDir, 'first');
  await writeFile(join(stateDir, 'lock.sqlite'), 'this is no database '.repeat(1000));
  expect(refusal(stateDir)?.code).toBe('locked');
});
