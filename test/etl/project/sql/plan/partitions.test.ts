import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../../../../../src/core/logs/logger.ts';
import { inPartitions, semiJoinPartitions } from '../../../../../src/etl/project/sql/plan/partitions.ts';
import { expectBadModel, type ModelText } from '../../../pipeline/transform/model-files.ts';
import { runTexts, statuses } from '../../../pipeline/transform/run-texts.ts';
import {
  createTable,
  openWarehouse,
  type TestWarehouse,
} from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
let lines: string[];
beforeEach(async () => {
  warehouse = await openWarehouse();
  lines = [];
  await load({ a: [1], b: [2, 3], c: [4], d: [5] });
});
afterEach(() => warehouse[Symbol.asyncDispose]());

/** Crawls with their values; each is loaded at as many seconds as it has values, or as is said. */
async function load(
  crawls: Readonly<Record<string, readonly (number | null)[]>>,
  at?: number,
): Promise<void> {
  const { connection } = warehouse;
  const rows = Object.entries(crawls).flatMap(([crawl, values]) => values.map((x) => ({ crawl, x })));
  await createTable(connection, 'raw.pages', { crawl: 'VARCHAR', x: 'BIGINT' }, rows);
  const loads = Object.entries(crawls).map(([source_id, values]) => ({
    unit: source_id,
    dataset: 'pages',
    source_id,
    loaded_at: `2025-01-01 00:00:0${at ?? values.length}+00`,
  }));
  const columns = { unit: 'VARCHAR', dataset: 'VARCHAR', source_id: 'VARCHAR', run_id: 'VARCHAR' };
  await createTable(connection, 'ops.loads', { ...columns, loaded_at: 'TIMESTAMPTZ' }, loads);
}

const incremental = [
  'incremental:',
  '  by: crawl',
  '  partitions: SELECT source_id AS crawl, loaded_at FROM ops.loads',
].join('\n');
const PAGES: ModelText = {
  grain: '[crawl, x]',
  columns: ['crawl', 'x'],
  more: incremental,
  sql: 'SELECT crawl, x FROM raw.pages',
};

/** So many rows in the warehouse that a full build of a model with `within` takes several statements. */
const loadMuch = (rows = 2_000_000) =>
  warehouse.connection.run(`CREATE TABLE raw.links AS SELECT range AS x FROM range(${rows})`);

/** A view of all pages over a table of so many rows that the view as a whole is not copied. */
const ofMany = (columns: readonly string[]): ModelText => ({
  kind: 'view',
  columns,
  sql: `SELECT ${columns.join(', ')} FROM raw.pages WHERE EXISTS (FROM raw.links)`,
});

async function run(model: ModelText = PAGES, more: Readonly<Record<string, ModelText>> = {}) {
  lines = [];
  const logger = createLogger('info', (line) => lines.push(line));
  return runTexts(warehouse.connection, { pages: model, ...more }, [], { logger });
}
const log = (): string => lines.find((line) => line.includes('mart.pages')) ?? '';
const marts = () => warehouse.connection.jsonRows('SELECT crawl, x FROM mart.pages ORDER BY ALL');

test('a new, changed or dropped crawl rebuilds only its own partitions', async () => {
  await run();
  expect(log()).toContain('partitions=all');
  // What a full build would remove shows which rows were left alone.
  await warehouse.connection.run("UPDATE mart.pages SET x = 100 WHERE crawl = 'a'");
  await load({ a: [1], b: [2], d: [5], e: [6, 7, 8] });
  const report = await run();
  expect(statuses(report)).toEqual({ 'mart.pages': 'built' });
  expect(report.models[0]?.rows).toBe(6);
  expect(log()).toContain('partitions=3');
  expect(await marts()).toEqual([
    { crawl: 'a', x: '100' },
    { crawl: 'b', x: '2' },
    { crawl: 'd', x: '5' },
    { crawl: 'e', x: '6' },
    { crawl: 'e', x: '7' },
    { crawl: 'e', x: '8' },
  ]);
  expect(statuses(await run())).toEqual({ 'mart.pages': 'unchanged' });
});

test('changed SQL, also of an input, rebuilds the whole model; changed comments do not', async () => {
  const view: ModelText = { kind: 'view', columns: ['crawl', 'x'], sql: 'SELECT crawl, x FROM raw.pages' };
  const onView: ModelText = { ...PAGES, sql: 'SELECT crawl, x FROM mart.v' };
  await run(onView, { v: view });
  await run(onView, { v: { ...view, sql: 'SELECT crawl, x + 1 AS x FROM raw.pages' } });
  expect(log()).toContain('reason=reads partitions=all');
  expect((await marts())[0]).toEqual({ crawl: 'a', x: '2' });
  await run({ ...onView, sql: 'SELECT crawl, x + 2 AS x FROM mart.v' }, { v: view });
  expect(log()).toContain('reason=definition partitions=all');
  await run({ ...PAGES, sql: 'SELECT crawl, x FROM raw.pages' });
  await run({ ...PAGES, more: `${incremental}\ntests: [{not_null: x, name: another}]` });
  expect(log()).toContain('reason=words partitions=0');
});

