import { expect, test } from 'vitest';
import { orderModels } from '../../../../../src/etl/project/sql/models/order-models.ts';

function graph(edges: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(edges).map(([name, reads]) => [name, new Set(reads)]));
}

test('a model follows its inputs, else the order is by name', () => {
  const order = ['b', 'd', 'a', 'c'];
  expect(orderModels(graph({ a: ['d'], b: [], c: ['a', 'b'], d: ['b'] }))).toEqual({ order });
  expect(orderModels(graph({ c: ['b', 'a'], d: ['b'], b: [], a: ['d'] }))).toEqual({ order });
});

test('a cycle is found and shown', () => {
  expect(orderModels(graph({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual({ circle: ['b', 'c', 'b'] });
  expect(orderModels(graph({ a: ['a'] }))).toEqual({ circle: ['a', 'a'] });
});

test('a diamond is not a cycle', () => {
  expect(orderModels(graph({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual({
    order: ['d', 'b', 'c', 'a'],
  });
});
