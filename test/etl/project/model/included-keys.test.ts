import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namesMatcher } from '../../../../src/etl/project/model/included-keys.ts';

test('a star matches any characters, as in a regular expression', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '.'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 6 });
  fc.assert(
    fc.property(name, pattern, (text, written) => {
      const expression = new RegExp(`^${written.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's');
      expect(namesMatcher([written])(text)).toBe(expression.test(text));
    }),
    { numRuns: 2000 },
  );
});

test('a pattern with many stars takes linear time', () => {
  expect(namesMatcher([`${'a*'.repeat(5000)}b`])('a'.repeat(20_000))).toBe(false);
  expect(namesMatcher([`${'a*'.repeat(5000)}b`])(`${'a'.repeat(20_000)}b`)).toBe(true);
});