test('only new partitions are tested, until they pass', async () => {
  await run();
  await warehouse.connection.run("UPDATE mart.pages SET x = NULL WHERE crawl = 'a'");
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: [null, 6, 7] });
  const failures = async () =>
    (await run()).tests.filter(({ name }) => name === 'not_null(x)').map((one) => one.failures);
  expect(await failures()).toEqual([1]);
  expect(await failures()).toEqual([1]);
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: [6] });
  expect(await failures()).toEqual([0]);
  expect(await failures()).toEqual([]);
});

test('a reader of a partitioned model is rebuilt after a partition changed', async () => {
  const counts: ModelText = { columns: ['n'], sql: 'SELECT count(*) AS n FROM mart.pages' };
  await run(PAGES, { counts });
  expect(statuses(await run(PAGES, { counts }))).toEqual({
    'mart.counts': 'unchanged',
    'mart.pages': 'unchanged',
  });
  await load({ a: [1, 9], b: [2, 3], c: [4], d: [5] });
  expect(statuses(await run(PAGES, { counts }))).toEqual({ 'mart.counts': 'built', 'mart.pages': 'built' });
  expect(await warehouse.connection.jsonRows('FROM mart.counts')).toEqual([{ n: '6' }]);
});

test('a model under `within` is read only within the partitions', async () => {
  const view: ModelText = { kind: 'view', columns: ['crawl', 'x'], sql: 'SELECT crawl, x FROM raw.pages' };
  const sql = 'SELECT crawl, x * (SELECT count(DISTINCT v.crawl) FROM mart.v) AS x FROM mart.v';
  const model: ModelText = { ...PAGES, more: `${incremental}\n  within: [mart.v]`, sql };
  await run(model, { v: view });
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: [6, 7, 8] });
  await run(model, { v: view });
  // Made by itself, the new partition has seen no other crawl: what the model says of itself is what counts.
  expect((await marts()).slice(-2)).toEqual([
    { crawl: 'e', x: '7' },
    { crawl: 'e', x: '8' },
  ]);
  await expectBadModel(
    run({ ...model, more: `${incremental}\n  within: [mart.w]` }, { v: view }),
    'sql/m/pages.sql:12: within names mart.w, which the SQL does not read',
    'models that it reads: mart.v',
  );
});

test('a small view under `within` that is read three times is planned once', async () => {
  const view = ofMany(['crawl', 'x']);
  await loadMuch(60_000);
  const seen = '(SELECT count(DISTINCT v.crawl) FROM mart.v) * (SELECT count(*) FROM mart.v)';
  const model: ModelText = {
    ...PAGES,
    more: `${incremental}\n  within: [mart.v]`,
    sql: `SELECT crawl, x * ${seen} AS x FROM mart.v`,
  };
  await run(model, { v: view });
  const ran = vi.spyOn(warehouse.connection, 'run');
  const copies = () => ran.mock.calls.filter(([sql]) => sql.includes('TEMP TABLE narrowed_')).length;
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: [6, 7, 8] });
  await run(model, { v: view });
  expect([copies(), (await marts()).slice(-1)]).toEqual([1, [{ crawl: 'e', x: '24' }]]);
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: Array.from({ length: 10_001 }, () => 1) }, 9);
  await run(model, { v: view });
  // All five crawls were loaded again, with 10,006 rows.
  expect([copies(), (await marts()).slice(-1)]).toEqual([1, [{ crawl: 'e', x: '50030' }]]);
  const left = "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'narrowed%'";
  expect(await warehouse.connection.rows(left)).toEqual([]);
});

test('a small view with more than 400 columns is not copied, because each column of a copy takes memory', async () => {
  const wide = Array.from({ length: 399 }, (_, index) => `x AS x${index}`);
  const copiesWith = async (more: readonly string[]): Promise<number> => {
    const columns = ['crawl', 'x', ...more.map((column) => column.slice('x AS '.length))];
    const view = { ...ofMany(['crawl, x', ...more]), columns };
    const sql =
      'SELECT crawl, x * (SELECT count(*) FROM mart.v) * (SELECT count(*) FROM mart.v) AS x FROM mart.v';
    const model: ModelText = { ...PAGES, more: `${incremental}\n  within: [mart.v]`, sql };
    await load({ a: [1], b: [2] });
    await run(model, { v: view });
    await load({ a: [1], b: [2], [`c${more.length}`]: [3] });
    const ran = vi.spyOn(warehouse.connection, 'run');
    await run(model, { v: view });
    const copies = ran.mock.calls.filter(([text]) => text.includes('TEMP TABLE narrowed_')).length;
    ran.mockRestore();
    return copies;
  };
  await loadMuch(60_000);
  expect([await copiesWith(wide.slice(1)), await copiesWith(wide)]).toEqual([1, 0]);
});

