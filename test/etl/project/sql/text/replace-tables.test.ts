import { afterAll, beforeAll, expect, test } from 'vitest';
import { completedSource } from '../../../../../src/etl/project/sql/plan/source-tables.ts';
import { replaceTables } from '../../../../../src/etl/project/sql/text/replace-tables.ts';
import { sqlReferences } from '../../../../../src/etl/project/sql/text/sql-references.ts';
import {
  createTable,
  openWarehouse,
  type TestWarehouse,
} from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
  await createTable(warehouse.connection, 'raw.pages', { url: 'VARCHAR' }, [{ url: 'a' }, { url: 'b' }]);
  await createTable(warehouse.connection, 'raw.other', { url: 'VARCHAR' }, [{ url: 'a' }]);
});
afterAll(() => warehouse[Symbol.asyncDispose]());

/** Completes raw.pages, which lacks `title`, and raw.gone, which is not there. */
async function rewrite(sql: string): Promise<string> {
  const references = await sqlReferences(warehouse.connection, sql, { file: 'test.sql', line: 1 });
  const declared = new Map([
    ['url', 'VARCHAR'],
    ['title', 'VARCHAR'],
  ]);
  return replaceTables(sql, references, ({ schema, name }) => {
    const source = `${schema}.${name}`.toLowerCase();
    if (source === 'raw.pages')
      return completedSource(source, declared, new Map([['url', { name: 'url', type: 'VARCHAR' }]]));
    return source === 'raw.gone' ? completedSource(source, declared, undefined) : undefined;
  });
}

test.each<[string, string, object[]]>([
  ['under an alias', 'SELECT p.url, p.title FROM raw.pages AS p ORDER BY ALL', both()],
  ['under its own name', 'SELECT pages.url, pages.title FROM raw.pages ORDER BY ALL', both()],
  [
    'by schema and name',
    'SELECT raw.pages.url, "raw".Pages.title FROM raw.pages ORDER BY raw.pages.url',
    both(),
  ],
  ['with renamed columns', 'SELECT u AS url, t AS title FROM raw.pages AS p(u, t) ORDER BY ALL', both()],
  ['with an alias in front', 'SELECT p.url, p.title FROM p: raw.pages ORDER BY ALL', both()],
  ['in quotes, with comments', 'SELECT url, title FROM "RAW" /* . */ . -- .\n "pages" ORDER BY ALL', both()],
  [
    'behind text that is not ASCII',
    "SELECT url, title, 'é😀' AS e FROM raw.pages WHERE url = 'a'",
    [{ url: 'a', title: null, e: 'é😀' }],
  ],
  [
    'in a WITH of the same name',
    'WITH pages AS (FROM raw.pages) SELECT url, title FROM pages ORDER BY ALL',
    both(),
  ],
  [
    'in joins of all kinds',
    `SELECT x.url, y.title FROM raw.pages x SEMI JOIN raw.other USING (url)
     LEFT JOIN raw.pages y USING (url)`,
    [{ url: 'a', title: null }],
  ],
  [
    'twice, once as a subquery',
    'SELECT url, (SELECT max(title) FROM raw.pages) AS title FROM raw.pages ORDER BY 1',
    both(),
  ],
  ['with a sample', 'SELECT count(*) AS n FROM raw.pages TABLESAMPLE 100%', [{ n: '2' }]],
  [
    'in a pivot',
    "FROM (SELECT url, title FROM raw.pages) PIVOT (count(title) FOR url IN ('a'))",
    [{ a: '0' }],
  ],
  [
    'in a set',
    'SELECT url FROM raw.pages EXCEPT ALL SELECT title FROM raw.gone ORDER BY url',
    [{ url: 'a' }, { url: 'b' }],
  ],
  ['that is missing', 'SELECT url, title FROM raw.gone', []],
  [
    'that is missing, with a star',
    'SELECT count(*) AS n, count(g) AS g FROM raw.gone AS g',
    [{ n: '0', g: '0' }],
  ],
  [
    'beside a lambda',
    "SELECT list_transform([1], lambda x: x + 1) AS l, title FROM raw.pages WHERE url = 'a'",
    [{ l: [2], title: null }],
  ],
])('a table is completed %s', async (_name, sql, expected) => {
  expect(await warehouse.connection.jsonRows(await rewrite(sql))).toEqual(expected);
});

test('all other text stays unchanged', async () => {
  const sql = '-- raw.pages\nSELECT \'raw.pages\' AS "raw.pages", lambda_ FROM raw.other -- raw.pages\n';
  expect(await rewrite(sql)).toBe(sql);
  expect(await rewrite('SELECT *\nFROM raw.pages -- here\nWHERE true')).toBe(
    'SELECT *\nFROM (SELECT *, CAST(NULL AS VARCHAR) AS "title" FROM "raw"."pages") AS pages -- here\nWHERE true',
  );
});

function both(): object[] {
  return [
    { url: 'a', title: null },
    { url: 'b', title: null },
  ];
}
