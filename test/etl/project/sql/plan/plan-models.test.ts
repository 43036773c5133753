import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../../src/etl/project/sql/plan/plan-models.ts';
import { selectModels } from '../../../../../src/etl/project/sql/plan/select-models.ts';
import { runs } from '../../../../support/runs.ts';
import {
  expectBadModel,
  loadFiles,
  type ModelText,
  modelText,
} from '../../../pipeline/transform/model-files.ts';
import { runTexts, statuses } from '../../../pipeline/transform/run-texts.ts';
import {
  createTable,
  openWarehouse,
  type TestWarehouse,
} from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
  await createTable(warehouse.connection, 'raw.pages', { url: 'VARCHAR', Title: 'VARCHAR' }, [{ url: 'a' }]);
});
afterAll(() => warehouse[Symbol.asyncDispose]());

async function plan(models: Readonly<Record<string, ModelText>>) {
  const files = Object.entries(models).map(([name, model]) => [`m/${name}.sql`, modelText(name, model)]);
  return planModels({ connection: warehouse.connection, models: await loadFiles(Object.fromEntries(files)) });
}

const columns = ['x'];

test('a kept plan equals a new plan, for shipped models', async () => {
  const { connection, folder } = warehouse;
  const all = await loadModels([sqlFolder(join(import.meta.dirname, '../../../../../sql'))]);
  // `npm test` plays some of the models, and the long suite all.
  const some = async () => selectModels(await planModels({ connection, models: all }), ['+page_changes']);
  const models = runs(10) === 10 ? all : (await some()).map(({ model }) => model);
  const expectSame = async () => {
    const made = await planModels({ connection, models });
    expect(await planModels({ connection, models, stateDir: folder })).toEqual(made);
    expect(await planModels({ connection, models, stateDir: folder })).toEqual(made);
  };
  await expectSame();
  // What the former plan says of single statements is used again, where it still holds.
  await connection.run('CREATE TABLE raw.crawl_pages (url VARCHAR, depth BIGINT, custom_a VARCHAR)');
  await expectSame();
  await connection.run('ALTER TABLE raw.crawl_pages ALTER COLUMN custom_a TYPE BIGINT');
  await expectSame();
  await connection.run('ALTER TABLE raw.crawl_pages ADD COLUMN custom_b BIGINT[]');
  await expectSame();
  await connection.run('DROP TABLE raw.crawl_pages');
});

test('a kept plan is invalid if a source gains, loses or changes a column', async () => {
  const { connection, folder } = warehouse;
  const models = await loadFiles({
    'm/a.sql': modelText('a', {
      columns: ['x'],
      more: 'reads: {raw.kept: {x: BIGINT}}',
      sql: 'SELECT x FROM raw.kept',
    }),
  });
  const change = async (sql: string) => {
    await connection.run(sql);
    const kept = await planModels({ connection, models, stateDir: folder });
    expect(kept).toEqual(await planModels({ connection, models }));
  };
  await change('CREATE TABLE raw.kept (y BIGINT)');
  await change('ALTER TABLE raw.kept ADD COLUMN x BIGINT');
  await change('ALTER TABLE raw.kept ALTER COLUMN x TYPE VARCHAR');
  await change('ALTER TABLE raw.kept DROP COLUMN x');
  await change('DROP TABLE raw.kept');
});

test('each SELECT may end in ; before a comment, and a comment may end in ;', async () => {
  const ends = [';', '; -- done;', '-- ;'];
  const models = ends.map((end): [string, ModelText] => [
    `m${ends.indexOf(end)}`,
    {
      columns,
      more: [
        'incremental:',
        `  {by: x, partitions: "SELECT '1' AS x ${end}"}`,
        `tests: [{name: one, query: "SELECT 1 ${end}"}]`,
      ].join('\n'),
      sql: `SELECT '1' AS x ${end}`,
    },
  ]);
  expect(statuses(await runTexts(warehouse.connection, Object.fromEntries(models), 'all'))).toEqual({
    'mart.m0': 'built',
    'mart.m1': 'built',
    'mart.m2': 'built',
  });
});

