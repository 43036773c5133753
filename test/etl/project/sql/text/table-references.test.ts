import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseSelect } from '../../../../../src/etl/project/sql/text/sql-tree.ts';
import { tableReferences } from '../../../../../src/etl/project/sql/text/table-references.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

async function references(sql: string): Promise<string[]> {
  const tree = await parseSelect(warehouse.connection, sql, { file: 'test.sql', line: 1 });
  return tableReferences(tree).map(({ catalog, schema, name }) =>
    [catalog, schema, name].filter((part) => part !== '').join('.'),
  );
}

test.each<[string, string, string[]]>([
  [
    'joins, commas and aliases',
    'SELECT * FROM raw.a AS x JOIN raw.b y USING (i), raw.c',
    ['raw.a', 'raw.b', 'raw.c'],
  ],
  ['a duplicate table', 'SELECT * FROM raw.a x, raw.a y', ['raw.a', 'raw.a']],
  [
    'names in quotes and of three parts',
    'SELECT * FROM "w x"."Sch ema"."t.1", raw . b',
    ['w x.Sch ema.t.1', 'raw.b'],
  ],
  ['expressions of a WITH', 'WITH a AS (FROM raw.a), b AS (FROM a) SELECT * FROM a, b', ['raw.a']],
  ['names regardless of case', 'WITH Pages AS (FROM raw.p) SELECT * FROM PAGES', ['raw.p']],
  ['a qualified name that an expression has too', 'WITH p AS (FROM raw.p) FROM raw.p, p', ['raw.p', 'raw.p']],
  ['an expression that reads the table it is named like', 'WITH p AS (FROM p) FROM p', ['p']],
  ['an expression that reads a later one', 'WITH a AS (FROM b), b AS (SELECT 1) FROM a', ['b']],
  ['an expression out of its scope', 'SELECT * FROM (WITH x AS (SELECT 1) FROM x), x', ['x']],
  ['an expression seen from below', 'WITH x AS (SELECT 1) SELECT (SELECT 1 FROM x, raw.u)', ['raw.u']],
  [
    'a recursive expression',
    'WITH RECURSIVE r AS (FROM raw.seed UNION ALL SELECT e.* FROM r JOIN raw.edge e USING (i)) FROM r',
    ['raw.seed', 'raw.edge'],
  ],
  [
    'a recursive expression that begins with the table it is named like',
    'WITH RECURSIVE r AS (FROM r UNION ALL FROM r) FROM r',
    ['r'],
  ],
  [
    'a recursive expression with a key and a WITH of its own',
    'WITH RECURSIVE r(a) USING KEY (a) AS (WITH s AS (FROM raw.s) SELECT 1 FROM s UNION FROM (SELECT a FROM recurring.r)) FROM r',
    ['raw.s'],
  ],
  [
    'subqueries wherever they stand',
    `SELECT (SELECT max(i) FROM raw.a), [x FOR x IN l IF x > (SELECT 1 FROM raw.b)]
     FROM raw.c, LATERAL (SELECT * FROM raw.d WHERE raw.d.i = c.i)
     WHERE EXISTS (FROM raw.e) AND i IN (FROM raw.f)
     GROUP BY ALL HAVING count(*) > (SELECT count(*) FROM raw.g)
     QUALIFY row_number() OVER (ORDER BY (SELECT i FROM raw.h)) = 1
     ORDER BY (SELECT 1 FROM raw.i) LIMIT (SELECT 1 FROM raw.j)`,
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((name) => `raw.${name}`),
  ],
  ['sets', '(FROM raw.a EXCEPT FROM raw.b) UNION ALL BY NAME FROM raw.c', ['raw.a', 'raw.b', 'raw.c']],
  ['a pivot', 'FROM raw.p PIVOT (sum(n) FOR kind IN (1, 2))', ['raw.p']],
  ['a pivot as a statement', 'WITH x AS (PIVOT raw.p ON k IN (1) USING sum(n)) FROM x', ['raw.p']],
  ['no table', 'SELECT * FROM range(3), unnest([1]) AS u, (VALUES (1)) AS v', []],
])('%s', async (_name, sql, expected) => {
  expect(await references(sql)).toEqual(expected);
});