test('a small view is bound once for all its readers, and a table sees the rows of this run', async () => {
  const view: ModelText = { kind: 'view', columns: ['crawl', 'x'], sql: 'SELECT crawl, x FROM raw.pages' };
  const views = { v: view, w: view };
  const pages: ModelText = { ...PAGES, sql: 'SELECT crawl, x FROM mart.v SEMI JOIN mart.w USING (crawl, x)' };
  const reader: ModelText = {
    columns: ['n'],
    sql: 'SELECT count(*) AS n FROM mart.v AS a JOIN mart.w AS b USING (x)',
  };
  const ran = vi.spyOn(warehouse.connection, 'run');
  const asked = vi.spyOn(warehouse.connection, 'rows');
  const copies = () =>
    ran.mock.calls.filter(([sql]) => sql.includes('TEMP TABLE temp.main.view_copy_')).length;
  const sizes = () => asked.mock.calls.filter(([sql]) => sql.includes('estimated_size')).length;
  await run(pages, { ...views, reader });
  expect([copies(), sizes()]).toEqual([2, 1]);
  expect(await warehouse.connection.jsonRows('FROM mart.reader')).toEqual([{ n: '5' }]);
  await load({ a: [1], b: [2] });
  await run(pages, { ...views, reader });
  expect([copies(), sizes()]).toEqual([4, 2]);
  expect(await warehouse.connection.jsonRows('FROM mart.reader')).toEqual([{ n: '2' }]);
  expect(ran.mock.calls.filter(([sql]) => sql.includes('DROP TABLE IF EXISTS')).length).toBe(2);
  const left = "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'view_copy%'";
  expect(await warehouse.connection.rows(left)).toEqual([]);
});

test('a value that a view cannot convert breaks only readers of its column', async () => {
  const view: ModelText = {
    kind: 'view',
    columns: ['crawl', 'x', 'y'],
    sql: 'SELECT crawl, x, CAST(crawl AS BIGINT) AS y FROM raw.pages',
  };
  const report = await run({ ...PAGES, sql: 'SELECT crawl, x FROM mart.v' }, { v: view });
  expect(statuses(report)).toMatchObject({ 'mart.pages': 'built' });
});

test('a full build of a model with `within` builds a few partitions at a time, each once', async () => {
  const view: ModelText = { kind: 'view', columns: ['crawl', 'x'], sql: 'SELECT crawl, x FROM raw.pages' };
  // Each row says how many crawls its statement has seen.
  const sql = 'SELECT crawl, (SELECT count(DISTINCT v.crawl) FROM mart.v) AS x FROM mart.v';
  const model: ModelText = { ...PAGES, more: `${incremental}\n  within: [mart.v]`, sql };
  const names = Array.from({ length: 14 }, (_, index) => `c${String(index).padStart(2, '0')}`);
  await load(Object.fromEntries(names.map((name) => [name, [1]])));
  await loadMuch();
  const report = await run(model, { v: view });
  expect(report.models.find(({ name }) => name === 'mart.pages')?.rows).toBe(14);
  const rows = await marts();
  expect(rows.map(({ crawl }) => crawl)).toEqual(names);
  // 500,000 rows are a quarter of all, and so are three crawls; then twice as many, because a statement was quick.
  expect(rows.map(({ x }) => Number(x))).toEqual([3, 3, 3, 6, 6, 6, 6, 6, 6, 5, 5, 5, 5, 5]);
  // Without saying so it is one statement: what it reads can't be told.
  await run({ ...model, more: incremental }, { v: view });
  expect(new Set((await marts()).map(({ x }) => x))).toEqual(new Set(['14']));
});

test('in a small warehouse, one statement builds all partitions of a model with `within`', async () => {
  const view: ModelText = { kind: 'view', columns: ['crawl', 'x'], sql: 'SELECT crawl, x FROM raw.pages' };
  // Each row says how many crawls its statement has seen.
  const sql = 'SELECT crawl, (SELECT count(DISTINCT v.crawl) FROM mart.v) AS x FROM mart.v';
  const model: ModelText = { ...PAGES, more: `${incremental}\n  within: [mart.v]`, sql };
  await run(model, { v: view });
  expect(new Set((await marts()).map(({ x }) => x))).toEqual(new Set(['4']));
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: [6], f: [7], g: [8] });
  await run(model, { v: view });
  expect((await marts()).slice(-3).map(({ x }) => x)).toEqual(['3', '3', '3']);
});

