import { beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { Readers } from '../../../src/people/console/desk/desk.ts';
import type { Settings } from '../../../src/project/settings/settings.ts';
import { sharedFolder } from '../../support/temporary.ts';
import { projectWithWarehouse } from './project-with-warehouse.ts';

const folder = sharedFolder();
let settings: Settings;
beforeAll(async () => {
  settings = await projectWithWarehouse(folder);
});

/** Answers when it is told to, or ends with its signal. */
function slowRead() {
  const calls: (() => void)[] = [];
  const read = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      calls.push(() => resolve('answer'));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { calls, read };
}

test('what one person asked is kept for the next', async () => {
  await using desk = new Readers(settings, silentLogger);
  const signal = new AbortController().signal;
  let reads = 0;
  const read = async () => ++reads;
  expect(await desk.onceAsked('a', signal, read)).toBe(1);
  expect(await desk.onceAsked('a', signal, read)).toBe(1);
  desk.forget('a');
  expect(await desk.onceAsked('a', signal, read)).toBe(2);
});

test('what ends because one person left is read anew for the other who waits for it', async () => {
  await using desk = new Readers(settings, silentLogger);
  const { calls, read } = slowRead();
  const leaving = new AbortController();
  const left = desk.onceAsked('a', leaving.signal, read);
  const stays = desk.onceAsked('a', new AbortController().signal, read);
  await expect.poll(() => calls.length).toBe(1);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect.poll(() => calls.length).toBe(2);
  calls[1]?.();
  expect(await stays).toBe('answer');
});

test('answers are kept by their size too: the oldest go first, and one that is too large is kept by nobody', async () => {
  await using desk = new Readers(settings, silentLogger);
  const read = (key: string, length: number): Promise<string> =>
    desk.once(key, async () => {
      reads.push(key);
      return 'x'.repeat(length);
    });
  const reads: string[] = [];
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await read(key, 15_000_000);
  expect(reads).toEqual(['a', 'b', 'c', 'b']);
  for (const key of ['huge', 'huge']) await read(key, 33_000_000);
  expect(reads).toEqual(['a', 'b', 'c', 'b', 'huge', 'huge']);
});
