import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPlainFile, orMissing, readText } from '../../../src/core/files/read-text.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test('a byte order mark counts as text except at the start', async () => {
  const path = join(await temporaryFolder(), '.env');
  for (const [written, read] of [
    ['\ufeffA=1\r\n', 'A=1\r\n'],
    ['A=\ufeff1', 'A=\ufeff1'],
    ['\ufeff', ''],
    ['', ''],
  ] as const) {
    await writeFile(path, written);
    expect(await readText(path)).toBe(read);
  }
});

test('reading a folder is an error with its path', async () => {
  const path = await temporaryFolder();
  await expect(readText(path)).rejects.toMatchObject({ code: 'EISDIR', path });
});

test('a device and a file that is too large are refused before they are read', async () => {
  const path = join(await temporaryFolder(), 'large');
  await writeFile(path, '');
  await truncate(path, 32_000_001);
  await expect(readText(path)).rejects.toMatchObject({
    code: 'bad_project',
    message: `${path} has more than 32 MB`,
  });
  await truncate(path, 32_000_000);
  await checkPlainFile(path, 32_000_000);
  await expect(readText('/dev/null')).rejects.toMatchObject({
    message: '/dev/null is a pipe or a device; a plain file is expected there',
  });
});

test('only a missing file is null', async () => {
  const folder = await temporaryFolder();
  expect(await orMissing(readText(join(folder, 'missing')))).toBe(null);
  await expect(orMissing(readText(folder))).rejects.toMatchObject({ code: 'EISDIR' });
});
