import { expect, test } from 'vitest';
import { simulate } from '../support/simulate.ts';

test('after three weeks of mornings, some with faults, what was finished at one of them is in the warehouse once', async () => {
  expect(await simulate(21, 7)).toContain('each once');
});
