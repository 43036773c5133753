import { expect, test } from 'vitest';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { simulate } from '../support/simulate.ts';

const seed = roundSeed();

test('after three lively weeks, some mornings with faults, what was finished at one of them is in the warehouse once', async () => {
  expect(await simulate(21, 7, 5)).toContain('each once');
});

test.runIf(ALL_ROUNDS)(
  `after a quieter year, what was finished on some mornings is in the warehouse once (seed ${seed})`,
  async () => {
    const summary = await simulate(365, seed);
    console.log(summary);
    expect(summary).toContain('each once');
  },
);
