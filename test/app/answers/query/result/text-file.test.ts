import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withTextFile } from '../../../../../src/app/answers/query/result/text-file.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

test('texts are written to a new file', async () => {
  const path = join(await temporaryFolder(), 'rows');
  const write = () =>
    withTextFile(path, async (text) => {
      await text('a');
      await text('b');
      return 2;
    });
  expect(await write()).toBe(2);
  expect(readFileSync(path, 'utf8')).toBe('ab');
  await expect(write()).rejects.toThrow('EEXIST');
});

test('a file that failed at once does not come back after its removal', async () => {
  const folder = await temporaryFolder();
  for (let round = 0; round < 20; round++) {
    const path = join(folder, `rows-${round}`);
    await expect(withTextFile(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    rmSync(path, { force: true });
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readdirSync(folder)).toEqual([]);
});
