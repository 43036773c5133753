import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readText } from '../../../src/core/files/read-text.ts';
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
