import { expect, test } from 'vitest';
import { lookUp } from '../../../src/core/text/look-up.ts';

test('only the names of a table are found, not those of every object', () => {
  expect(['a', 'b', 'constructor', '__proto__'].map((name) => lookUp({ a: 1 }, name))).toEqual([
    1,
    undefined,
    undefined,
    undefined,
  ]);
});
