import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { throughPager } from '../../../src/app/cli/pager.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { signal } = new AbortController();

/** A screen of ten lines, whose pager is a shell command that may write to `$PAGED`. */
async function screenWith(pager: string) {
  const file = join(await temporaryFolder(), 'paged');
  let direct = '';
  const keys: string[] = [];
  const screen = {
    rows: () => 10,
    pager: pager.replaceAll('$PAGED', file),
    yieldKeys: () => {
      keys.push('given');
      return { [Symbol.dispose]: () => void keys.push('back') };
    },
  };
  const write = async (text: string): Promise<void> => {
    direct += text;
  };
  return { screen, write, file, keys, direct: () => direct };
}

const lines = (count: number): string => 'line\n'.repeat(count);

test('a result that fits the screen is written directly', async () => {
  const { screen, write, keys, direct } = await screenWith('cat > $PAGED');
  const result = await throughPager({ screen, write, signal }, async (to) => {
    await to(lines(3));
    await to(`${lines(4)}\u001b[2J`);
    return 7;
  });
  expect([result, keys]).toEqual([7, []]);
  expect(direct()).not.toContain('\u001b');
  expect(direct().startsWith(lines(7))).toBe(true);
});

test('a longer result opens in the pager, which has the keyboard until it ends', async () => {
  const { screen, write, file, keys, direct } = await screenWith('cat > $PAGED');
  const result = await throughPager({ screen, write, signal }, async (to) => {
    await to(lines(7));
    expect(keys).toEqual([]);
    await to(lines(1));
    expect(keys).toEqual(['given']);
    await to('last\n');
    return 'all';
  });
  expect([result, direct(), keys]).toEqual(['all', '', ['given', 'back']]);
  expect(await readFile(file, 'utf8')).toBe(`${lines(8)}last\n`);
});

test('who leaves the pager ends the work without an error', async () => {
  const { screen, write, keys } = await screenWith('head -c 5 > /dev/null');
  const result = await throughPager({ screen, write, signal }, async (to, left) => {
    for (;;) {
      await to(lines(10_000));
      left.throwIfAborted();
    }
  });
  expect([result, keys]).toEqual([null, ['given', 'back']]);
});

test('an error of the work stays an error, with or without a pager', async () => {
  for (const count of [1, 20]) {
    const { screen, write, keys } = await screenWith('cat > $PAGED; sleep 0.05');
    const work = throughPager({ screen, write, signal }, async (to) => {
      await to(lines(count));
      throw new Error('broken');
    });
    await expect(work).rejects.toThrow('broken');
    expect(keys).toEqual(count === 1 ? [] : ['given', 'back']);
  }
});

test('without a terminal, everything is written directly', async () => {
  const { write, direct } = await screenWith('false');
  expect(await throughPager({ screen: null, write, signal }, (to) => to(lines(20)))).toBeUndefined();
  expect(direct()).toBe(lines(20));
});
