import { expect, test } from 'vitest';
import { testSeed } from '../support/random.ts';
import { simulate } from '../support/simulate.ts';

test(`after a year of mornings every crawl that was ever finished at one is in the warehouse once (seed ${testSeed()})`, async () => {
  const summary = await simulate(365, testSeed());
  console.log(summary);
  expect(summary).toContain('each once');
});
