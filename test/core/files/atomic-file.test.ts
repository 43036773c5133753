import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFile, fillFile, writeFileAtomic, writeWhole } from '../../../src/core/files/atomic-file.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a file is replaced as a whole, and leaves no temporary file', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'ready.json');
  await writeFileAtomic(path, 'old and longer');
  await writeFileAtomic(path, new TextEncoder().encode('new'));
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await readdir(folder)).toEqual(['ready.json']);
});

test('a file keeps its mode, and a symbolic link its target', async () => {
  const folder = await temporaryFolder();
  const [path, link] = [join(folder, 'ours.yaml'), join(folder, 'link.yaml')];
  await writeFile(path, 'old');
  await chmod(path, 0o606);
  await symlink('ours.yaml', link);
  await writeFileAtomic(link, 'new');
  expect([await readlink(link), await readFile(path, 'utf8')]).toEqual(['ours.yaml', 'new']);
  expect((await stat(path)).mode & 0o777).toBe(0o606);
  await writeFileAtomic(path, 'secret', 0o600);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).sort()).toEqual(['link.yaml', 'ours.yaml']);
});

test('a write that fails leaves the former state and no temporary file', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'taken');
  await mkdir(path);
  await writeFile(join(path, 'inside'), 'x');
  await expect(writeFileAtomic(path, 'text')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  expect(await readdir(folder)).toEqual(['taken']);
  expect(await readdir(path)).toEqual(['inside']);
});

test('committing a file removes its temporary name', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a.tmp'), 'whole');
  await commitFile(join(folder, 'a.tmp'), join(folder, 'a'));
  expect(await readdir(folder)).toEqual(['a']);
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('whole');
});

const GROWING = '5f0c6a3e-7a53-4c61-9f0f-3f6d5d0e6a01';

test('temporary files of killed processes are removed after an hour, and no other files', async () => {
  const folder = await temporaryFolder();
  const names = [`a.${GROWING}.tmp`, `a.${GROWING.replace('5', '6')}.tmp`, `b.${GROWING}.tmp`, 'a.tmp'];
  for (const name of names) await writeFile(join(folder, name), '');
  await mkdir(join(folder, 'a.duckdb.tmp'));
  for (const name of [names[0], names[2], 'a.tmp', 'a.duckdb.tmp'])
    await utimes(join(folder, `${name}`), 0, 0);
  await writeFileAtomic(join(folder, 'a'), 'x');
  await writeFileAtomic(join(folder, 'a.duckdb'), 'x');
  expect((await readdir(folder)).sort()).toEqual(['a', 'a.duckdb', 'a.duckdb.tmp', ...names.slice(1)].sort());
});

test('two processes with the same id on two machines write separate files', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'state.json');
  const first = Promise.withResolvers<void>();
  const slow = writeWhole(path, async (growing) => {
    await writeFile(growing, 'the first one');
    await first.promise;
  });
  await writeFileAtomic(path, 'the second one');
  first.resolve();
  await slow;
  expect(await readFile(path, 'utf8')).toBe('the first one');
  expect(await readdir(folder)).toEqual(['state.json']);
});

test('a file with another number of bytes than promised is refused', async ({ skip }) => {
  const why = noSmallDisk();
  if (why !== null) skip(why);
  const { path: disk } = await smallDisk(4);
  const { signal } = new AbortController();
  const bytes = async function* (count: number) {
    for (let n = 0; n < count; n++) yield Buffer.alloc(1_000_000, n);
  };
  await fillFile(join(disk, 'whole'), bytes(2), 2_000_000, signal);
  await expect(fillFile(join(disk, 'short'), bytes(1), 1_500_000, signal)).rejects.toMatchObject({
    code: 'cut_short',
  });
  await expect(
    writeWhole(join(disk, 'full'), (growing) => fillFile(growing, bytes(9), 9_000_000, signal)),
  ).rejects.toMatchObject({ code: 'ENOSPC' });
  expect((await readdir(disk)).filter((name) => name.startsWith('full'))).toEqual([]);
});
