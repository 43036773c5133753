import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodesOf, type SqlNode } from '../../../../../src/core/duckdb/serialize-sql.ts';
import { findNonPortable } from '../../../../../src/etl/project/sql/text/portable-sql.ts';
import { sourcesOf } from '../../../../../src/etl/project/sql/text/select-lineage.ts';
import { parseSelect } from '../../../../../src/etl/project/sql/text/sql-tree.ts';
import { tableReferences } from '../../../../../src/etl/project/sql/text/table-references.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

const PLACE = { file: 'large.sql', line: 1 };
const repeated = (times: number, one: (index: number) => unknown, between: string): string =>
  Array.from({ length: times }, (_, index) => one(index)).join(between);

/** As wide and as deep as DuckDB's parser lets SQL be. */
const large = {
  'a list of 150,000 values': `SELECT n FROM mart.t WHERE n IN (${repeated(150_000, (at) => at, ', ')})`,
  'an array of 150,000 values': `SELECT array_length(ARRAY[${repeated(150_000, (at) => at, ', ')}]) AS n FROM mart.t`,
  'a sum of 990 values': `SELECT ${repeated(990, () => 'n', ' + ')} AS n FROM mart.t`,
  'a join of 990 tables': `SELECT t0.n FROM ${repeated(990, (at) => `mart.t AS t${at}`, ', ')}`,
  'a condition of 20,000 parts': `SELECT n FROM mart.t WHERE ${repeated(20_000, () => 'n = 1', ' OR ')}`,
};

test.each(Object.entries(large))('the references of a statement with %s are found', async (_name, sql) => {
  const tree = await parseSelect(warehouse.connection, sql, PLACE);
  expect(tableReferences(tree)[0]).toMatchObject({ schema: 'mart', name: 't' });
  const columns = sourcesOf(tree, () => new Map([['n', new Set(['raw.x.n'])]]));
  expect(columns.has('n')).toBe(true);
  expect(await findNonPortable(warehouse.connection, sql, PLACE)).toEqual([]);
});

test('20,000 non-portable parts of a statement are reported with their lines', async () => {
  const sql = `SELECT n FROM mart.t WHERE n IN (\n${repeated(20_000, (at) => `${at}::BIGINT`, ',\n')})`;
  const found = await findNonPortable(warehouse.connection, sql, PLACE);
  expect(found).toHaveLength(20_000);
  expect([found[0], found.at(-1)]).toMatchObject([{ line: 2 }, { line: 20_001 }]);
});

test('a tree of 200,000 levels is walked without a stack overflow', () => {
  let tree: SqlNode = { type: 'BASE_TABLE', schema_name: 'mart', table_name: 't', query_location: 1 };
  for (let depth = 0; depth < 200_000; depth++)
    tree = depth % 2 === 0 ? { child: tree } : { children: [tree] };
  expect(tableReferences(tree)).toHaveLength(1);
  expect(nodesOf(tree).reduce((count) => count + 1, 0)).toBe(200_001);
});
