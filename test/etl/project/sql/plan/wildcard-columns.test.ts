import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectBadModel, type ModelText } from '../../../pipeline/transform/model-files.ts';
import { runTexts, statuses } from '../../../pipeline/transform/run-texts.ts';
import {
  createTable,
  openWarehouse,
  type TestWarehouse,
} from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeEach(async () => {
  warehouse = await openWarehouse();
});
afterEach(() => warehouse[Symbol.asyncDispose]());

const load = (columns: Readonly<Record<string, string>>, row: object) =>
  createTable(warehouse.connection, 'raw.pages', { crawl: 'VARCHAR', ...columns }, [{ crawl: 'a', ...row }]);

const PAGES: ModelText = {
  kind: 'view',
  columns: ['crawl', 'custom_*'],
  more: 'reads: {raw.pages: {crawl: VARCHAR}}',
  sql: 'SELECT crawl,\n  "custom_*"\nFROM raw.pages',
};
/** A table by crawl that reads it. */
const COUNTS: ModelText = {
  columns: ['crawl', 'n'],
  more: "incremental: {by: crawl, partitions: SELECT 'a' AS crawl}",
  sql: 'SELECT crawl, count(*) AS n FROM mart.pages GROUP BY crawl',
};
const run = (pages: ModelText = PAGES) => runTexts(warehouse.connection, { pages, counts: COUNTS });
const described = () =>
  warehouse.connection.jsonRows(
    "SELECT column_name AS name, data_type AS type, comment FROM duckdb_columns() WHERE database_name = 'warehouse' AND schema_name = 'mart' AND table_name = 'pages' ORDER BY column_index",
  );

test('a wildcard expands to the columns with its prefix, each with its type and the description of the wildcard', async () => {
  await load({ 'custom_Größe "x"': 'DOUBLE', custom_tags: 'VARCHAR[]', customer: 'VARCHAR' }, {});
  await run();
  const comment = 'The column custom_*.';
  expect(await described()).toEqual([
    { name: 'crawl', type: 'VARCHAR', comment: 'The column crawl.' },
    { name: 'custom_Größe "x"', type: 'DOUBLE', comment },
    { name: 'custom_tags', type: 'VARCHAR[]', comment },
  ]);
});

test('a wildcard without matching columns or table expands to nothing', async () => {
  await run();
  expect((await described()).map(({ name }) => name)).toEqual(['crawl']);
});

test('a new field appears in the view with the next run, and a partitioned table that reads it stays', async () => {
  await load({ custom_a: 'BIGINT' }, { custom_a: 1 });
  await run();
  await load({ custom_a: 'BIGINT', custom_b: 'VARCHAR' }, { custom_a: 1, custom_b: 'x' });
  expect(statuses(await run())).toEqual({ 'mart.pages': 'built', 'mart.counts': 'unchanged' });
  expect(await warehouse.connection.jsonRows('FROM mart.pages')).toEqual([
    { crawl: 'a', custom_a: '1', custom_b: 'x' },
  ]);
});

test('a wildcard missing from the SQL is an error', async () => {
  await expectBadModel(
    run({ ...PAGES, sql: 'SELECT crawl FROM raw.pages' }),
    'sql/m/pages.sql:8: the SELECT returns no column custom_*',
    'write "custom_*" behind another column of the SELECT',
  );
});

test('wildcards and each are expanded only in code', async () => {
  await load({ custom_a: 'BIGINT' }, { custom_a: 1 });
  const sql = `SELECT crawl, -- the rest, "custom_*"\n  'raw.pages' AS source /* , "custom_*" */, "custom_*"\nFROM raw.pages`;
  await run({ ...PAGES, columns: ['crawl', 'source', 'custom_*'], sql });
  expect(await warehouse.connection.jsonRows('FROM mart.pages')).toEqual([
    { crawl: 'a', source: 'raw.pages', custom_a: '1' },
  ]);
  const scraped: ModelText = {
    columns: ['field', 'text'],
    more: 'reads: {raw.pages: {crawl: VARCHAR}}\neach: {source: raw.pages, fields: [custom_*]}',
    sql: `SELECT 'each' AS field, 'of raw.pages, ''each''' AS text FROM raw.pages`,
  };
  await runTexts(warehouse.connection, { scraped });
  expect(await warehouse.connection.jsonRows('FROM mart.scraped')).toEqual([
    { field: 'custom_a', text: "of raw.pages, 'each'" },
  ]);
});

test('each repeats the SELECT for its fields, which may be given by a prefix', async () => {
  const scraped: ModelText = {
    kind: 'view',
    columns: ['field', 'value'],
    more: 'reads: {raw.pages: {crawl: VARCHAR}}\neach: {source: raw.pages, fields: [tags, custom_*]}',
    sql: `SELECT 'each' AS field, "each" AS value FROM raw.pages`,
  };
  const rows = async (model: ModelText) => {
    await runTexts(warehouse.connection, { scraped: model });
    return warehouse.connection.jsonRows('FROM mart.scraped ORDER BY ALL');
  };
  expect(await rows(scraped)).toEqual([]);
  await load(
    { tags: 'VARCHAR[]', tags_too: 'VARCHAR', "custom_it's": 'DOUBLE', 'custom_"x"': 'BIGINT[]' },
    { tags: ['b', 'a', 'b'], tags_too: 'no', "custom_it's": 1.5, 'custom_"x"': [7] },
  );
  const lists = [
    { field: 'custom_"x"', value: '7' },
    { field: 'tags', value: 'a' },
    { field: 'tags', value: 'b' },
  ];
  expect(await rows(scraped)).toEqual([lists[0], { field: "custom_it's", value: '1.5' }, ...lists.slice(1)]);
  const more = scraped.more?.replace('custom_*]', 'custom_*], lists_only: true');
  expect(await rows({ ...scraped, more: more ?? '' })).toEqual(lists);
});
