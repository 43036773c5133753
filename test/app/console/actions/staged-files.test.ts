import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { StagedFiles } from '../../../../src/app/console/actions/staged-files.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const { signal } = new AbortController();
const DAY = 86_400_000;

async function stagedFiles(isInUse: (id: string) => boolean = () => false) {
  const state = await temporaryFolder();
  const files = new StagedFiles(state, isInUse);
  const folders = (): Promise<string[]> => readdir(join(state, 'console', 'uploads')).catch(() => []);
  return { files, folders };
}

test('a file is stored with its content, and counts as settled', async () => {
  const { files, folders } = await stagedFiles();
  const file = await files.receive('a.log', Readable.from(['one', 'two']), signal);
  expect([files.has(file), await folders()]).toEqual([true, [file.slice(0, 32)]]);
  expect(await readFile(files.pathOf(file), 'utf8')).toBe('onetwo');
  expect((await stat(files.pathOf(file))).mtimeMs).toBeLessThan(Date.now() - 1000);
  await files.remove(file);
  expect([files.has(file), await folders()]).toEqual([false, []]);
});

test('nothing remains of a file that arrives only in part', async () => {
  const { files, folders } = await stagedFiles();
  const cut = new PassThrough();
  const received = files.receive('a.log', cut, signal);
  cut.write('one');
  cut.destroy(new Error('cut off'));
  await expect(received).rejects.toThrow('cut off');
  const leaving = new AbortController();
  const left = files.receive('a.log', new PassThrough(), leaving.signal);
  leaving.abort();
  await expect(left).rejects.toThrow();
  expect(await folders()).toEqual([]);
});

test('only a few files are received at the same time, and each end makes room', async () => {
  const { files } = await stagedFiles();
  const streams: PassThrough[] = [];
  const results: Promise<string>[] = [];
  for (let n = 0; n < 100; n++) {
    const stream = new PassThrough();
    streams.push(stream);
    results.push(files.receive(`${n}.log`, stream, signal));
  }
  const outcomes = Promise.allSettled(results);
  for (const stream of streams) stream.end('x');
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(98);
  for (const one of refused) expect(one).toMatchObject({ reason: { code: 'locked' } });
  expect(files.has(await files.receive('later.log', Readable.from(['x']), signal))).toBe(true);
});

test('a file that nobody added is removed after a day, unless it is in use', async () => {
  let used = '';
  const { files, folders } = await stagedFiles((id) => id === used);
  await files.removeOld(Date.now());
  const [old, young, busy] = [
    await files.receive('old.log', Readable.from(['x']), signal),
    await files.receive('young.log', Readable.from(['x']), signal),
    await files.receive('busy.log', Readable.from(['x']), signal),
  ];
  used = busy.slice(0, 32);
  const before = new Date(Date.now() - DAY - 60_000);
  for (const file of [old, busy]) await utimes(dirname(files.pathOf(file)), before, before);
  await files.removeOld(Date.now());
  expect((await folders()).toSorted()).toEqual([young, busy].map((file) => file.slice(0, 32)).toSorted());
});

test('a name that is not one of its own is refused', async () => {
  const { files } = await stagedFiles();
  for (const name of ['../x', 'a/b', `${'0'.repeat(32)}/../x`, `${'0'.repeat(32)}/.env`])
    expect(() => files.pathOf(name), name).toThrow();
});
