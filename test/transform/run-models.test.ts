import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogger, silentLogger } from '../../src/core/logger.ts';
import { type RunModelsOptions, runModels, testModels } from '../../src/transform/run-models.ts';
import { loadFiles, type ModelText, modelText } from './model-files.ts';
import { createTable, openWarehouse, type TestWarehouse } from './test-warehouse.ts';

let warehouse: TestWarehouse;
beforeEach(async () => {
  warehouse = await openWarehouse();
  await load('raw.pages', ['a', 'b']);
  await load('raw.links', ['l']);
});
afterEach(() => warehouse[Symbol.asyncDispose]());

const load = (name: string, urls: readonly (string | null)[]) =>
  createTable(
    warehouse.connection,
    name,
    { url: 'VARCHAR' },
    urls.map((url) => ({ url })),
  );

/** pages ← counts, links: a table on a view on raw.pages, and a table on raw.links. */
const MODELS: Readonly<Record<string, ModelText>> = {
  pages: { kind: 'view', columns: ['url'], sql: 'SELECT url FROM raw.pages' },
  counts: { columns: ['n'], sql: 'SELECT count(*) AS n FROM mart.pages' },
  links: { columns: ['url'], sql: 'SELECT url FROM raw.links' },
};

async function run(
  models: Readonly<Record<string, ModelText>>,
  changed: RunModelsOptions['changed'] | readonly string[] = [],
  more: Partial<RunModelsOptions> = {},
) {
  const files = Object.entries(models).map(([name, model]) => [`m/${name}.sql`, modelText(name, model)]);
  return runModels({
    connection: warehouse.connection,
    models: await loadFiles(Object.fromEntries(files)),
    changed: changed === 'all' ? 'all' : new Set(changed),
    logger: silentLogger,
    runId: 'run',
    ...more,
  });
}

const statuses = ({ models }: Awaited<ReturnType<typeof run>>): object =>
  Object.fromEntries(models.map(({ name, status }) => [name, status]));

const built = (...names: readonly string[]): object =>
  Object.fromEntries(
    ['mart.links', 'mart.pages', 'mart.counts'].map((name) => [
      name,
      names.includes(name) ? 'built' : 'unchanged',
    ]),
  );

