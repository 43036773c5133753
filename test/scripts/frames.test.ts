import { expect, test } from 'vitest';
import { runStacks } from '../../scripts/frames.ts';
import '../support/process-timeout.ts';

/** A debugger that stops at a statement shows the way there: one function for each step, and no wrappers. */
const MOST = { insert: 18, model: 15 };

test('a load and a model are profiled under few functions', async () => {
  const { insert, model } = await runStacks();
  expect(insert.length, insert.join('\n')).toBeGreaterThan(5);
  expect(insert.length, insert.join('\n')).toBeLessThanOrEqual(MOST.insert);
  expect(model.length, model.join('\n')).toBeGreaterThan(5);
  expect(model.length, model.join('\n')).toBeLessThanOrEqual(MOST.model);
});
