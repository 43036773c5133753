import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockState } from '../../../../src/core/locks/state-lock.ts';
import type { Progress } from '../../../../src/core/progress/progress.ts';
import { LiveRunFile, readLiveRun, watchLiveRun } from '../../../../src/etl/state/ledger/live-run.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const PROGRESS: Progress = {
  phase: 'download',
  steps: null,
  units: { done: 1, due: 4 },
  rows: { received: 25, expected: 60, isGuess: true },
  bytes: 96,
  seconds: 5,
  elapsed: 6,
  left: null,
};
const UNITS = [{ unit: 'crawl_pages/a', phase: 'stage' }] as const;

const runNow = (run_id: string) => ({ run_id, command: 'run', started_at: new Date().toISOString() });

test('other processes read the progress of the run that holds the lock', async () => {
  const folder = await temporaryFolder();
  using _lock = lockState(folder, 'run');
  let now = 0;
  const run = runNow('r1');
  using live = new LiveRunFile(folder, run, () => now);
  expect(readLiveRun(folder)).toEqual({ ...run, progress: null, at_work: [] });
  live.write(PROGRESS, UNITS);
  expect(readLiveRun(folder)).toEqual({ ...run, progress: PROGRESS, at_work: UNITS });
  // Once a second is often enough.
  now = 999;
  live.write({ ...PROGRESS, bytes: 97 }, []);
  expect(readLiveRun(folder)?.progress?.bytes).toBe(96);
  now = 1000;
  live.write({ ...PROGRESS, bytes: 98 }, []);
  expect(readLiveRun(folder)?.progress?.bytes).toBe(98);
  live[Symbol.dispose]();
  expect(existsSync(join(folder, 'progress.json'))).toBe(false);
});

test('leftovers of a killed run and a damaged file do not count', async () => {
  const folder = await temporaryFolder();
  using _live = new LiveRunFile(folder, runNow('killed'));
  const path = join(folder, 'progress.json');
  const written = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(written), pid: 1 }));
  expect(readLiveRun(folder)).toBeNull();
  using _lock = lockState(folder, 'run');
  expect(readLiveRun(folder)).toBeNull();
  writeFileSync(path, written.slice(0, 40));
  expect(readLiveRun(folder)).toBeNull();
});

test('leftovers of another container do not count, even with the same process id and host name', async () => {
  const folder = await temporaryFolder();
  using _live = new LiveRunFile(folder, runNow('killed'));
  const path = join(folder, 'progress.json');
  const written = JSON.parse(readFileSync(path, 'utf8'));
  expect(readLiveRun(folder)?.run_id).toBe('killed');
  writeFileSync(path, JSON.stringify({ ...written, scope: '0123456789ab' }));
  expect(readLiveRun(folder)).toBeNull();
});

test('a file written since the last check means a run in progress', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'progress.json');
  const look = watchLiveRun(folder);
  expect(look()).toBeNull();
  using _live = new LiveRunFile(folder, runNow('r1'));
  const other = { ...JSON.parse(readFileSync(path, 'utf8')), pid: 1 };
  writeFileSync(path, JSON.stringify(other));
  expect(look()).toBeNull();
  writeFileSync(path, JSON.stringify({ ...other, progress: PROGRESS }));
  expect(look()?.progress).toEqual(PROGRESS);
  expect(look()).toBeNull();
});

test('a progress file that cannot be written does not stop the run', async () => {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'progress.json.tmp', 'in the way'), { recursive: true });
  using live = new LiveRunFile(folder, runNow('r1'));
  expect(() => live.write(PROGRESS, UNITS)).not.toThrow();
  expect(existsSync(join(folder, 'progress.json'))).toBe(false);
});
