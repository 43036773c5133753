import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Reserve } from '../../../../src/etl/state/ledger/reserve.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

function full(): Error {
  return Object.assign(new Error('database or disk is full'), { errcode: 13 });
}

test('a write that a full disk refuses is retried once with reserved space', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'reserve');
  using reserve = new Reserve(folder);
  expect(existsSync(path)).toBe(true);
  await reserve.spend(async () => {
    if (existsSync(path)) throw full();
  });
  expect(existsSync(path)).toBe(false);
  await expect(reserve.spend(() => Promise.reject(full()))).rejects.toThrow('full');
});

test('another error is not retried, and the reserved space is released at the end', async () => {
  const folder = await temporaryFolder();
  let tries = 0;
  {
    using reserve = new Reserve(folder);
    const work = async () => {
      tries++;
      throw new Error('no');
    };
    await expect(reserve.spend(work)).rejects.toThrow('no');
    expect(existsSync(join(folder, 'reserve'))).toBe(true);
  }
  expect([tries, existsSync(join(folder, 'reserve'))]).toEqual([1, false]);
});
