import { expect, expectTypeOf, test } from 'vitest';
import { and, or, where, whereOf } from '../../../src/client/oql/build-oql.ts';
import { Oql } from '../../../src/client/oql/oql.ts';

type PageFields = {
  url: 'string';
  status_code: 'natural';
  inrank_decimal: 'float';
  indexable: 'bool';
  canonical_evaluation: 'enum';
  fetch_date: 'datetime';
  raw: 'object';
};
const page = whereOf<PageFields>();

test('a tree is built from leaves, and, or', () => {
  const tree = and(
    where('status_code').gte(400),
    or(where('url').contains('/A', { ci: true }), where('title').hasNoValue()),
  );
  expect(tree).toEqual({
    and: [
      { field: ['status_code', 'gte', 400] },
      { or: [{ field: ['url', 'contains', '/A', { ci: true }] }, { field: ['title', 'has_no_value', ''] }] },
    ],
  });
});

test.for([
  [where('a').hasValue(), ['a', 'has_value', '']],
  [where('a').hasNoValue(), ['a', 'has_no_value', '']],
  [where('a').equals('x'), ['a', 'equals', 'x']],
  [where('a').equals('x', { regex: true }), ['a', 'equals', 'x', { regex: true }]],
  [where('a').equals(true), ['a', 'equals', true]],
  [where('a').notEquals(2n ** 64n), ['a', 'not_equals', 2n ** 64n]],
  [where('a').startsWith('x', { ci: true }), ['a', 'startswith', 'x', { ci: true }]],
  [where('a').endsWith('x'), ['a', 'endswith', 'x']],
  [where('a').gt(1), ['a', 'gt', 1]],
  [where('a').lt(1.5), ['a', 'lt', 1.5]],
  [where('a').lte('2025-01-01'), ['a', 'lte', '2025-01-01']],
  [where('a').between([1, 4]), ['a', 'between', [1, 4]]],
  [
    page('fetch_date').between(['2025/01/01', '2025/02/01']),
    ['fetch_date', 'between', ['2025/01/01', '2025/02/01']],
  ],
  [page('indexable').equals('true'), ['indexable', 'equals', 'true']],
] as const)('%o', ([built, leaf]) => {
  expect(built).toEqual({ field: leaf });
  expect(Oql.safeParse(built).success).toBe(true);
});

test('an invalid filter does not compile', () => {
  const wrong = (): unknown[] => [
    // @ts-expect-error numbers take no options
    where('a').gte(400, { ci: true }),
    // @ts-expect-error not_equals takes no options
    where('a').notEquals('x', { ci: true }),
    // @ts-expect-error equals of a number takes no options
    where('a').equals(1, { ci: true }),
    // @ts-expect-error there are two options only
    where('a').contains('x', { fuzzy: true }),
    // @ts-expect-error contains is for strings
    where('a').contains(1),
    // @ts-expect-error an order of booleans
    where('a').gt(true),
    // @ts-expect-error between takes a pair
    where('a').between([1]),
    // @ts-expect-error between takes a pair of one kind
    where('a').between([1, 'b']),
    // @ts-expect-error has_value fills in its value itself
    where('a').hasValue('x'),
    // @ts-expect-error a filter of the service's that the specification does not list
    where('a').notContains('x'),
    // @ts-expect-error a compound takes trees
    and({ field: ['a', 'like', 'b'] }),
  ];
  expect(wrong).toBeTypeOf('function');
});

test('a pair with three values reaches the request check, which refuses it', () => {
  const pair = [1, 4, 9] as unknown as [number, number];
  expect(where('a').between(pair)).toEqual({ field: ['a', 'between', [1, 4, 9]] });
  expect(Oql.safeParse(where('a').between(pair)).success).toBe(false);
});

test('with a map of types only filters that fit a field compile', () => {
  const wrong = (): unknown[] => [
    // @ts-expect-error no such field
    page('status'),
    // @ts-expect-error a number is not text
    page('status_code').equals('404'),
    // @ts-expect-error numbers have no parts
    page('status_code').contains('4'),
    // @ts-expect-error text has no order
    page('url').gt('a'),
    // @ts-expect-error a boolean is no number
    page('indexable').equals(1),
    // @ts-expect-error an enum is matched whole
    page('canonical_evaluation').contains('match'),
    // @ts-expect-error a date is text
    page('fetch_date').gte(2025),
    // @ts-expect-error an object only has a value or not
    page('raw').equals('x'),
  ];
  expect(wrong).toBeTypeOf('function');
  expectTypeOf(page('raw').hasValue()).toEqualTypeOf<Oql>();
  expectTypeOf(page('inrank_decimal').between)
    .parameter(0)
    .toEqualTypeOf<readonly [from: number | bigint, to: number | bigint]>();
});
