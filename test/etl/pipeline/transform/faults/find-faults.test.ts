import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Connection, Database, table } from '../../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../../src/core/logs/logger.ts';
import { DuckDbModels } from '../../../../../src/etl/engines/duckdb/duckdb-models.ts';
import { withNewUnits } from '../../../../../src/etl/engines/new-units.ts';
import { WorkingCopy } from '../../../../../src/etl/engines/working-copy.ts';
import { publish } from '../../../../../src/etl/pipeline/publish/publish.ts';
import { makeModels } from '../../../../../src/etl/pipeline/transform/build/make-models.ts';
import { findFaults, type TestFault } from '../../../../../src/etl/pipeline/transform/faults/find-faults.ts';
import { rowsSql } from '../../../../../src/etl/pipeline/transform/tests/model-cases.ts';
import { IN_DUCKDB } from '../../../../support/in-duckdb.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { threads } from '../../../../support/threads.ts';
import { loadFiles, type ModelText, modelText } from '../model-files.ts';

const signal = new AbortController().signal;
const META = { _unit: 'VARCHAR', _crawl_id: 'VARCHAR', _project_id: 'VARCHAR', _window: 'VARCHAR' };
const COLUMNS = { ...META, url: 'VARCHAR', n: 'VARCHAR' };
const READS =
  '{_unit: VARCHAR, _crawl_id: VARCHAR, _project_id: VARCHAR, _window: VARCHAR, url: VARCHAR, n: VARCHAR}';

let working: WorkingCopy;
let connection: Connection;
beforeEach(async () => {
  const folder = await temporaryFolder();
  const database = await Database.open({
    memoryLimit: '400MB',
    threads: threads(),
    tempDirectory: join(folder, 't'),
  });
  onTestFinished(() => database[Symbol.asyncDispose]());
  working = await WorkingCopy.open(
    database,
    { stateDir: folder, warehouse: join(folder, 'warehouse.duckdb'), engine: IN_DUCKDB },
    silentLogger,
  );
  connection = working.connection;
});

/** Loads a unit: `pages/<crawl>` of a project `p…`, or `logs/<project>/<day>`; rows are URLs, or URL and number. */
async function load(unit: string, project: string, rows: readonly (string | readonly [string, string])[]) {
  const [dataset = '', source = '', window] = unit.split('/');
  const raw = table('raw', dataset);
  await connection.run(`CREATE TABLE IF NOT EXISTS ${raw} AS ${rowsSql(COLUMNS, [])}`);
  await connection.run(`DELETE FROM ${raw} WHERE _unit = ?`, [unit]);
  await connection.run('DELETE FROM ops.loads WHERE unit = ?', [unit]);
  const meta = {
    _unit: unit,
    _crawl_id: window ? null : source,
    _project_id: project,
    _window: window ?? null,
  };
  const made = rows
    .map((row) => (typeof row === 'string' ? [row, '1'] : row))
    .map(([url, n]) => ({ ...meta, url, n }));
  await connection.run(`INSERT INTO ${raw} ${rowsSql(COLUMNS, made)}`);
  await connection.run(
    `INSERT INTO ops.loads BY NAME SELECT $1 AS unit, $2 AS dataset, $3 AS source_kind, $4 AS source_id,
       $5 AS project_id, $6 AS window_from, CAST(CAST($6 AS DATE) + 1 AS VARCHAR) AS window_to,
       $7::BIGINT AS loaded, uuid()::VARCHAR AS run_id, now() AS loaded_at, 'x' AS content_sha256`,
    [
      unit,
      dataset,
      window ? 'log_monitoring' : 'crawl',
      source,
      project,
      window ?? null,
      BigInt(rows.length),
    ],
  );
}

async function faultsOf(models: Readonly<Record<string, ModelText>>): Promise<TestFault[]> {
  const files = Object.entries(models).map(([name, model]) => [`m/${name}.sql`, modelText(name, model)]);
  const engine = new DuckDbModels(connection);
  const outcome = await makeModels({
    connection,
    engine,
    models: await loadFiles(Object.fromEntries(files)),
    changed: new Set(),
    logger: silentLogger,
    runId: 'run',
  });
  return withNewUnits(working, (found) =>
    findFaults({ connection, engine, outcome, found, runId: 'run', signal }),
  );
}

const unitsOf = (faults: readonly TestFault[]): string[] =>
  [...new Set(faults.map(({ unit }) => unit))].sort();

/** A model of pages, cut by crawl. */
const PAGES: ModelText = {
  grain: '[crawl_id, url]',
  columns: ['crawl_id', 'project_id', 'url', 'n'],
  more: `reads:
  raw.pages: ${READS}
  ops.loads: {dataset: VARCHAR, source_id: VARCHAR, loaded_at: TIMESTAMP WITH TIME ZONE}
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'pages'`,
  sql: 'SELECT _crawl_id AS crawl_id, _project_id AS project_id, url, n FROM raw.pages',
};
const PAGES_BY_NUMBER: ModelText = {
  ...PAGES,
  sql: PAGES.sql.replace('url, n', 'url, CAST(n AS INTEGER) AS n'),
};

test('rows that name their crawl blame only that crawl, by its own content', async () => {
  await load('pages/a', 'p1', ['/1', '/2']);
  await load('pages/b', 'p1', ['/1', '/1', '/2', '/2', '/2']);
  expect(await faultsOf({ pages: PAGES })).toEqual([
    {
      unit: 'pages/b',
      model: 'mart.pages',
      test: 'unique(crawl_id, url)',
      rows: 5,
      example: 'url = /1',
      isAlone: true,
    },
  ]);
});

