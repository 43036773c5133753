import { expect, test } from 'vitest';
import { simulate } from '../support/simulate.ts';

test('after three lively weeks, some mornings with faults, what was finished at one of them is in the warehouse once', async () => {
  expect(await simulate(21, 7, 5)).toContain('each once');
});
