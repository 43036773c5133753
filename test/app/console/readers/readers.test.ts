import { utimes } from 'node:fs/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { Readers } from '../../../../src/app/console/readers/readers.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

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

test('a cached answer is reused for other people', async () => {
  await using readers = new Readers(settings, silentLogger);
  const signal = new AbortController().signal;
  let reads = 0;
  const read = async () => ++reads;
  expect(await readers.onceAsked('a', signal, read)).toBe(1);
  expect(await readers.onceAsked('a', signal, read)).toBe(1);
  readers.forget('a');
  expect(await readers.onceAsked('a', signal, read)).toBe(2);
});

test('an answer is read again on the next UTC day, because ticket states depend on the day', async () => {
  await using readers = new Readers(settings, silentLogger);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-29T00:00:00Z') });
  try {
    let reads = 0;
    const read = async () => ++reads;
    expect(await readers.once('a', read)).toBe(1);
    vi.setSystemTime(Date.parse('2026-11-29T23:59:59Z'));
    expect(await readers.once('a', read)).toBe(1);
    vi.setSystemTime(Date.parse('2026-11-30T00:00:00Z'));
    expect(await readers.once('a', read)).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a read whose first client disconnects continues for the other person who waits for it', async () => {
  await using readers = new Readers(settings, silentLogger);
  const { calls, read } = slowRead();
  const leaving = new AbortController();
  const left = readers.onceAsked('a', leaving.signal, read);
  const stays = readers.onceAsked('a', new AbortController().signal, read);
  await expect.poll(() => calls.length).toBe(1);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  await expect.poll(() => calls.length).toBe(2);
  calls[1]?.();
  expect(await stays).toBe('answer');
});

test('the answer cache is limited by size: the oldest answers go first, and oversized ones are not kept', async () => {
  await using readers = new Readers(settings, silentLogger);
  const read = (key: string, length: number): Promise<string> =>
    readers.once(key, async () => {
      reads.push(key);
      return 'x'.repeat(length);
    });
  const reads: string[] = [];
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await read(key, 15_000_000);
  expect(reads).toEqual(['a', 'b', 'c', 'b']);
  for (const key of ['huge', 'huge']) await read(key, 33_000_000);
  expect(reads).toEqual(['a', 'b', 'c', 'b', 'huge', 'huge']);
});

test('a preparation runs one query at a time in the slot of slow pages, and no page waits for it', async () => {
  const { lanes } = new Readers(settings, silentLogger);
  const begun: string[] = [];
  const never = (name: string) => () => new Promise<void>(() => begun.push(name));
  void lanes.preparing(() => lanes.slowPages.run(() => lanes.pages.run(never('slow'))));
  void lanes.preparing(() => lanes.pages.run(never('quick')));
  expect(await lanes.of({ subject: 'a' }, () => lanes.pages.run(async () => 'read'))).toBe('read');
  await expect.poll(() => begun).toEqual(['slow']);
});

test('a person reads what a preparation waits to read, and shares what it reads already', async () => {
  await using readers = new Readers(settings, silentLogger);
  const { lanes } = readers;
  const begun: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const read = (name: string) => () =>
    lanes.pages.run(async () => {
      begun.push(name);
      await promise;
      return name;
    });
  const first = lanes.preparing(() => readers.once('a', read('prepared a')));
  const second = lanes.preparing(() => readers.once('b', read('prepared b')));
  await expect.poll(() => begun).toEqual(['prepared a']);
  const shared = readers.once('a', read('a'));
  const own = readers.once('b', read('b'));
  await expect.poll(() => begun).toEqual(['prepared a', 'b']);
  resolve();
  expect(await Promise.all([first, second, shared, own])).toEqual([
    'prepared a',
    'prepared b',
    'prepared a',
    'b',
  ]);
  expect(await readers.once('b', read('again'))).toBe('b');
});

test('closing the readers ends shared reads', async () => {
  const readers = new Readers(settings, silentLogger);
  const { calls, read } = slowRead();
  const shared = readers.once('a', () => read(readers.closing));
  const ended = expect(shared).rejects.toThrow('closing');
  await expect.poll(() => calls.length).toBe(1);
  await readers[Symbol.asyncDispose]();
  await ended;
});

test('the stamp changes with the publication and the UTC day', async () => {
  await using readers = new Readers(settings, silentLogger);
  const first = await readers.currentStamp();
  expect(await readers.currentStamp()).toBe(first);
  await utimes(settings.warehouse, new Date(), new Date(Date.now() + 5000));
  const second = await readers.currentStamp();
  expect(second).not.toBe(first);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3600_000 });
  try {
    expect(await readers.currentStamp()).not.toBe(second);
  } finally {
    vi.useRealTimers();
  }
});

test('a preparation learns that many more answers would remove kept ones', async () => {
  await using readers = new Readers(settings, silentLogger);
  await readers.once('a', async () => 'x'.repeat(15_000_000));
  expect(readers.isHalfFull).toBe(false);
  await readers.once('b', async () => 'x'.repeat(2_000_000));
  expect(readers.isHalfFull).toBe(true);
  readers.forget('a');
  await readers.once('b', async () => '');
  expect(readers.isHalfFull).toBe(false);
  for (let n = 0; n < 1001; n++) await readers.once(`n${n}`, async () => '');
  expect(readers.isHalfFull).toBe(true);
});
