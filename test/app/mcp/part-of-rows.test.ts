import { expect, test } from 'vitest';
import { partOfRows, unitsOf } from '../../../src/app/mcp/part-of-rows.ts';

const ROWS = [1, 2, 3, 4, 5];
const part = (limit: number, cursor: string, ...total: [(number | null)?]) =>
  partOfRows(ROWS, { limit, cursor }, ...total);

test('a part has a cursor if more rows follow and were read', () => {
  expect(part(2, '0')).toEqual({ total: 5, rows: [1, 2], next_cursor: '2' });
  expect(part(2, '4')).toEqual({ total: 5, rows: [5] });
  expect(part(5, '0')).toEqual({ total: 5, rows: ROWS });
  expect(part(5, '0', 9)).toEqual({ total: 9, rows: ROWS, next_cursor: '5' });
  expect(part(6, '0', 9)).toEqual({ total: 9, rows: ROWS });
  expect(part(2, '0', null)).toEqual({ total: null, rows: [1, 2] });
  expect(part(2, '9', null)).toEqual({ total: null, rows: [] });
});

test('a cursor after the last row is refused, but an empty answer is not', () => {
  expect(() => part(2, '5')).toThrow('the cursor is after the last of 5 rows');
  expect(() => part(2, '6')).toThrow('the cursor is after');
  expect(partOfRows([], { limit: 2, cursor: '0' })).toEqual({ total: 0, rows: [] });
});

test('columns have their units', () => {
  expect(unitsOf([{ depth: 1 }, { average_load_time: 2, title: 'a' }])).toEqual({
    units: { depth: 'clicks from the start', average_load_time: 'milliseconds' },
  });
  expect(unitsOf([{ title: 'a' }])).toEqual({});
});
