import { expect, test } from 'vitest';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { simulate } from '../support/simulate.ts';

const seed = roundSeed();
const DAYS = ALL_ROUNDS ? 365 : 30;

test(`after ${DAYS} mornings every crawl that was ever finished at one is in the warehouse once (seed ${seed})`, async () => {
  const summary = await simulate(DAYS, seed);
  console.log(summary);
  expect(summary).toContain('each once');
});
