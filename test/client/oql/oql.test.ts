import { expect, test } from 'vitest';
import { Oql } from '../../../src/client/oql/oql.ts';

test.for([
  { field: ['status_code', 'equals', 404] },
  { field: ['title', 'has_no_value', ''] },
  { field: ['title', 'contains', 'x', { ci: true, regex: false }] },
  { field: ['depth', 'between', [1, 4]] },
  { field: ['indexable', 'equals', true] },
  { field: ['n', 'gt', 2n ** 63n] },
  { and: [] },
  { and: [{ field: ['a', 'equals', 'b'] }, { or: [{ and: [{ field: ['c', 'lt', 1.5] }] }] }] },
])('is OQL: %o', (tree) => {
  expect(Oql.safeParse(tree)).toEqual({ success: true, data: tree });
});

test.for([
  {},
  [],
  'field',
  null,
  { field: ['status_code', 'equals'] },
  { field: ['status_code', 'is', 404] },
  { field: [404, 'equals', 404] },
  { field: ['a', 'equals', { b: 1 }] },
  { field: ['a', 'equals', null] },
  { field: ['a', 'contains', 'b', { fuzzy: true }] },
  { field: ['a', 'contains', 'b', { ci: 'yes' }] },
  { field: ['a', 'equals', 'b'], and: [] },
  { and: { field: ['a', 'equals', 'b'] } },
  { not: [{ field: ['a', 'equals', 'b'] }] },
  { and: [{ or: [{ field: ['a', 'like', 'b'] }] }] },
])('is not OQL: %o', (tree) => {
  expect(Oql.safeParse(tree).success).toBe(false);
});
