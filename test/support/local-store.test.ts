import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { objectStoreContract } from '../core/stores/object-store-contract.ts';
import { LocalStore } from './local-store.ts';
import { temporaryFolder } from './temporary.ts';

objectStoreContract('a folder', {
  open: async () => new LocalStore({ folder: await temporaryFolder() }),
  openMissing: async () => new LocalStore({ folder: join(await temporaryFolder(), 'missing') }),
  verified: 'length',
});

test('a key never leads outside of the folder', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file'), 'x');
  await using store = new LocalStore({ folder: join(folder, 'store') });
  const { signal } = new AbortController();
  for (const key of ['../file', 'a/../../file', '/file', 'a//b', '']) {
    await expect(store.put(key, join(folder, 'file'), signal)).rejects.toMatchObject({
      code: 'store_refused',
    });
  }
});
