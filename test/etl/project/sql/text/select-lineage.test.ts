import { afterAll, beforeAll, expect, test } from 'vitest';
import { sourcesOf } from '../../../../../src/etl/project/sql/text/select-lineage.ts';
import { parseSelect } from '../../../../../src/etl/project/sql/text/sql-tree.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

test.each<[string, Record<string, string[]>]>([
  ['SELECT unnest([struct_pack(a := n, b := m)]) FROM mart.t', { a: ['n'], b: ['m'] }],
  ['SELECT unnest([struct_pack(a := n, b := m)]) AS both FROM mart.t', { both: ['m', 'n'] }],
  ['SELECT unnest([n, m]) FROM mart.t', { 'column 0': ['m', 'n'] }],
  ['SELECT * EXCLUDE (m) FROM mart.t', { n: ['n'] }],
  ['SELECT x.* REPLACE (m AS n) FROM mart.t AS x', { n: ['m'], m: ['m'] }],
])('the sources of %s', async (sql, expected) => {
  const tree = await parseSelect(warehouse.connection, sql, { file: 'm.sql', line: 1 });
  const columns = ['n', 'm'].map((name) => [name, new Set([name])] as const);
  const found = [...sourcesOf(tree, () => new Map(columns))];
  expect(Object.fromEntries(found.map(([name, of]) => [name, [...of].sort()]))).toEqual(expected);
});
