import { expect, test } from 'vitest';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { simulate } from '../support/simulate.ts';

const seed = roundSeed();

test('after three eventful weeks with faults, everything finished by a given morning is in the warehouse once', async () => {
  expect(await simulate(21, 7, 5)).toContain('each once');
});

test.runIf(ALL_ROUNDS)(
  `after a quiet year, everything finished by given mornings is in the warehouse once (seed ${seed})`,
  async () => {
    const summary = await simulate(365, seed);
    console.log(summary);
    expect(summary).toContain('each once');
  },
);
