import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../../../../src/core/logs/logger.ts';
import { testModels } from '../../../../../src/etl/pipeline/transform/tests/test-published.ts';
import { loadFiles, type ModelText, modelText } from '../../../pipeline/transform/model-files.ts';
import { runTexts, statuses } from '../../../pipeline/transform/run-texts.ts';
import {
  createTable,
  openWarehouse,
  type TestWarehouse,
} from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeEach(async () => {
  warehouse = await openWarehouse();
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

const run = (
  models: Readonly<Record<string, ModelText>>,
  changed?: Parameters<typeof runTexts>[2],
  more?: Parameters<typeof runTexts>[3],
) => runTexts(warehouse.connection, models, changed, more);

const more = [
  'tests:',
  '  - {unique: [url], severity: warn}',
  '  - {accepted_values: {column: url, values: [a, b]}}',
  "  - {name: no c, query: SELECT * FROM mart.links WHERE url = 'c'}",
  '  - not_null: url',
].join('\n');
const links: ModelText = { columns: ['url'], more, sql: 'SELECT url FROM raw.links' };

test('tests count violating rows, and report them in the report, the table and the log', async () => {
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

test('tests pass on valid rows', async () => {
  await load('raw.links', ['a', 'b']);
  const { tests } = await run({ links });
  expect(tests.map(({ status, failures }) => [status, failures])).toEqual(Array(4).fill(['passed', 0]));
});

test('one statement runs the tests of a model on the same rows; a failed one and a SELECT run alone', async () => {
  const { connection } = warehouse;
  await connection.run('ALTER TABLE raw.links ADD COLUMN kind VARCHAR');
  const statements: string[] = [];
  const { scalar, rows } = connection;
  connection.scalar = (sql, ...rest) => {
    statements.push(sql);
    return scalar.call(connection, sql, ...rest);
  };
  connection.rows = ((sql: string, ...rest: []) => {
    statements.push(sql);
    return rows.call(connection, sql, ...rest);
  }) as typeof rows;
  const grain = '[url, kind]';
  const tests = [
    'tests:',
    '  - {accepted_values: {column: url, values: [l, m]}}',
    '  - {accepted_values: {column: kind, values: [k]}}',
    '  - {query: SELECT * FROM mart.links WHERE false}',
  ].join('\n');
  const one: ModelText = {
    kind: 'view',
    columns: ['url', 'kind'],
    grain,
    more: tests,
    sql: 'SELECT url, kind FROM raw.links',
  };
  const count = async (): Promise<[string, number][]> => {
    const files = await loadFiles({ 'm/links.sql': modelText('links', one) });
    statements.length = 0;
    const reports = await testModels({ connection, models: files });
    return reports.map(({ name, failures }) => [name, failures]);
  };
  const ofTests = (): string[] =>
    statements.filter((sql) => /count\(|sum\(/.test(sql) && sql.includes('"mart"'));

  await connection.run("UPDATE raw.links SET kind = 'k'");
  await run({ links: one });
  expect((await count()).map(([, failures]) => failures)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(ofTests()).toHaveLength(1);

  await connection.run("INSERT INTO raw.links (url, kind) VALUES ('l', 'k'), (NULL, 'x'), ('z', NULL)");
  expect(await count()).toEqual([
    ['not_null(url)', 1],
    ['not_null(kind)', 1],
    ['unique(url, kind)', 1],
    ['accepted_values(url)', 1],
    ['accepted_values(kind)', 1],
    ['query 3', 0],
  ]);
  expect(ofTests()).toHaveLength(2);
});

test('a unique key with a collation is not checked by hashes', async () => {
  await load('raw.links', ['a', 'A']);
  const { tests } = await run({
    links: { columns: ['url'], grain: '[url]', sql: 'SELECT url COLLATE NOCASE AS url FROM raw.links' },
  });
  expect(tests.map(({ name, failures }) => [name, failures])).toEqual([
    ['not_null(url)', 0],
    ['unique(url)', 1],
  ]);
});

test('tests of unchanged models run again only with all, or if an error failed last time', async () => {
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

test('a new test runs even if the SQL is unchanged', async () => {
  const { more: _, ...untested } = links;
  await load('raw.links', ['c']);
  expect((await run({ links: untested })).tests).toEqual([]);
  expect((await run({ links })).tests.filter(({ status }) => status === 'failed')).toHaveLength(2);
});

test('tests may read a missing source', async () => {
  const query = 'tests:\n  - query: SELECT x FROM raw.gone\nreads:\n  raw.gone: {x: BIGINT}';
  const { tests } = await run({ links: { ...links, more: query } });
  expect(tests.map(({ name, status }) => [name, status])).toEqual([['query 1', 'passed']]);
});

test('grain tests treat NULL as a value of a nullable column', async () => {
  const nullable = '  url: {description: It., nullable: true}';
  const model: ModelText = { grain: '[url]', columns: [], more: nullable, sql: 'SELECT url FROM raw.links' };
  await load('raw.links', ['a', null]);
  expect((await run({ links: model })).tests.map(({ name, status }) => [name, status])).toEqual([
    ['unique(url)', 'passed'],
  ]);
  await load('raw.links', ['a', null, null]);
  expect((await run({ links: model }, ['raw.links'])).tests.map(({ status }) => status)).toEqual(['failed']);
});

test('tests run on the built models without writing', async () => {
  await run({ links });
  await warehouse.connection.run("INSERT INTO mart.links VALUES ('x')");
  const models = await loadFiles({
    'm/links.sql': modelText('links', links),
    'm/new.sql': modelText('new', { grain: '[x]', columns: ['x'], sql: 'SELECT 1 AS x' }),
  });
  const written = 'SELECT count(*) FROM ops.test_results';
  const before = await warehouse.connection.scalar(written);
  const tests = await testModels({ connection: warehouse.connection, models });
  expect(tests.map(({ model, name, failures }) => [model, name, failures])).toEqual([
    ['mart.links', 'unique(url)', 0],
    ['mart.links', 'accepted_values(url)', 2],
    ['mart.links', 'no c', 0],
    ['mart.links', 'not_null(url)', 0],
  ]);
  expect(await warehouse.connection.scalar(written)).toBe(before);
});

test('relationships, row counts and freshness count and show violations', async () => {
  const rules = [
    'tests:',
    '  - {relationships: {column: url, to: mart.known, field: url}}',
    '  - {row_count: {between: [1, 3]}}',
    '  - {freshness: {column: day, within: 3 days}}',
  ].join('\n');
  const dated: ModelText = {
    columns: ['url', 'day'],
    more: rules,
    sql: "SELECT url, now() - to_days(if(url = 'old', 9, 1)) AS day FROM raw.links",
  };
  const known: ModelText = { columns: ['url'], sql: "SELECT unnest(['a', 'old']) AS url" };
  const found = async (urls: readonly (string | null)[]) => {
    await load('raw.links', urls);
    const { tests } = await run({ links: dated, known }, 'all');
    return tests.map(({ failures }) => failures);
  };
  expect(await found(['a', null])).toEqual([0, 0, 0]);
  expect(await found(['a', 'b', 'b', 'a'])).toEqual([2, 1, 0]);
  expect(await found(['old'])).toEqual([0, 0, 1]);
  expect(await found([])).toEqual([0, 1, 0]);
  await found(['b']);
  const { tests } = await run({ links: dated, known });
  const [broken] = tests.filter(({ failures }) => failures > 0);
  expect(broken?.sample).toMatchObject([{ url: 'b' }]);
  expect(broken?.query).toContain('NOT IN');
});

test('freshness is tested again without changes, because time alone can break it', async () => {
  const fresh = 'tests:\n  - {freshness: {column: day, within: 3 days}}\n  - {not_null: day, name: other}';
  const dated: ModelText = { columns: ['day'], more: fresh, sql: 'SELECT now() AS day FROM raw.links' };
  await run({ links: dated });
  expect((await run({ links: dated })).tests.map(({ name, status }) => [name, status])).toEqual([
    ['freshness(day) within 3 days', 'passed'],
  ]);
});

test('a model is tested again if a model that its tests read was rebuilt', async () => {
  const known: ModelText = { columns: ['url'], sql: 'SELECT url FROM raw.known' };
  const rule = 'tests:\n  - {relationships: {column: url, to: mart.known, field: url}}';
  await load('raw.links', ['a']);
  await load('raw.known', ['a']);
  const both = { links: { ...links, more: rule }, known };
  await run(both);
  await load('raw.known', ['b']);
  const { tests } = await run(both, ['raw.known']);
  expect(tests.map(({ model, failures }) => [model, failures])).toEqual([['mart.links', 1]]);
});

test('a relationship must name an existing model and field', async () => {
  const to = (target: string, field: string) => ({
    links: { ...links, more: `tests:\n  - {relationships: {column: url, to: ${target}, field: ${field}}}` },
  });
  await expect(run(to('mart.nope', 'url'))).rejects.toThrow(
    'sql/m/links.sql:9: reads mart.nope, which no model builds',
  );
  await expect(run(to('mart.links', 'nope'))).rejects.toThrow('sql/m/links.sql:9: ');
});