// The header of a model with one column has eight lines, so its SQL begins on the ninth.
test.each<[string, ModelText, string, string?]>([
  [
    'a syntax error',
    { columns, sql: "SELECT 'é😀' AS x\n\nFROM FROM raw.pages" },
    'sql/m/a.sql:11: syntax error at or near "FROM"',
  ],
  [
    'a statement that is not a SELECT',
    { columns, sql: '\nCREATE TABLE x AS SELECT 1' },
    'sql/m/a.sql:10: is not a SELECT',
    'write exactly one SELECT after the header',
  ],
  [
    'two statements',
    { columns, sql: 'SELECT 1 AS x; SELECT 2 AS x' },
    'sql/m/a.sql:8: contains 2 statements',
  ],
  ['no statement', { columns, sql: '-- later' }, 'sql/m/a.sql:8: contains 0 statements'],
  [
    'a missing table',
    { columns, sql: 'SELECT 1 AS x\nFROM raw.pages\nJOIN raw.pagess USING (url)' },
    'sql/m/a.sql:11: reads raw.pagess, which is not in the warehouse',
    'declare its columns under reads: raw.pagess; then a missing table counts as empty',
  ],
  [
    'a model that nobody makes',
    { columns, sql: 'SELECT 1 AS x FROM mart.b' },
    'sql/m/a.sql:9: reads mart.b, which no model builds',
    'models: mart.a',
  ],
  [
    'a table of another schema',
    { columns, sql: 'SELECT 1 AS x FROM information_schema.tables' },
    'sql/m/a.sql:9: reads information_schema.tables, which does not exist',
  ],
  [
    'a table without a schema',
    { columns, sql: 'SELECT 1 AS x FROM pages' },
    'sql/m/a.sql:9: reads pages, without a schema',
    'raw.pages or mart.pages',
  ],
  [
    'a table with a catalog',
    { columns, sql: 'SELECT 1 AS x FROM warehouse.raw.pages' },
    'sql/m/a.sql:9: reads warehouse.raw.pages, which names a catalog',
  ],
  [
    'a column that is not declared',
    { columns, sql: 'SELECT 1 AS x, 2 AS y' },
    'sql/m/a.sql:6: the column y is not declared',
    'columns: y: DESCRIPTION',
  ],
  [
    'a declared column that is not put out',
    { columns: ['x', 'y'], sql: 'SELECT 1 AS x' },
    'sql/m/a.sql:8: the SELECT returns no column y',
    'it returns x',
  ],
  [
    'two columns of one name',
    { columns, sql: 'SELECT 1 AS x, 2 AS x' },
    'sql/m/a.sql:9: returns two columns x',
  ],
  [
    'a column that its source has not',
    { columns, sql: 'SELECT\n  urll AS x\nFROM raw.pages' },
    'sql/m/a.sql:10: Referenced column "urll" not found in FROM clause!',
    'Candidate bindings: "url"',
  ],
  [
    'a column that a completed source has not',
    { columns, more: 'reads:\n  raw.pages: {h1: VARCHAR}', sql: 'SELECT h1\n, urll AS x\nFROM raw.pages' },
    'sql/m/a.sql:12: Referenced column "urll" not found in FROM clause!',
  ],
  [
    'reads of a table that the SQL does not read',
    { columns, more: 'reads:\n  raw.pages: {url: VARCHAR}', sql: 'SELECT 1 AS x' },
    'sql/m/a.sql:9: reads declares raw.pages, which the SQL does not read',
  ],
  [
    'a type that DuckDB has not',
    {
      columns,
      more: 'reads:\n  raw.pages:\n    url: VARCHAR\n    n: NUMBERS',
      sql: 'SELECT n AS x FROM raw.pages',
    },
    'sql/m/a.sql:11: DuckDB has no type NUMBERS',
  ],
  [
    'a test that is not a SELECT',
    { columns, more: 'tests:\n  - query: DELETE FROM raw.pages', sql: 'SELECT 1 AS x' },
    'sql/m/a.sql:9: is not a SELECT',
  ],
  [
    'a test that does not bind',
    {
      columns,
      more: 'tests:\n  - name: t\n    query: |\n      SELECT 1\n      FROM mart.a WHERE y',
      sql: 'SELECT 1 AS x',
    },
    'sql/m/a.sql:12: Referenced column "y" not found in FROM clause!',
  ],
])('%s is refused', async (_name, model, message, hint) => {
  await expectBadModel(plan({ a: model }), message, hint);
});

test('a cycle is refused, and named', async () => {
  const a = { columns, sql: 'SELECT x FROM mart.b' };
  const b = { columns, sql: 'SELECT x FROM mart.c' };
  const c = { columns, sql: 'SELECT x FROM mart.b' };
  await expectBadModel(
    plan({ a, b, c }),
    'sql/m/b.sql:2: reads itself in a circle: mart.b → mart.c → mart.b',
  );
});

test('a declared table may be missing', async () => {
  const a = { columns, more: 'reads:\n  raw.gone: {x: BIGINT}', sql: 'SELECT x FROM raw.gone' };
  await expect(plan({ a })).resolves.toHaveLength(1);
});

test('models are checked in dependency order, even if none is built', async () => {
  const planned = await plan({
    a: { columns, sql: 'SELECT x + 1 AS x FROM mart.z WHERE mart.z.x > 0' },
    z: { columns, sql: 'WITH a AS (SELECT 1 AS x) SELECT x FROM a, raw.pages' },
  });
  expect(planned.map(({ model, sources, models }) => [model.name, [...sources], [...models]])).toEqual([
    ['mart.z', ['raw.pages'], []],
    ['mart.a', [], ['mart.z']],
  ]);
});

test('a column that differs only in case does not replace a missing one, and an existing one keeps its type', async () => {
  const more = 'reads:\n  raw.pages: {TITLE: BIGINT, n: BIGINT, url: BIGINT}';
  const [planned] = await plan({ a: { columns, more, sql: 'SELECT p.title || p.n AS x FROM raw.pages p' } });
  expect(planned?.sql.trim()).toBe(
    'SELECT p.title || p.n AS x FROM (SELECT * EXCLUDE ("Title"), CAST(NULL AS BIGINT) AS "TITLE", ' +
      'CAST(NULL AS BIGINT) AS "n" FROM "raw"."pages") p',
  );
});
