import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelText } from '../model-files.ts';
import { runTexts, statuses } from '../run-texts.ts';
import { createTable, openWarehouse, type TestWarehouse } from '../test-warehouse.ts';

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

const run = (
  models: Readonly<Record<string, ModelText>>,
  changed?: Parameters<typeof runTexts>[2],
  more?: Parameters<typeof runTexts>[3],
) => runTexts(warehouse.connection, models, changed, more);

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

  test('a written source rebuilds its readers, also through other models', async () => {
    await run(MODELS);
    await load('raw.pages', ['a', 'b', 'c']);
    expect(statuses(await run(MODELS, ['raw.pages']))).toEqual(built('mart.pages', 'mart.counts'));
    expect(await warehouse.connection.jsonRows('SELECT n FROM mart.counts')).toEqual([{ n: '3' }]);
    expect(statuses(await run(MODELS, ['raw.other']))).toEqual(built());
  });

  test('a changed definition rebuilds the model and its readers', async () => {
    await run(MODELS);
    const pages = { ...MODELS.pages, columns: ['url'], sql: "SELECT url FROM raw.pages WHERE url = 'a'" };
    expect(statuses(await run({ ...MODELS, pages }))).toEqual(built('mart.pages', 'mart.counts'));
    expect(await warehouse.connection.jsonRows('SELECT n FROM mart.counts')).toEqual([{ n: '1' }]);
  });

  test('a new source column rebuilds the models that declare it', async () => {
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

  test('a dropped model is rebuilt', async () => {
    await run(MODELS);
    await warehouse.connection.run('DROP TABLE mart.links');
    expect(statuses(await run(MODELS))).toEqual(built('mart.links'));
  });

  test('a load that a killed run did not process is detected', async () => {
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

  test('a model that a killed run did not build after its input is built', async () => {
    const columns = { unit: 'VARCHAR', dataset: 'VARCHAR', run_id: 'VARCHAR', loaded_at: 'TIMESTAMPTZ' };
    await run(MODELS);
    await createTable(warehouse.connection, 'ops.loads', columns, [{ unit: 'pages/1', dataset: 'pages' }]);
    let changes = 0;
    const onChange = async (): Promise<void> => {
      if (++changes === 2) throw new Error('killed');
    };
    await expect(run(MODELS, ['raw.pages'], { onChange })).rejects.toThrow('killed');
    expect(statuses(await run(MODELS))).toEqual(built('mart.counts'));
  });

  test('all builds everything', async () => {
    await run(MODELS);
    expect(statuses(await run(MODELS, 'all'))).toEqual(built('mart.links', 'mart.pages', 'mart.counts'));
  });

  test('only builds the selected models, with their inputs or readers, and drops nothing', async () => {
    await expect(run(MODELS, 'all', { only: ['counts'] })).rejects.toThrow(
      'mart.counts reads mart.pages, which is not built yet',
    );
    await run(MODELS);
    const made = async (only: string) => Object.keys(statuses(await run(MODELS, 'all', { only: [only] })));
    expect(await made('counts')).toEqual(['mart.counts']);
    expect(await made('+mart.counts')).toEqual(['mart.pages', 'mart.counts']);
    expect(await made('pages+')).toEqual(['mart.pages', 'mart.counts']);
    expect(statuses(await run(MODELS))).toEqual(built());
    expect(await warehouse.connection.jsonRows('FROM mart.links')).toHaveLength(1);
    await expect(run(MODELS, 'all', { only: ['count'] })).rejects.toThrow('there is no model count');
  });

  test('a model removed from sql/ is dropped, foreign tables stay', async () => {
    await run(MODELS);
    await warehouse.connection.run('CREATE TABLE mart.mine AS SELECT 1 AS x');
    const { counts: _, links: __, ...rest } = MODELS;
    await run(rest);
    expect(await marts()).toEqual(['mine', 'pages']);
    expect(await warehouse.connection.jsonRows('SELECT name FROM ops.models')).toEqual([
      { name: 'mart.pages' },
    ]);
  });

  test('each change is recorded in its own transaction', async () => {
    let changes = 0;
    const onChange = async () => {
      changes++;
    };
    await run(MODELS, [], { onChange });
    expect(changes).toBe(3);
    await run(MODELS, [], { onChange });
    expect(changes).toBe(3);
    const { counts: _, ...rest } = MODELS;
    await run(rest, [], { onChange });
    expect(changes).toBe(4);
    const failing = () => Promise.reject(new Error('no'));
    await expect(run(MODELS, [], { onChange: failing })).rejects.toThrow('no');
    expect(await marts()).toEqual(['links', 'pages']);
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

describe('failed builds', () => {
  test('an invalid model stops the run before any change', async () => {
    await run(MODELS);
    await load('raw.links', ['l', 'm']);
    const counts = { columns: ['n'], sql: 'SELECT nope AS n FROM mart.pages' };
    await expect(run({ ...MODELS, counts }, 'all')).rejects.toThrow(
      'sql/m/counts.sql:9: Referenced column "nope"',
    );
    expect(await warehouse.connection.jsonRows('FROM mart.links')).toHaveLength(1);
  });

  test('a model that fails while running keeps its previous rows', async () => {
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

  test('an aborted build stops', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(run(MODELS, 'all', { signal: controller.signal })).rejects.toThrow('aborted');
  });
});

describe('the warehouse', () => {
  test('contains comments', async () => {
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

  test('has a renamed column under its former name too, also in views and for reading models', async () => {
    const pages = {
      kind: 'view',
      columns: ['page_url'],
      more: 'renamed: {url: page_url}',
      sql: '-- One row for each page.\nSELECT url AS page_url FROM raw.pages',
    };
    const counts = { columns: ['n'], sql: "SELECT count(*) AS n FROM mart.pages WHERE url = 'a'" };
    await run({ pages, counts });
    const { connection } = warehouse;
    expect(await connection.jsonRows('FROM mart.pages ORDER BY url')).toEqual([
      { page_url: 'a', url: 'a' },
      { page_url: 'b', url: 'b' },
    ]);
    expect(await connection.jsonRows('FROM mart.counts')).toEqual([{ n: '1' }]);
    const comment = "SELECT comment FROM duckdb_columns() WHERE table_name = 'pages' AND column_name = 'url'";
    expect(await connection.scalar(`${comment} AND schema_name = 'mart'`)).toBe(
      'Former name of page_url, for one version.',
    );
  });

  test('has views that work under any catalog name', async () => {
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

  test('gives models and tests half of its memory limit, and all of it if that is too little', async () => {
    const { connection } = warehouse;
    const whole = await connection.scalar("SELECT current_setting('memory_limit')");
    const tests = `tests:
  - query: SELECT current_setting('memory_limit') WHERE current_setting('memory_limit') <> '190.7 MiB'`;
    // A list is held whole.
    const listOf = (numbers: number): ModelText => ({
      columns: ['memory', 'n'],
      more: tests,
      sql: `SELECT current_setting('memory_limit') AS memory, len(list(i)) AS n FROM range(${numbers}) AS t(i)`,
    });
    const report = await run({ small: listOf(10), large: listOf(14_000_000) });
    expect(report.tests.map(({ status }) => status)).toEqual(['passed', 'passed']);
    const memory = 'SELECT memory FROM mart.';
    expect(await connection.scalar(`${memory}small`)).toBe('190.7 MiB');
    expect(await connection.scalar(`${memory}large`)).toBe(whole);
    expect(await connection.scalar("SELECT current_setting('memory_limit')")).toBe(whole);
  });
});

async function marts(): Promise<unknown[]> {
  const rows = await warehouse.connection.jsonRows(`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'mart' ORDER BY name`);
  return rows.map((row) => row.name);
}