describe('what is built', () => {
  test('a first run builds everything, the next one nothing', async () => {
    const first = await run(MODELS);
    expect(statuses(first)).toEqual(built('mart.links', 'mart.pages', 'mart.counts'));
    expect(first.models.map(({ name, rows }) => [name, rows])).toEqual([
      ['mart.pages', null],
      ['mart.counts', 1],
      ['mart.links', 1],
    ]);
    const second = await run(MODELS);
    expect(statuses(second)).toEqual(built());
    expect(second.models.map(({ rows }) => rows)).toEqual([null, 1, 1]);
  });

  test('a source that was written builds what reads it, through other models too', async () => {
    await run(MODELS);
    await load('raw.pages', ['a', 'b', 'c']);
    expect(statuses(await run(MODELS, ['raw.pages']))).toEqual(built('mart.pages', 'mart.counts'));
    expect(await warehouse.connection.jsonRows('SELECT n FROM mart.counts')).toEqual([{ n: '3' }]);
    expect(statuses(await run(MODELS, ['raw.other']))).toEqual(built());
  });

  test('a definition that changed builds the model and what reads it', async () => {
    await run(MODELS);
    const pages = { ...MODELS.pages, columns: ['url'], sql: "SELECT url FROM raw.pages WHERE url = 'a'" };
    expect(statuses(await run({ ...MODELS, pages }))).toEqual(built('mart.pages', 'mart.counts'));
    expect(await warehouse.connection.jsonRows('SELECT n FROM mart.counts')).toEqual([{ n: '1' }]);
  });

  test('a column that a source gained builds the model that declares it', async () => {
    const pages = {
      kind: 'view',
      columns: ['url', 'h1'],
      more: 'reads:\n  raw.pages: {h1: VARCHAR}',
      sql: 'SELECT url, h1 FROM raw.pages',
    };
    await run({ pages });
    await createTable(warehouse.connection, 'raw.pages', { url: 'VARCHAR', h1: 'VARCHAR' }, [
      { url: 'a', h1: 'x' },
    ]);
    expect(statuses(await run({ pages }))).toEqual({ 'mart.pages': 'built' });
    expect(await warehouse.connection.jsonRows('FROM mart.pages')).toEqual([{ url: 'a', h1: 'x' }]);
  });

  test('a model that somebody dropped is built again', async () => {
    await run(MODELS);
    await warehouse.connection.run('DROP TABLE mart.links');
    expect(statuses(await run(MODELS))).toEqual(built('mart.links'));
  });

  test('a load that a killed run could not follow up is noticed', async () => {
    const columns = { unit: 'VARCHAR', dataset: 'VARCHAR', run_id: 'VARCHAR', loaded_at: 'TIMESTAMPTZ' };
    const row = { unit: 'pages/1', dataset: 'pages', run_id: 'r1', loaded_at: '2025-01-01 00:00:00+00' };
    await createTable(warehouse.connection, 'ops.loads', columns, [row]);
    await run(MODELS);
    expect(statuses(await run(MODELS))).toEqual(built());
    await createTable(warehouse.connection, 'ops.loads', columns, [{ ...row, run_id: 'r2' }]);
    expect(statuses(await run(MODELS))).toEqual(built('mart.pages', 'mart.counts'));
    await createTable(warehouse.connection, 'ops.loads', columns, []);
    expect(statuses(await run(MODELS))).toEqual(built('mart.pages', 'mart.counts'));
  });

  test('all builds everything', async () => {
    await run(MODELS);
    expect(statuses(await run(MODELS, 'all'))).toEqual(built('mart.links', 'mart.pages', 'mart.counts'));
  });

  test('only builds what it names and what that reads, and drops nothing', async () => {
    await run(MODELS);
    expect(statuses(await run(MODELS, 'all', { only: ['counts'] }))).toEqual({
      'mart.pages': 'built',
      'mart.counts': 'built',
    });
    expect(await warehouse.connection.jsonRows('FROM mart.links')).toHaveLength(1);
    await expect(run(MODELS, 'all', { only: ['count'] })).rejects.toThrow('there is no model count');
  });

  test('a model that left sql/ is dropped, what is not ours stays', async () => {
    await run(MODELS);
    await warehouse.connection.run('CREATE TABLE mart.mine AS SELECT 1 AS x');
    const { counts: _, links: __, ...rest } = MODELS;
    await run(rest);
    expect(await marts()).toEqual(['mine', 'pages']);
    expect(await warehouse.connection.jsonRows('SELECT name FROM ops.models')).toEqual([
      { name: 'mart.pages' },
    ]);
  });

  test('a view may become a table, and a table a view', async () => {
    await run(MODELS);
    const pages = { columns: ['url'], sql: 'SELECT url FROM raw.pages' };
    const counts = { kind: 'view', columns: ['n'], sql: 'SELECT count(*) AS n FROM mart.pages' };
    await run({ ...MODELS, pages, counts });
    expect(await warehouse.connection.jsonRows('SELECT name, kind FROM ops.models ORDER BY name')).toEqual([
      { name: 'mart.counts', kind: 'view' },
      { name: 'mart.links', kind: 'table' },
      { name: 'mart.pages', kind: 'table' },
    ]);
    expect(await warehouse.connection.jsonRows('SELECT n FROM mart.counts')).toEqual([{ n: '2' }]);
  });
});

