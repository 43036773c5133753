import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepResult } from '../../../src/core/duckdb/keep-result.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** A worker that counts how often it works. */
async function place() {
  const file = join(await temporaryFolder(), 'answer.kept');
  let times = 0;
  const ask = (inputs: unknown, folder = file): Promise<readonly unknown[]> =>
    keepResult({ file: folder, inputs }, async () => [inputs, ++times]);
  return { file, ask };
}

test('the same inputs return the kept result, other inputs a new one', async () => {
  const { ask } = await place();
  const inputs = new Map([['a', new Set([1])]]);
  const first = await ask(inputs);
  expect(await ask(new Map([['a', new Set([1])]]))).toEqual(first);
  expect((await ask(new Map([['a', new Set([2])]])))[1]).toBe(2);
  expect((await ask(inputs))[1]).toBe(3);
});

test('a changed, truncated or missing result file only repeats the work', async () => {
  const { file, ask } = await place();
  await ask('x');
  const whole = await readFile(file);
  let times = 1;
  for (let at = 0; at < whole.length; at += 9) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await writeFile(file, damaged);
    expect(await ask('x')).toEqual(['x', ++times]);
  }
  await writeFile(file, whole.subarray(0, -1));
  expect(await ask('x')).toEqual(['x', ++times]);
  await rm(file);
  expect(await ask('x')).toEqual(['x', ++times]);
});

test('if nothing can be kept, the work still runs', async () => {
  const { file, ask } = await place();
  expect(await ask('x', join(file, 'no', 'folder'))).toEqual(['x', 1]);
});
