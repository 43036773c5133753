import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, freeBytes } from '../../../src/core/files/disk-use.ts';
import { isOpenSomewhere } from '../../../src/core/files/open-files.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('the files of a folder and its folders are counted, missing ones are empty', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'a'), 'abc');
  await writeFile(join(folder, 'inner', 'b'), 'de');
  const paths = [folder, join(folder, 'a'), join(folder, 'inner'), join(folder, 'missing')];
  expect(await Promise.all(paths.map(bytesOf))).toEqual([5, 3, 2, 0]);
});

test('the free space of a disk is known, that of a missing folder is not', async () => {
  const folder = await temporaryFolder();
  expect(await freeBytes(folder)).toBeGreaterThan(0);
  expect(await freeBytes(join(folder, 'missing'))).toBe(null);
});

test.runIf(process.platform === 'linux')('an open file is distinguished from a closed one', async () => {
  const folder = await temporaryFolder();
  const [path, closed] = [join(folder, 'open'), join(folder, 'closed')];
  await writeFile(closed, '');
  await using _file = await open(path, 'w');
  expect([isOpenSomewhere(path), isOpenSomewhere(closed)]).toEqual([true, false]);
});