describe('what goes wrong', () => {
  test('a model that can not hold stops the run before anything is changed', async () => {
    await run(MODELS);
    await load('raw.links', ['l', 'm']);
    const counts = { columns: ['n'], sql: 'SELECT nope AS n FROM mart.pages' };
    await expect(run({ ...MODELS, counts }, 'all')).rejects.toThrow(
      'sql/m/counts.sql:9: Referenced column "nope"',
    );
    expect(await warehouse.connection.jsonRows('FROM mart.links')).toHaveLength(1);
  });

  test('a model that fails while it runs keeps its former rows', async () => {
    const links = { columns: ['n'], sql: 'SELECT url::INTEGER AS n FROM raw.links' };
    await load('raw.links', ['1']);
    await run({ links });
    await load('raw.links', ['one']);
    await expect(run({ links }, ['raw.links'])).rejects.toThrow(
      'sql/m/links.sql:9: mart.links could not be made: Conversion Error',
    );
    expect(await warehouse.connection.jsonRows('FROM mart.links')).toEqual([{ n: 1 }]);
    await load('raw.links', ['2']);
    expect(statuses(await run({ links }, ['raw.links']))).toEqual({ 'mart.links': 'built' });
  });

  test('an aborted run stops', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(run(MODELS, 'all', { signal: controller.signal })).rejects.toThrow('aborted');
  });
});

describe('data tests', () => {
  const more = [
    'tests:',
    '  - {unique: [url], severity: warn}',
    '  - {accepted_values: {column: url, values: [a, b]}}',
    "  - {name: no c, query: SELECT * FROM mart.links WHERE url = 'c'}",
    '  - not_null: url',
  ].join('\n');
  const links: ModelText = { columns: ['url'], more, sql: 'SELECT url FROM raw.links' };

  test('count the rows that break a rule, and say so in the report, the table and the log', async () => {
    await load('raw.links', ['a', 'a', 'a', 'c', null, null]);
    const lines: string[] = [];
    const logger = createLogger('warn', (line) => lines.push(line.replace(/^\S+ /, '')));
    const { tests } = await run({ links }, 'all', { logger, runId: 'r1' });
    const found = tests.map(({ name, severity, status, failures }) => [name, severity, status, failures]);
    expect(found).toEqual([
      ['unique(url)', 'warn', 'failed', 3],
      ['accepted_values(url)', 'error', 'failed', 1],
      ['no c', 'error', 'failed', 1],
      ['not_null(url)', 'error', 'failed', 2],
    ]);
    expect(
      await warehouse.connection.jsonRows(
        'SELECT run_id, model, name, severity, status, failures::INTEGER AS failures FROM ops.test_results',
      ),
    ).toEqual(
      found.map(([name, severity, status, failures]) => ({
        run_id: 'r1',
        model: 'mart.links',
        name,
        severity,
        status,
        failures,
      })),
    );
    expect(lines[0]).toBe('warn  data test failed model=mart.links test=unique(url) failures=3');
    expect(lines[1]).toBe('error data test failed model=mart.links test=accepted_values(url) failures=1');
  });

  test('pass on rows that keep the rules', async () => {
    await load('raw.links', ['a', 'b']);
    const { tests } = await run({ links });
    expect(tests.map(({ status, failures }) => [status, failures])).toEqual(Array(4).fill(['passed', 0]));
  });

  test('run again for what is unchanged only on all, or when an error did not pass the last time', async () => {
    await load('raw.links', ['a', 'a']);
    expect((await run({ links })).tests).toHaveLength(4);
    expect((await run({ links })).tests).toHaveLength(0);
    expect((await run({ links }, 'all')).tests).toHaveLength(4);

    await load('raw.links', ['c']);
    expect((await run({ links }, ['raw.links'])).tests.map(({ status }) => status)).toContain('failed');
    const again = await run({ links });
    expect(statuses(again)).toEqual({ 'mart.links': 'unchanged' });
    expect(again.tests.map(({ status }) => status)).toContain('failed');
  });

  test('run when one is added, though the SQL is the same', async () => {
    const { more: _, ...untested } = links;
    await load('raw.links', ['c']);
    expect((await run({ links: untested })).tests).toEqual([]);
    expect((await run({ links })).tests.filter(({ status }) => status === 'failed')).toHaveLength(2);
  });

  test('may read a source that is not there', async () => {
    const query = 'tests:\n  - query: SELECT x FROM raw.gone\nreads:\n  raw.gone: {x: BIGINT}';
    const { tests } = await run({ links: { ...links, more: query } });
    expect(tests.map(({ name, status }) => [name, status])).toEqual([['query 1', 'passed']]);
  });

  test('of a grain take NULL for a value of a nullable column', async () => {
    const nullable = '  url: {description: It., nullable: true}';
    const model: ModelText = {
      grain: '[url]',
      columns: [],
      more: nullable,
      sql: 'SELECT url FROM raw.links',
    };
    await load('raw.links', ['a', null]);
    expect((await run({ links: model })).tests.map(({ name, status }) => [name, status])).toEqual([
      ['unique(url)', 'passed'],
    ]);
    await load('raw.links', ['a', null, null]);
    expect((await run({ links: model }, ['raw.links'])).tests.map(({ status }) => status)).toEqual([
      'failed',
    ]);
  });

  test('run by themselves on what is built', async () => {
    await run({ links });
    await warehouse.connection.run("INSERT INTO mart.links VALUES ('x')");
    const models = await loadFiles({ 'm/links.sql': modelText('links', links) });
    const tests = await testModels({
      connection: warehouse.connection,
      models,
      logger: silentLogger,
      runId: 'r2',
    });
    expect(tests.map(({ name, failures }) => [name, failures])).toContainEqual(['accepted_values(url)', 2]);
  });
});

