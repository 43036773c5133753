import { expect, test } from 'vitest';
import { readCustomFields } from '../../../../src/site/crawler/custom-fields/custom-field.ts';

test('too many rules are refused before any rule is read', () => {
  let reads = 0;
  const rule = {
    get name() {
      reads += 1;
      return 'price';
    },
    css: 'b',
  };
  const problem = readCustomFields(
    Array.from({ length: 100_000 }, () => rule),
    false,
  );
  expect(problem).toMatchObject({ place: 'custom_fields', problem: expect.stringContaining('40') });
  expect(reads).toBe(0);
});
