import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Counts, reconcile } from '../../../../../src/etl/project/model/runs/six-counts.ts';

const even: Counts = { reported: 5, received: 5, staged: 4, rejected: 1, loaded: 4, queryable: 4 };

test('equal counts have no difference', () => {
  expect(reconcile(even)).toBeNull();
  expect(reconcile({ ...even, reported: null, loaded: null, queryable: null })).toBeNull();
});

test('the first difference names both places and numbers', () => {
  expect(reconcile({ ...even, reported: 6 })).toEqual({
    left: 'reported by the service',
    leftCount: 6,
    right: 'received',
    rightCount: 5,
  });
  expect(reconcile({ ...even, rejected: 0 })?.right).toBe('staged + rejected');
  expect(reconcile({ ...even, loaded: 3 })).toMatchObject({ left: 'staged', right: 'loaded' });
  expect(reconcile({ ...even, queryable: 3 })).toMatchObject({ left: 'loaded', rightCount: 3 });
});

test('any single deviating count is detected', () => {
  const keys = ['reported', 'received', 'staged', 'rejected', 'loaded', 'queryable'] as const;
  const counts = fc.record({ staged: fc.nat(1e6), rejected: fc.nat(1e6) });
  fc.assert(
    fc.property(counts, fc.constantFrom(...keys), fc.integer({ min: 1, max: 9 }), (count, key, off) => {
      const received = count.staged + count.rejected;
      const whole: Counts = {
        ...count,
        received,
        reported: received,
        loaded: count.staged,
        queryable: count.staged,
      };
      expect(reconcile(whole)).toBeNull();
      expect(reconcile({ ...whole, [key]: (whole[key] ?? 0) + off })).not.toBeNull();
    }),
  );
});