describe('the warehouse', () => {
  test('documents itself', async () => {
    const links = {
      columns: ['url'],
      more: '  "a ""b": \'It\'\'s odd.\'',
      sql: 'SELECT url, 1 AS "a ""b" FROM raw.links',
    };
    const odd = { ...links, more: "  'a \"b': It's odd." };
    await run({ ...MODELS, links: odd });
    expect(
      await warehouse.connection.jsonRows(`
        SELECT table_name AS name, comment FROM duckdb_tables() WHERE schema_name = 'mart'
        UNION ALL SELECT view_name, comment FROM duckdb_views() WHERE schema_name = 'mart' ORDER BY name`),
    ).toEqual([
      { name: 'counts', comment: 'The model counts.' },
      { name: 'links', comment: 'The model links.' },
      { name: 'pages', comment: 'The model pages.' },
    ]);
    expect(
      await warehouse.connection.jsonRows(`
        SELECT table_name, column_name, comment FROM duckdb_columns() WHERE schema_name = 'mart' ORDER BY ALL`),
    ).toEqual([
      { table_name: 'counts', column_name: 'n', comment: 'The column n.' },
      { table_name: 'links', column_name: 'a "b', comment: "It's odd." },
      { table_name: 'links', column_name: 'url', comment: 'The column url.' },
      { table_name: 'pages', column_name: 'url', comment: 'The column url.' },
    ]);
  });

  test('has views that work under any name of the catalog', async () => {
    await run(MODELS);
    const file = `${warehouse.folder}/warehouse.duckdb`;
    await warehouse.connection.run('CHECKPOINT warehouse');
    await warehouse.connection.run('USE memory');
    await warehouse.connection.run('DETACH warehouse');
    await warehouse.connection.run(`ATTACH '${file}' AS published (READ_ONLY)`);
    expect(await warehouse.connection.jsonRows('SELECT url FROM published.mart.pages ORDER BY url')).toEqual([
      { url: 'a' },
      { url: 'b' },
    ]);
  });
});

async function marts(): Promise<unknown[]> {
  const rows = await warehouse.connection.jsonRows(`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'mart' ORDER BY name`);
  return rows.map((row) => row.name);
}
