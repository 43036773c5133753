import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFile, writeFileAtomic } from '../../src/core/atomic-file.ts';
import { temporaryFolder } from '../support/temporary.ts';

test('a file is written whole, over the former one, and leaves nothing beside it', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'ready.json');
  await writeFileAtomic(path, 'old and longer');
  await writeFileAtomic(path, new TextEncoder().encode('new'));
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await readdir(folder)).toEqual(['ready.json']);
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

test('committing a file takes its temporary name away', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'a.tmp'), 'whole');
  await commitFile(join(folder, 'a.tmp'), join(folder, 'a'));
  expect(await readdir(folder)).toEqual(['a']);
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('whole');
});
