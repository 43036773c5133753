import { expect, test } from 'vitest';
import { columnsOf } from '../../../src/service/fields/column.ts';
import { checkOql } from '../../../src/service/oql/check-oql.ts';

const field = (name: string, type: string, more: object = {}) => ({ name, type, arity: 'one', ...more });
const FIELDS = [
  field('text', 'string'),
  field('number', 'natural'),
  field('flag', 'bool'),
  field('day', 'date'),
  field('time', 'datetime'),
  field('shape', 'object'),
  field('hidden', 'string', { can_filter: false }),
  field('few', 'string', { actions: ['equals'] }),
  field('no', 'string', { actions: [] }),
] as unknown as Parameters<typeof columnsOf>[0];
const columns = new Map(columnsOf(FIELDS).map((column) => [column.field.name, column]));

function problem(...leaf: unknown[]): string {
  try {
    checkOql({ field: leaf }, columns);
    return 'good';
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  [['text', 'equals', 'a'], 'good'],
  [['text', 'equals', 1], 'oql.field[2]: equals on text takes a string'],
  [['text', 'contains', 'a'], 'good'],
  [['number', 'contains', 'a'], 'oql.field[2]: contains on number is for strings, not for the type natural'],
  [['text', 'gt', 'a'], 'oql.field[2]: gt on text is for numbers and dates, not for the type string'],
  [['flag', 'lte', 1], 'oql.field[2]: lte on flag is for numbers and dates, not for the type bool'],
  [['number', 'gt', 1], 'good'],
  [['number', 'equals', 'a'], 'oql.field[2]: equals on number takes a number'],
  [['number', 'between', [1, 2]], 'good'],
  [
    ['number', 'between', [1, 'b']],
    'oql.field[2]: between on number takes an array of two values, each a number',
  ],
  [['flag', 'equals', true], 'good'],
  [['flag', 'equals', 'true'], 'good'],
  [['flag', 'equals', 'false'], 'good'],
  [['flag', 'equals', 'yes'], 'oql.field[2]: equals on flag takes true or false'],
  [['day', 'gte', '2025-02-28'], 'good'],
  [['day', 'gte', '2025/02/28'], 'good'],
  [['day', 'gte', '2025-02-30'], 'oql.field[2]: gte on day takes a date yyyy-MM-dd'],
  [['day', 'gte', '2025-13-01'], 'oql.field[2]: gte on day takes a date yyyy-MM-dd'],
  [['day', 'gte', 7], 'oql.field[2]: gte on day takes a date yyyy-MM-dd'],
  [['day', 'gte', 'soon'], 'oql.field[2]: gte on day takes a date yyyy-MM-dd'],
  [['time', 'gte', '2025/02/28 23:59:59 UTC'], 'good'],
  [['time', 'gte', '2025/02/28'], 'good'],
  [['time', 'gte', '2025/02/30'], 'oql.field[2]: gte on time takes a date yyyy/MM/dd HH:mm:ss UTC'],
  [['time', 'gte', '2025/02/28 24:00:00'], 'oql.field[2]: gte on time takes a date yyyy/MM/dd HH:mm:ss UTC'],
  [['time', 'gte', 7], 'oql.field[2]: gte on time takes a date yyyy/MM/dd HH:mm:ss UTC'],
  [['shape', 'has_value', ''], 'good'],
  [['shape', 'has_no_value', ''], 'good'],
  [['shape', 'equals', 'a'], 'oql.field[2]: equals on shape does not fit the type object'],
  [['hidden', 'equals', 'a'], "oql.field[0]: hidden can't be filtered by"],
  [['few', 'equals', 'a'], 'good'],
  [['few', 'contains', 'a'], 'oql.field[1]: few allows equals, not contains'],
  [['no', 'equals', 'a'], 'oql.field[1]: no allows no filter, not equals'],
  [
    ['number', 'equals', 1, { regex: true }],
    'oql.field[2]: equals on number takes no regular expression for the type natural',
  ],
])('%j: %s', (leaf, expected) => {
  expect(problem(...leaf)).toBe(expected);
});

test('an unknown field is refused with the fields if they are few', () => {
  const few = [...columns].slice(0, 2);
  const refuse = (of: typeof few) => () => checkOql({ field: ['x', 'equals', 'a'] }, new Map(of));
  expect(refuse(few)).toThrow('oql.field[0]: there is no field "x": those here are text, number');
  expect(refuse([])).toThrow('oql.field[0]: there is no field "x": those here are none');
  const [[, column] = []] = columns;
  const many = Array.from({ length: 13 }, (_, index) => [`f${index}`, column] as (typeof few)[0]);
  expect(refuse(many.slice(1))).toThrow('those here are');
  expect(refuse(many)).toThrow(/there is no field "x"$/);
});

test('a tree may have 20 regular expressions', () => {
  const tree = (count: number) => ({
    and: [
      { field: ['text', 'equals', 'a'] },
      ...Array.from({ length: count }, () => ({ field: ['text', 'equals', 'a', { regex: true }] })),
    ],
  });
  expect(checkOql(tree(20), columns)).toEqual(tree(20));
  expect(() => checkOql(tree(21), columns)).toThrow('more than 20 regular expressions');
});

test('a regular expression may have 1,000 characters', () => {
  expect(problem('text', 'equals', 'a'.repeat(1000), { regex: true })).toBe('good');
  expect(problem('text', 'equals', 'a'.repeat(1001), { regex: true })).toContain(
    'takes a regular expression of at most 1000 characters',
  );
});
