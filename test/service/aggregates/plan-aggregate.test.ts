import { expect, test } from 'vitest';
import type { AggregateQuery } from '../../../src/client/resources/aggregates.ts';
import { planAggregate } from '../../../src/service/aggregates/plan-aggregate.ts';
import { columnsOf } from '../../../src/service/fields/column.ts';

const field = (name: string, type: string, more: object = {}) => ({ name, type, arity: 'one', ...more });
const FIELDS = [
  field('text', 'string'),
  field('number', 'natural'),
  field('a:b', 'natural'),
  field('day', 'date'),
  field('time', 'datetime'),
  field('alone', 'string', { agg_dimension: false }),
  field('few', 'natural', { agg_metric_methods: ['max'] }),
  field('none', 'string', { agg_metric_methods: [] }),
] as unknown as Parameters<typeof columnsOf>[0];
const dataset = { table: 't', columns: columnsOf(FIELDS) };
const plan = (query: object) => planAggregate(dataset, query as AggregateQuery, 'aggs[0]');

test('a plan has the columns of its buckets and of its metric', () => {
  const ranges = [
    { name: 'low', from: 0, to: 1 },
    { name: 'high', from: 1 },
    { name: 'any', to: 3 },
  ];
  const query = { fields: [{ name: 'text' }, { name: 'number', ranges }], value: 'a:b:sum' };
  expect(plan({ ...query, oql: { field: ['number', 'gt', 1] } })).toMatchObject({
    path: 'aggs[0]',
    oql: { field: ['number', 'gt', 1] },
    buckets: [{ column: { field: { name: 'text' } } }, { column: { field: { name: 'number' } }, ranges }],
    metric: { column: { field: { name: 'a:b' } }, method: 'sum' },
  });
  expect(plan({ oql: null })).toMatchObject({ buckets: [], metric: undefined, oql: undefined });
});

const NAMED = 'aggs[0].fields[0]';
const METHODS = /^aggs\[0\]\.value: reads <field_name>:<method>, the method one of /;
test.each([
  [{ fields: [{ name: 'x' }] }, `${NAMED}.name: there is no field "x"`],
  [{ fields: [{ name: 'alone' }] }, `${NAMED}.name: alone can't be a bucket`],
  [{ fields: [{ name: 'text' }, { name: 'text' }] }, 'aggs[0].fields[1].name: text appears twice'],
  [
    { fields: [{ name: 'text', ranges: [] }] },
    `${NAMED}.ranges: only numeric fields accept ranges, not text of the type string`,
  ],
  [
    { fields: [{ name: 'number', ranges: [{ name: 'r' }, { name: 'r' }] }] },
    `${NAMED}.ranges[1].name: "r" appears twice`,
  ],
  [
    { fields: [{ name: 'number', ranges: [{ name: 'r', from: 1, to: 1 }] }] },
    `${NAMED}.ranges[0].to: 1 is not above from, which is 1`,
  ],
  [{ oql: { field: ['x', 'equals', 'a'] } }, /^aggs\[0\]\.oql\.field\[0\]/],
  [{ value: 'number' }, METHODS],
  [{ value: 'number:' }, METHODS],
  [{ value: 'number:most' }, METHODS],
  [{ value: 'x:sum' }, 'aggs[0].value: there is no field "x"'],
  [{ value: 'text:sum' }, 'aggs[0].value: text allows value_count, cardinality, not sum'],
  [{ value: 'text:max' }, /not max$/],
  [{ value: 'few:min' }, 'aggs[0].value: few allows max, not min'],
  [{ value: 'none:cardinality' }, 'aggs[0].value: none allows no method, not cardinality'],
])('%j is refused', (query, message) => {
  expect(() => plan(query)).toThrow(message);
});

test.each([
  ...['text:value_count', 'text:cardinality', 'day:min', 'day:max', 'time:min', 'time:max', 'number:avg'],
  ...['number:min', 'number:max', 'few:max'],
])('%s is allowed', (value) => {
  expect(plan({ value }).metric?.method).toBe(value.split(':')[1]);
});

test.each(['number', 'number:', 'number:most', 'x:most'])('%s is refused by its kind', (value) => {
  const kinds = { number: 'format', 'number:': 'format' } as Record<string, string>;
  expect(() => plan({ value })).toThrow(
    expect.objectContaining({
      fields: [expect.objectContaining({ type: kinds[value] ?? 'unknown_method' })],
    }),
  );
});
