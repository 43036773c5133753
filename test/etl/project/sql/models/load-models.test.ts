import { expect, test } from 'vitest';
import { expectBadModel, loadFiles, modelText } from '../../../pipeline/transform/model-files.ts';

const GOOD = modelText('a', { columns: ['x'], sql: 'SELECT 1 AS x' });

test.each<[name: string, file: string, message: string, hint?: string]>([
  [
    'a file without a header',
    'SELECT 1 AS x',
    'sql/m/a.sql:1: has no header',
    'start the file with a block comment that contains YAML: /* name: … */',
  ],
  [
    'an unknown key, with those that work',
    GOOD.replace('kind: table', 'kind: table\nkindd: view'),
    'sql/m/a.sql:4: unknown key kindd',
    'did you mean kind? allowed keys: name, kind, materialize, description, grain, columns, replaces, optional, renamed, reads, each, incremental, tests',
  ],
  [
    'an unknown key of a column',
    GOOD.replace('x: The column x.', 'x:\n    description: it\n    unit: s'),
    'sql/m/a.sql:9: unknown key columns.x.unit',
    'allowed keys: description, nullable, tests',
  ],
  [
    'an unknown key of a test',
    GOOD.replace('\n*/', '\ntests:\n  - not_null: x\n  - not_null: x\n    sverity: warn\n*/'),
    'sql/m/a.sql:11: unknown key tests.1.sverity',
    'did you mean severity? allowed keys: not_null, unique, accepted_values, relationships, row_count, freshness, query, severity, name',
  ],
  [
    'a missing grain',
    GOOD.replace('grain: null\n', ''),
    'sql/m/a.sql:2: grain is missing: name the columns that make a row unique, or write null if none do',
  ],
  [
    'a missing kind',
    GOOD.replace('kind: table\n', ''),
    'sql/m/a.sql:2: kind is missing',
    'allowed values: view, table, seed',
  ],
  [
    'an unknown kind, with the values that work',
    GOOD.replace('kind: table', 'kind: cube'),
    'sql/m/a.sql:3: kind: Invalid option: expected one of "view"|"table"|"seed"',
    'allowed values: view, table, seed',
  ],
  [
    'a grain that names no column',
    GOOD.replace('grain: null', 'grain: [y]'),
    'sql/m/a.sql:5: grain names the column y, which is not in columns',
  ],
  [
    'a grain with a severity that names no column',
    GOOD.replace('grain: null', 'grain: {columns: [y], severity: warn}'),
    'sql/m/a.sql:5: grain names the column y, which is not in columns',
  ],
  [
    'a former name of no column',
    GOOD.replace('\n*/', '\nrenamed: {z: y}\n*/'),
    'sql/m/a.sql:8: renamed names the column y, which is not in columns',
  ],
  [
    'a former name that is a column',
    GOOD.replace('\n*/', '\nrenamed: {x: x}\n*/'),
    'sql/m/a.sql:8: renamed names the column x, which is in columns',
  ],
  [
    'an unknown key of a grain',
    GOOD.replace('grain: null', 'grain: {columns: [x], sverity: warn}'),
    'sql/m/a.sql:5: unknown key grain.sverity',
    'did you mean severity? allowed keys: columns, severity',
  ],
  [
    'a grain of no columns',
    GOOD.replace('grain: null', 'grain: []'),
    'sql/m/a.sql:5: grain.columns names no column: write grain: null if no columns make a row unique',
  ],
  [
    'a test that names no column',
    GOOD.replace('\n*/', '\ntests:\n  - unique: [x, y]\n*/'),
    'sql/m/a.sql:9: tests names the column y, which is not in columns',
  ],
  [
    'a test of two kinds',
    GOOD.replace('\n*/', '\ntests:\n  - not_null: x\n    unique: [x]\n*/'),
    'sql/m/a.sql:9: tests.0: a test has exactly one of not_null, unique, accepted_values, relationships, row_count, freshness, query',
  ],
  [
    'a test that the grain implies',
    GOOD.replace('grain: null', 'grain: [x]').replace('\n*/', '\ntests:\n  - unique: [x]\n*/'),
    'sql/m/a.sql:9: a second test unique(x)',
    'the grain already tests its columns',
  ],
  [
    'a name that is not the name of the file',
    GOOD.replace('mart.a', 'mart.b'),
    'sql/m/a.sql:2: the file a.sql contains mart.b',
    'name: mart.a',
  ],
  [
    'a duplicate key',
    GOOD.replace('kind: table', 'kind: table\nkind: view'),
    'sql/m/a.sql:4: the header is not YAML: Map keys must be unique',
  ],
  [
    'brackets without an end',
    GOOD.replace('kind: table', `kind: ${'{'.repeat(50_000)}`),
    'sql/m/a.sql:3: the header is not YAML: more than a thousand brackets are open',
  ],
  [
    'an alias of no anchor',
    GOOD.replace('kind: table', 'kind: *table'),
    'sql/m/a.sql:2: the header is not YAML: its aliases cannot be resolved: Unresolved alias (the anchor must be set before the alias): table',
    'write the values instead of aliases',
  ],
  [
    'reads of something that is no source',
    GOOD.replace('\n*/', '\nreads:\n  mart.b: {x: BIGINT}\n*/'),
    'sql/m/a.sql:9: reads.mart.b: only tables of raw and ops are declared',
  ],
])('%s is refused', async (_name, file, message, hint) => {
  await expectBadModel(loadFiles({ 'm/a.sql': file }), message, hint);
});

