import { afterAll, beforeAll, expect, test } from 'vitest';
import { planModels } from '../../../src/pipeline/transform/plan-models.ts';
import { expectBadModel, loadFiles, modelText } from './model-files.ts';
import { createTable, openWarehouse, type TestWarehouse } from './test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
  await createTable(warehouse.connection, 'raw.pages', { url: 'VARCHAR', n: 'BIGINT' }, [
    { url: 'a', n: 1n },
  ]);
});
afterAll(() => warehouse[Symbol.asyncDispose]());

const MODEL = modelText('a', {
  columns: ['url'],
  more: 'reads: {raw.pages: {url: VARCHAR, late: DATE}}',
  sql: 'SELECT p.url FROM raw.pages AS p WHERE p.late IS NULL QUALIFY row_number() OVER (ORDER BY url) = 1',
});

async function plan(own: string, model = MODEL) {
  const models = await loadFiles({ 'm/a.sql': model, 'm/a.trino.sql': own });
  const [planned] = await planModels({ connection: warehouse.connection, models });
  return planned?.trinoSql;
}

test('tables become names of a WITH, with what they lack; texts, comments and other names stay', async () => {
  const own = `-- of raw.pages
SELECT p.url, 'raw.pages' AS "raw.pages" /* mart.b */
FROM raw."pages" AS p JOIN RAW
./* here */Pages ON raw.pages.n = p.n;
`;
  expect(await plan(own)).toEqual({
    file: 'sql/m/a.trino.sql',
    sql: `-- of raw.pages
SELECT p.url, 'raw.pages' AS "raw.pages" /* mart.b */
FROM "raw.pages" AS p JOIN "raw.pages"
 ON "raw.pages".n = p.n`,
    tables: new Map([['raw.pages', 'SELECT *, CAST(NULL AS DATE) AS "late" FROM "raw"."pages"']]),
  });
});

test('former names of columns stand behind the present ones here too', async () => {
  const renamed = MODEL.replace('\n*/', '\nrenamed: {address: url}\n*/');
  expect((await plan('SELECT url FROM raw.pages', renamed))?.sql).toBe(
    'SELECT *, "url" AS "address" FROM (SELECT url FROM "raw.pages"\n) AS model',
  );
});

test.each([
  [
    'a table that the model does not read',
    '\nSELECT 1 AS url FROM ops.loads',
    'sql/m/a.trino.sql:2: reads ops.loads',
  ],
  [
    'a table behind a comment',
    'SELECT url FROM raw -- x\n . /* y */ crawls',
    'sql/m/a.trino.sql:1: reads raw.crawls',
  ],
  ['a table of stored rows', 'SELECT url FROM store.raw_pages', 'sql/m/a.trino.sql:1: reads store.raw_pages'],
  ['a table with its catalogue', 'SELECT url FROM lake.raw.pages', 'sql/m/a.trino.sql:1: reads …raw.pages'],
])('%s is refused', async (_what, own, message) => {
  await expectBadModel(plan(own), `${message}, which sql/m/a.sql does not read`);
});

test.each([
  ['no model beside it', { 'm/b.trino.sql': 'SELECT 1' }, 'sql/m/b.trino.sql:1: stands beside no model'],
  [
    'a model with each',
    {
      'm/a.sql': MODEL.replace('\n*/', '\neach: {source: raw.pages, fields: [n]}\n*/'),
      'm/a.trino.sql': 'SELECT 1',
    },
    'sql/m/a.trino.sql:1: a model with each has no SQL of its own for Trino',
  ],
])('%s: it is refused', async (_what, files, message) => {
  await expectBadModel(loadFiles(files), message);
});