test('the SQL of a model may end in a semicolon', async () => {
  const view: ModelText = { kind: 'view', columns: ['crawl', 'x'], sql: 'SELECT crawl, x FROM raw.pages;' };
  const more = `${incremental}\n  within: [mart.v]`;
  await run({ ...PAGES, more, sql: 'SELECT crawl, x FROM mart.v;\n' }, { v: view });
  expect(await marts()).toHaveLength(5);
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: [6] });
  await run({ ...PAGES, more, sql: 'SELECT crawl, x FROM mart.v;\n' }, { v: view });
  expect(log()).toContain('partitions=1');
  expect(await marts()).toHaveLength(6);
});

test('a model under `within` may be filtered by other columns of the partitions', async () => {
  const view: ModelText = { kind: 'view', columns: ['number'], sql: 'SELECT x AS number FROM raw.pages' };
  const sql = 'SELECT crawl, x * (SELECT count(*) FROM mart.v) AS x FROM raw.pages';
  const partitions = 'SELECT crawl, x AS number FROM raw.pages';
  const more = (within: string) =>
    `incremental: {by: crawl, partitions: ${partitions}, within: ${within}}`.replace(
      partitions,
      `'${partitions}'`,
    );
  const model: ModelText = { ...PAGES, more: more('{mart.v: [number]}'), sql };
  await loadMuch();
  await run(model, { v: view });
  expect((await marts())[0]).toEqual({ crawl: 'a', x: '1' });
  await load({ a: [1], b: [2, 3], c: [4], d: [5], e: [6, 7, null] });
  await run(model, { v: view });
  // Of the eight numbers it has seen the three of its partition.
  expect((await marts()).slice(-3)).toEqual([
    { crawl: 'e', x: '18' },
    { crawl: 'e', x: '21' },
    { crawl: 'e', x: null },
  ]);
  await expectBadModel(
    run({ ...model, more: more('{mart.v: [crawl]}') }, { v: view }),
    'sql/m/pages.sql:9: within names mart.v, which has no column crawl',
  );
  await expectBadModel(
    run({ ...model, more: more('{mart.v: [number]}').replace('AS number', 'AS other') }, { v: view }),
    'sql/m/pages.sql:9: the SELECT of the partitions returns no column number',
    'it returns crawl, other',
  );
});

test('a model is partitioned by columns that the SELECT of the partitions returns', async () => {
  await expectBadModel(
    run({ ...PAGES, more: incremental.replace('by: crawl', 'by: y') }),
    'sql/m/pages.sql:10: incremental names the column y, which is not in columns',
  );
  await expectBadModel(
    run({ ...PAGES, more: incremental.replace('source_id AS crawl', 'source_id') }),
    'sql/m/pages.sql:11: the SELECT of the partitions returns no column crawl',
    'it returns source_id, loaded_at',
  );
  await expectBadModel(
    run({ ...PAGES, more: incremental.replace('partitions:', 'partition:') }),
    'sql/m/pages.sql:11: unknown key incremental.partition',
    'did you mean partitions? allowed keys: by, partitions, within',
  );
});

test('partitions of a model with UNNEST are selected by a join, which DuckDB does not push down', async () => {
  const { connection } = warehouse;
  const unnested = `SELECT page.crawl, each_one.x FROM (SELECT crawl, split(CAST(x AS VARCHAR) || ',' || crawl, ',') AS xs
    FROM raw.pages) AS page CROSS JOIN UNNEST(page.xs) AS each_one(x)`;
  const types = new Map([['crawl', 'VARCHAR']]);
  const partitioned = { name: 'mart.pages', by: ['crawl'], partitions: '', types, made: types };
  const asked = ['["a"]', '["b"]', '[null]', '["it\'s"]'];
  const [joined, filtered] = [
    semiJoinPartitions(partitioned, asked),
    `WHERE ${inPartitions(partitioned, asked)}`,
  ].map((only) => `FROM (${unnested}) AS made ${only}`);
  const rows = (from: string | undefined) =>
    connection.jsonRows(`SELECT made.crawl, made.x ${from} ORDER BY ALL`);
  expect(await rows(joined)).toEqual(await rows(filtered));
  expect(await rows(joined)).toHaveLength(6);
  const plan = async (from: string | undefined) =>
    JSON.stringify(await connection.rows(`EXPLAIN SELECT * ${from}`));
  expect(await plan(joined)).not.toContain('DELIM');
  expect(await plan(filtered)).toContain('DELIM');
});