test('error lines refer to the file, even if the header does not start on its first line', async () => {
  const file = `\n\n/*   \n\n${GOOD.slice(3).replace('kind: table', 'knd: table')}`;
  await expectBadModel(loadFiles({ 'm/a.sql': file }), 'sql/m/a.sql:6: unknown key knd');
});

test('a second model of the same name is refused, naming the first', async () => {
  await expectBadModel(
    loadFiles({ 'm/a.sql': GOOD, 'n/a.sql': GOOD }),
    'sql/n/a.sql:2: a second model mart.a',
    'the first one is sql/m/a.sql',
  );
});

test('a file outside a folder is refused', async () => {
  await expectBadModel(loadFiles({ 'a.sql': GOOD }), 'sql/a.sql:1: is not in a folder of sql');
});

test('models are read from all folders except questions, ordered by name', async () => {
  const models = await loadFiles({
    'z/a.sql': GOOD,
    'm/c.sql': modelText('c', { columns: ['x'], sql: 'SELECT 1 AS x' }),
    'm/b.sql': modelText('b', { columns: ['x'], sql: 'SELECT 1 AS x' }),
    'm/notes.md': 'no model',
    'questions/q01.sql': 'no model either',
  });
  expect(models.map((model) => model.name)).toEqual(['mart.a', 'mart.b', 'mart.c']);
});

test('a grain passes its severity to its implied tests', async () => {
  const grain = '{columns: [x], severity: warn}';
  const [model] = await loadFiles({
    'm/a.sql': modelText('a', { grain, columns: ['x'], sql: 'SELECT 1 AS x' }),
  });
  expect(model?.grain).toEqual(['x']);
  expect(model?.tests.map(({ name, severity }) => [name, severity])).toEqual([
    ['not_null(x)', 'warn'],
    ['unique(x)', 'warn'],
  ]);
});

test('a grain implies tests, and tests are declared with columns or under tests', async () => {
  const more = [
    '  y: {description: It., nullable: true}',
    '  z:',
    '    description: It.',
    '    tests: [not_null, unique, {accepted_values: [1, true, "it\'s"], severity: warn}]',
    'tests:',
    '  - query: SELECT 1 WHERE false;',
    '  - {name: named, severity: warn, not_null: y}',
  ].join('\n');
  const [model] = await loadFiles({
    'm/a.sql': modelText('a', { grain: '[x, y]', columns: ['x'], more, sql: 'SELECT 1 AS x' }),
  });
  expect(model?.tests.map(({ name, severity, sql }) => [name, severity, sql])).toEqual([
    ['not_null(x)', 'error', 'SELECT count(*) FROM (SELECT * FROM "mart"."a" WHERE "x" IS NULL\n)'],
    [
      'unique(x, y)',
      'error',
      'SELECT CAST(coalesce(sum(n - 1), 0) AS BIGINT) FROM (SELECT "x", "y", count(*) AS n FROM "mart"."a" GROUP BY "x", "y" HAVING count(*) > 1)',
    ],
    ['not_null(z)', 'error', 'SELECT count(*) FROM (SELECT * FROM "mart"."a" WHERE "z" IS NULL\n)'],
    [
      'unique(z)',
      'error',
      'SELECT CAST(coalesce(sum(n - 1), 0) AS BIGINT) FROM (SELECT "z", count(*) AS n FROM "mart"."a" GROUP BY "z" HAVING count(*) > 1)',
    ],
    [
      'accepted_values(z)',
      'warn',
      `SELECT count(*) FROM (SELECT * FROM "mart"."a" WHERE CAST("z" AS VARCHAR) NOT IN ('1', 'true', 'it''s')\n)`,
    ],
    ['query 1', 'error', 'SELECT count(*) FROM (SELECT 1 WHERE false\n)'],
    ['named', 'warn', 'SELECT count(*) FROM (SELECT * FROM "mart"."a" WHERE "y" IS NULL\n)'],
  ]);
});
