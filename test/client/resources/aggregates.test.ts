import { expect, test } from 'vitest';
import { aggregateRows } from '../../../src/client/resources/aggregates.ts';

const rowsOf = (table: Parameters<typeof aggregateRows>[0]) => aggregateRows(table, ['b', 'n'], '/aggs');

test('the rows of an aggregate contain the requested columns', () => {
  const table = {
    cols: ['a', 'b', 'n'],
    rows: [
      [1, 'x', 2],
      [3, null, 4],
    ],
  };
  expect(rowsOf(table)).toEqual([
    { b: 'x', n: 2 },
    { b: null, n: 4 },
  ]);
});

test.each([
  [undefined, 'answered an aggregate without a table'],
  [{ cols: ['b', 'n'] }, 'answered an aggregate without a table'],
  [{ rows: [] }, 'answered an aggregate without a table'],
  [{ error: 'too slow' }, 'answered an aggregate without a table: "too slow"'],
  [{ cols: ['b'], rows: [] }, 'whose columns are b: n is not there exactly once'],
  [{ cols: ['b', 'n', 'b'], rows: [] }, 'whose columns are b, n, b: b is not there exactly once'],
  [{ cols: ['b', 'n'], rows: [[1, 2], [1]] }, 'whose row 2 has 1 values for 2 columns'],
])('%j is refused: %s', (table, message) => {
  expect(() => rowsOf(table)).toThrow(message);
});

test('the error of an aggregate is the error of the service', () => {
  const error = { type: 'invalid_field', message: 'no such field: b', resource_type: 'field' };
  expect(() => rowsOf({ error })).toThrow('no such field: b');
});