test('published rows are never blamed, even if they fail a new test', async () => {
  await load('pages/a', 'p1', ['/1', '/1']);
  await publish(working, silentLogger, signal);
  await load('pages/b', 'p1', ['/2']);
  expect(await faultsOf({ pages: PAGES })).toEqual([]);
  await load('pages/c', 'p1', ['/2', '/2']);
  // To hold c would not make the test pass.
  expect(await faultsOf({ pages: PAGES })).toEqual([]);
});

test('rows of dated sources name their window by project and day', async () => {
  for (const project of ['p1', 'p2'])
    for (const day of ['2026-03-01', '2026-03-02']) await load(`logs/${project}/${day}`, project, ['/1']);
  await load('logs/p2/2026-03-03', 'p2', ['/1', '/1']);
  const logs: ModelText = {
    grain: '[project_id, day, url]',
    columns: ['project_id', 'day', 'url'],
    more: `reads: {raw.logs: ${READS}}`,
    sql: 'SELECT _project_id AS project_id, CAST(_window AS DATE) AS day, url FROM raw.logs',
  };
  const faults = await faultsOf({ logs });
  expect(unitsOf(faults)).toEqual(['logs/p2/2026-03-03']);
  // Without partitions it is not known what else it depends on.
  expect(faults[0]?.isAlone).toBe(false);
});

test('rows that name only a project are attributed by trial to the units without which the test passes', async () => {
  await load('pages/a', 'p1', [
    ['/1', '10'],
    ['/2', '10'],
  ]);
  await load('pages/b', 'p1', [['/1', '-90']]);
  await load('pages/c', 'p2', [['/1', '-5']]);
  await load('pages/d', 'p2', [['/1', '30']]);
  const sums: ModelText = {
    grain: '[project_id]',
    columns: ['project_id', 'n'],
    more: `reads: {raw.pages: ${READS}}\ntests: [{query: SELECT * FROM mart.sums WHERE n < 0}]`,
    sql: 'SELECT _project_id AS project_id, sum(CAST(n AS BIGINT)) AS n FROM raw.pages GROUP BY ALL',
  };
  expect(unitsOf(await faultsOf({ sums }))).toEqual(['pages/b']);
});

test('of two units that a row names, only the failing one is quarantined', async () => {
  await load('pages/a', 'p1', ['/1']);
  await load('links/a', 'p1', ['/1', '/x']);
  await load('pages/b', 'p1', ['/1']);
  await load('links/b', 'p1', ['/1']);
  const known: ModelText = {
    grain: 'null',
    columns: ['crawl_id', 'url', 'is_known'],
    more: `reads: {raw.links: ${READS}, raw.pages: ${READS}}
tests: [{query: SELECT * FROM mart.known WHERE NOT is_known}]`,
    sql: `SELECT l._crawl_id AS crawl_id, l.url, p.url IS NOT NULL AS is_known
FROM raw.links AS l LEFT JOIN raw.pages AS p ON p._crawl_id = l._crawl_id AND p.url = l.url`,
  };
  expect(unitsOf(await faultsOf({ known }))).toEqual(['links/a']);
});

test('a model that cannot be built is attributed to the units that break it, also through other models', async () => {
  for (const crawl of 'abcdefg')
    await load(`pages/${crawl}`, `p${crawl}`, [['/1', 'bf'.includes(crawl) ? 'x' : '1']]);
  const faults = await faultsOf({
    pages: PAGES_BY_NUMBER,
    totals: {
      columns: ['project_id', 'n'],
      sql: 'SELECT project_id, sum(n) AS n FROM mart.pages GROUP BY ALL',
    },
  });
  expect(faults).toMatchObject([
    { unit: 'pages/b', model: 'mart.pages', test: null, isAlone: true },
    { unit: 'pages/f', model: 'mart.pages', test: null, isAlone: true },
  ]);
  expect(faults[0]?.example).toMatch(/mart\.pages could not be made: Conversion Error: [^\n]+$/);
});

test('a view with invalid values fails when it is tested, or when another model reads it', async () => {
  for (const crawl of 'abc') await load(`pages/${crawl}`, `p${crawl}`, [['/1', crawl === 'c' ? 'x' : '1']]);
  const view = { ...PAGES_BY_NUMBER, kind: 'view', grain: 'null' };
  expect(
    unitsOf(await faultsOf({ pages: { ...view, more: `${view.more}\ntests: [{not_null: n}]` } })),
  ).toEqual(['pages/c']);
  const sums = { columns: ['n'], sql: 'SELECT sum(n) AS n FROM mart.pages' };
  const faults = await faultsOf({ pages: view, sums });
  expect(faults).toMatchObject([{ unit: 'pages/c', model: 'mart.sums', test: null }]);
});

test('a model that always fails, and a test about all rows, are attributed to no unit', async () => {
  await load('pages/a', 'p1', ['/1']);
  const broken: ModelText = { columns: ['n'], sql: "SELECT CAST('x' AS INTEGER) + random() AS n" };
  const counted: ModelText = {
    ...PAGES,
    grain: 'null',
    more: `${PAGES.more}\ntests: [{row_count: {between: [2, 3]}}]`,
  };
  expect(await faultsOf({ broken, counted })).toEqual([]);
});

test('a trial leaves no changes', async () => {
  await load('pages/a', 'p1', [['/1', '1']]);
  await load('pages/b', 'p1', [['/1', 'x']]);
  const all = async () => [
    await connection.jsonRows('FROM raw.pages ORDER BY ALL'),
    await connection.jsonRows('FROM ops.loads ORDER BY ALL'),
  ];
  const before = await all();
  expect(unitsOf(await faultsOf({ pages: PAGES_BY_NUMBER }))).toEqual(['pages/b']);
  expect(await all()).toEqual(before);
  expect(await connection.scalar("SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'mart'")).toBe(0n);
});
