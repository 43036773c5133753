import { expect, test } from 'vitest';
import { eachApart } from '../../../src/core/errors/each-apart.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';

const NUMBERS = [1, 2, 3];

test('a failing item affects only itself', async () => {
  const done: number[] = [];
  const failed: unknown[] = [];
  await eachApart(
    NUMBERS,
    async (one) => {
      if (one === 2) throw new CrawlhouseError('contract_broken', 'two');
      done.push(one);
    },
    ({ message }, one) => failed.push([one, message]),
  );
  expect([done, failed]).toEqual([[1, 3], [[2, 'two']]]);
});

test('an abort ends the loop, and so does a failure that affects all items', async () => {
  const controller = new AbortController();
  const done: number[] = [];
  const work = async (one: number): Promise<void> => {
    done.push(one);
    if (one === 2) controller.abort(new CrawlhouseError('interrupted', 'stop'));
  };
  const loop = eachApart(NUMBERS, work, () => {}, controller.signal);
  await expect(loop).rejects.toMatchObject({ code: 'interrupted' });
  expect(done).toEqual([1, 2]);
  const refused = eachApart(
    NUMBERS,
    async () => Promise.reject(new CrawlhouseError('unauthorized', 'no')),
    (error) => {
      throw error;
    },
  );
  await expect(refused).rejects.toMatchObject({ code: 'unauthorized' });
});
