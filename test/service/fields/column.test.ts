import { expect, test } from 'vitest';
import { columnsOf, isMany, valueKind } from '../../../src/service/fields/column.ts';
import { fieldRecord, recordsOf } from '../../../src/service/fields/field-record.ts';

test.for([
  ['natural', 'number', 'int', 'json'],
  ['integer', 'number', 'int', 'json'],
  ['float', 'number', 'float', 'json'],
  ['ratio', 'number', 'float', 'json'],
  ['string', 'text', 'text', 'texts'],
  ['enum', 'text', 'text', 'texts'],
  ['hash', 'text', 'text', 'texts'],
  ['bool', 'bool', 'bool', 'json'],
  ['date', 'date', 'text', 'texts'],
  ['datetime', 'datetime', 'text', 'texts'],
  ['object', 'opaque', 'json', 'json'],
] as const)('values of type %s are treated as %s, and stored as %s or %s', ([type, values, one, many]) => {
  expect(valueKind({ type })).toBe(values);
  const columns = columnsOf([fieldRecord('a', type), fieldRecord('b', type, 'many')]);
  expect(columns.map((column) => [column.id, column.field.name, column.kind, isMany(column)])).toEqual([
    ['c0', 'a', one, false],
    ['c1', 'b', many, true],
  ]);
});

const EQUALITY = ['has_value', 'has_no_value', 'equals', 'not_equals'];
const COUNTS = ['value_count', 'cardinality'];

test.for([
  ['string', [...EQUALITY, 'contains', 'startswith', 'endswith'], COUNTS],
  ['enum', EQUALITY, COUNTS],
  ['bool', EQUALITY, COUNTS],
  ['date', [...EQUALITY, 'gt', 'gte', 'lt', 'lte', 'between'], COUNTS],
  ['float', [...EQUALITY, 'gt', 'gte', 'lt', 'lte', 'between'], ['min', 'max', 'avg', 'sum', ...COUNTS]],
] as const)('a field of type %s can be filtered by %j and has the metrics %j', ([type, actions, metrics]) => {
  const plain = { agg_dimension: true, can_display: true, can_filter: true, can_sort: true };
  const record = { name: 'a', type, arity: 'one', actions, agg_metric_methods: metrics, ...plain };
  expect(fieldRecord('a', type)).toEqual(record);
  expect(fieldRecord('a', type, 'many')).toEqual({ ...record, arity: 'many', can_sort: false });
});

test('objects can only be displayed, and fields with the same properties are written together', () => {
  const [object, ...enums] = recordsOf([
    ['a', 'object'],
    ['b c', 'enum', 'one', ['x', 'y']],
  ]);
  expect(object).toMatchObject({
    actions: ['has_value', 'has_no_value'],
    can_filter: false,
    can_sort: false,
  });
  expect([object?.agg_dimension, object && 'values' in object]).toEqual([false, false]);
  expect(enums.map(({ name, values }) => [name, values])).toEqual([
    ['b', ['x', 'y']],
    ['c', ['x', 'y']],
  ]);
});
