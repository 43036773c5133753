import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database, text } from '../../../src/core/duckdb/duckdb.ts';
import { capture, projectFolder } from '../../app/cli/capture.ts';
import { readXlsx } from '../../support/read-xlsx.ts';

/** A project with a published warehouse of one table. */
async function published(settings = '', more: readonly string[] = []): Promise<string> {
  const folder = await projectFolder(settings);
  await using database = await Database.open({
    memoryLimit: '100MB',
    threads: 1,
    tempDirectory: join(folder, 'spill'),
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS w`);
  await connection.run("CREATE TABLE w.t AS SELECT range AS n, '=1+1' AS s FROM range(3)");
  await connection.run('USE w');
  for (const statement of more) await connection.run(statement);
  await connection.run('USE memory');
  await connection.run('DETACH w');
  await mkdir(join(folder, '.crawlhouse'));
  await writeFile(join(folder, '.crawlhouse', 'ledger.sqlite'), 'the ledger');
  return folder;
}

const query = (folder: string, ...argv: string[]) => capture('query', ...argv, '--project-dir', folder);

test('COPY over the warehouse is a usage error, and the file stays unchanged', async () => {
  const folder = await published();
  const file = join(folder, 'warehouse.duckdb');
  const before = await readFile(file);
  const sql = `COPY (SELECT 'gone') TO ${text(file)} (FORMAT csv, USE_TMP_FILE false)`;
  const { code, stderr } = await query(folder, sql);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^Error: refused: only read-only statements/)]);
  expect((await readFile(file)).equals(before)).toBe(true);
  expect((await query(folder, 'FROM t', '--format', 'csv')).stdout).toBe('n,s\n0,=1+1\n1,=1+1\n2,=1+1\n');
});

test('the configured limits apply, with exit code 2 and the name of the setting', async () => {
  const folder = await published('query_row_limit: 2');
  const { code, stderr } = await query(folder, 'FROM t');
  expect(code).toBe(2);
  expect(stderr).toBe(
    'Error: the query was ended: it returned more than 2 rows\nTry: request less data, or raise query_row_limit in crawlhouse.yaml\n',
  );
});

test('query --output refuses paths of the warehouse and the state directory', async () => {
  const folder = await published();
  const before = await readFile(join(folder, 'warehouse.duckdb'));
  for (const name of [
    'warehouse.duckdb',
    'warehouse.duckdb.wal',
    '.crawlhouse/ledger.sqlite',
    '.crawlhouse/x.csv',
  ]) {
    const { code } = await query(folder, 'FROM t', '--format', 'csv', '--output', join(folder, name));
    expect([name, code]).toEqual([name, 2]);
  }
  expect((await readFile(join(folder, 'warehouse.duckdb'))).equals(before)).toBe(true);
  expect(await readFile(join(folder, '.crawlhouse', 'ledger.sqlite'), 'utf8')).toBe('the ledger');
});

test.for(['csv', 'parquet', 'xlsx'])(
  'an existing %s file stays complete if the query fails halfway',
  async (format) => {
    const folder = await published();
    const output = join(folder, `rows.${format}`);
    await writeFile(output, 'former');
    const names = await readdir(folder);
    const sql = "SELECT CASE WHEN range = 600000 THEN error('half way') ELSE 1 END FROM range(700000)";
    expect((await query(folder, sql, '--output', output)).code).toBe(2);
    expect(await readFile(output, 'utf8')).toBe('former');
    expect(await readdir(folder)).toEqual(names);
    expect((await query(folder, 'FROM t', '--output', output)).code).toBe(0);
    expect((await readFile(output)).length).toBeGreaterThan(10);
  },
);

test('--chart draws the rows, and excludes other formats', async () => {
  const folder = await published();
  const drawn = await query(folder, "SELECT 'row ' || n AS row, n FROM t ORDER BY n", '--chart', 'bar');
  expect(drawn.code).toBe(0);
  expect(drawn.stdout).toMatch(/^n by row\nrow 0 {3}0\nrow 1 {2}█+▌ 1\nrow 2 {2}█+ 2\n$/);
  const refused = async (...argv: string[]) => {
    const { code, stderr } = await query(folder, 'FROM t', '--chart', ...argv);
    return [code, stderr.split('\n')[0]];
  };
  expect(await refused('pie')).toEqual([2, 'Error: --chart: pie is not a valid value']);
  expect(await refused('line', '--format', 'csv')).toEqual([
    2,
    'Error: --chart and --format cannot be combined',
  ]);
  expect((await query(folder, 'FROM range(1001)', '--chart', 'line')).stderr).toContain(
    'more than 1000 rows',
  );
});

test('--names people uses readable column names in formats with names', async () => {
  const folder = await published();
  const sql = 'SELECT 1 AS nb_inlinks';
  const csv = (...argv: string[]) => query(folder, ...argv, '--format', 'csv').then((one) => one.stdout);
  expect(await csv(sql)).toBe('nb_inlinks\n1\n');
  expect(await csv(sql, '--names', 'people')).toBe('Inlinks\n1\n');
  const parquet = await query(folder, sql, '--names', 'people', '--output', join(folder, 'a.parquet'));
  expect([parquet.code, parquet.stderr]).toEqual([2, expect.stringContaining('does not work with Parquet')]);
});

test('--safe-csv keeps formula-like values as text', async () => {
  const folder = await published();
  const sql = `SELECT * FROM (VALUES ('=1+1', '+1', '-1', '@a'), ('a=1', ' =1', E'\\t=1', '＝1'), ('-', '', NULL, 'x')) v("=a", b, c, d)`;
  const numbers = 'SELECT -1 AS n, -1.5 AS d, [-1] AS l';
  const csv = (...argv: string[]) => query(folder, ...argv, '--format', 'csv').then((one) => one.stdout);
  expect(await csv(sql, '--safe-csv')).toBe(`'=a,b,c,d\n'=1+1,'+1,'-1,'@a\na=1,' =1,'\t=1,'＝1\n'-,"",,x\n`);
  expect(await csv(sql)).toBe(`=a,b,c,d\n=1+1,+1,-1,@a\na=1, =1,\t=1,＝1\n-,"",,x\n`);
  expect(await csv(numbers, '--safe-csv')).toBe('n,d,l\n-1,-1.5,[-1]\n');
  expect(await csv(`SELECT ';=1' AS a, ['x;=1'] AS b, '"=1' AS c`, '--safe-csv')).toBe(
    `a,b,c\n';'=1,"'[""x;'=1""]","'""=1"\n`,
  );
  expect((await query(folder, sql, '--safe-csv')).code).toBe(2);
});

/** A question of a project, with a text and a number to be asked with. */
const ASKED = `/*
title: Numbers
model: mart.t
description: D
parameters:
  project:
  least: {type: BIGINT, default: 1, description: Least number.}
needs: {rankings: 56}
*/
SELECT n, $project AS project FROM t WHERE n >= $least ORDER BY n
`;

async function withQuestion(more: readonly string[] = []): Promise<string> {
  const folder = await published('query_row_limit: 2', more);
  await mkdir(join(folder, 'sql', 'questions'), { recursive: true });
  await writeFile(join(folder, 'sql', 'questions', 'own.sql'), ASKED);
  return folder;
}

test('a question runs with defaults or values, to stdout and to files', async () => {
  const folder = await withQuestion();
  const ask = (...argv: string[]) => query(folder, '--question', 'own', ...argv);
  expect((await ask('--format', 'csv')).stdout).toBe('n,project\n1,\n2,\n');
  const values = ['-p', 'least=2', '--param', "project=a'; DROP TABLE t; --"];
  expect((await ask('--format', 'csv', ...values)).stdout).toBe("n,project\n2,a'; DROP TABLE t; --\n");
  const output = join(folder, 'rows.parquet');
  expect((await ask('-p', 'least=1', '--output', output)).stderr).toMatch(/^2 rows in /);
});

test('an empty result of a question explains what is missing, also with a file; SQL does not', async () => {
  const folder = await withQuestion([
    'CREATE SCHEMA mart',
    "CREATE TABLE mart.projects AS SELECT 'p1' AS project_id, 'shop' AS project_name",
    "CREATE TABLE mart.ranking_performance AS SELECT 'p1' AS project_id, DATE '2026-02-01' + i::INTEGER AS date FROM range(4) AS r(i)",
    "CREATE TABLE mart.ranking_periods AS SELECT 'p1' AS project_id, NULL::VARCHAR AS url, DATE '2026-01-31' AS to_date",
  ]);
  const why = 'The question needs 56 days of search results (ranking_performance); the warehouse has 4.';
  const ask = (...argv: string[]) => query(folder, '--question', 'own', '-p', 'least=9', ...argv);
  expect((await ask()).stderr).toBe(`0 rows. ${why}\n`);
  expect(await ask('--json')).toMatchObject({ stdout: '[]\n', stderr: `0 rows. ${why}\n`, code: 0 });
  expect((await ask('--output', join(folder, 'rows.parquet'))).stderr).toMatch(
    /^0 rows in .*rows\.parquet\. The/,
  );
  expect((await ask('--chart', 'bar')).stderr).toBe(`${why}\n`);
  expect((await query(folder, 'FROM t WHERE n > 9')).stderr).toBe('0 rows\n');
  expect((await query(folder, '--question', 'own')).stderr).toBe('2 rows\n');
});

test('an unknown parameter or value of a question is a usage error', async () => {
  const folder = await withQuestion();
  const ask = (value: string) => query(folder, '--question', 'own', '-p', value);
  expect(await ask('projekt=a')).toMatchObject({
    code: 2,
    stderr:
      'Error: own has no parameter projekt\nTry: did you mean project? its parameters: project, least\n',
  });
  expect(await ask('least=many')).toMatchObject({
    code: 2,
    stderr: 'Error: own: least=many is not a BIGINT\nTry: give least a whole number, as in 20\n',
  });
});

test('an unknown project is a usage error, not an empty result', async () => {
  const folder = await withQuestion([
    'CREATE SCHEMA ops',
    "CREATE TABLE ops.loads AS SELECT * FROM (VALUES ('p1'), ('p2'), (NULL)) AS t(project_id)",
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.projects AS SELECT 'p1' AS id, 'My shop' AS name",
  ]);
  const ask = (...argv: string[]) => query(folder, '--question', 'own', '--format', 'csv', ...argv);
  expect((await ask('-p', 'project=My shop')).stdout).toBe('n,project\n1,My shop\n2,My shop\n');
  expect((await ask('-p', 'project=p2')).code).toBe(0);
  const output = join(folder, 'rows.csv');
  for (const more of [[], ['--output', output]])
    expect(await ask('-p', 'project=my shop', ...more)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^Error: the warehouse has no project my shop\nTry: did you mean My shop\? /,
      ),
    });
  expect(existsSync(output)).toBe(false);
});

/** Crawls of two projects, as the models have them: more than the reader gives rows. */
const CRAWLS = [
  'CREATE SCHEMA mart',
  `CREATE TABLE mart.crawls AS SELECT * FROM (VALUES
     ('c1', 'p1', 'shop', TIMESTAMPTZ '2026-11-01 23:30:00+00', NULL, false),
     ('c2', 'p1', 'shop', TIMESTAMPTZ '2026-11-02 01:00:00+00', 'c1', false),
     ('c3', 'p1', 'shop', TIMESTAMPTZ '2026-11-02 23:30:00+00', 'c2', true),
     ('c4', 'p1', 'shop', NULL, NULL, false),
     ('b1', 'p2', 'blog', TIMESTAMPTZ '2026-11-02 02:00:00+00', NULL, true))
   AS t(crawl_id, project_id, project_name, ended_at, previous_crawl_id, is_main)`,
];

async function withCrawls(): Promise<string> {
  const folder = await withQuestion(CRAWLS);
  const header = 'title: T\nmodel: mart.crawls\ndescription: D\nparameters: [project, crawl]';
  await writeFile(
    join(folder, 'sql', 'questions', 'q05_of_crawl.sql'),
    `/*\n${header}\n*/\nSELECT crawl_id FROM mart.crawls WHERE crawl_id = $crawl AND ($project IS NULL OR project_name = $project)\n`,
  );
  for (const name of ['q06_pages', 'q06_pages_by_crawl'])
    await writeFile(join(folder, 'sql', 'questions', `${name}.sql`), ASKED);
  return folder;
}

test('a crawl is named by identifier, position or day, and an unknown one is a usage error', async () => {
  const folder = await withCrawls();
  const ask = (...values: string[]) =>
    query(folder, '--question', 'q05', '--format', 'csv', ...values.flatMap((one) => ['-p', one]));
  for (const [name, id] of [
    ['c2', 'c2'],
    ['latest', 'c3'],
    ['previous', 'c2'],
    ['-2', 'c1'],
    ['2026-11-01', 'c1'],
    ['2026-11-02', 'c3'],
  ])
    expect((await ask(`crawl=${name}`, 'project=shop')).stdout, name).toBe(`crawl_id\n${id}\n`);
  expect((await ask('crawl=c4')).stdout).toBe('crawl_id\nc4\n');
  expect(await ask('crawl=2026-11-09', 'project=shop')).toMatchObject({
    stdout: 'crawl_id\nc3\n',
    stderr: expect.stringContaining(
      'no crawl ended on 2026-11-09; using the nearest earlier crawl, c3 of 2026-11-02\n',
    ),
  });
  expect(await ask('crawl=latest')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('c3 (shop)'),
  });
  expect(await ask('crawl=c33')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^Error: there is no crawl c33\nTry: did you mean c3\? /),
  });
  const own = (crawl: string) =>
    query(folder, 'SELECT $crawl AS c', '--format', 'csv', '-p', `crawl=${crawl}`, '-p', 'project=shop');
  expect((await own('latest')).stderr).toContain('the SQL has no $project');
  const both = ['SELECT $crawl AS c, $project AS p', '--format', 'csv', '-p', 'project=shop', '-p'];
  expect((await query(folder, ...both, 'crawl=previous')).stdout).toBe('c,p\nc2,shop\n');
  expect((await query(folder, ...both, 'crawl=c9')).stdout).toBe('c,p\nc9,shop\n');
});

test('without models, a crawl is named only by its identifier', async () => {
  const folder = await withQuestion();
  const own = (crawl: string) =>
    query(folder, 'SELECT $crawl AS c', '--format', 'csv', '-p', `crawl=${crawl}`);
  expect((await own('c9')).stdout).toBe('c\nc9\n');
  expect(await own('latest')).toMatchObject({ code: 2, stderr: expect.stringContaining('no mart.crawls') });
});

test('a question is named by an unambiguous prefix, and similar names are suggested', async () => {
  const folder = await withCrawls();
  const refused = async (name: string) => (await query(folder, '--question', name)).stderr;
  expect(await refused('q06')).toBe(
    'Error: 2 saved questions begin with q06\nTry: use a longer prefix: q06_pages, q06_pages_by_crawl\n',
  );
  expect((await query(folder, '--question', 'q06_pages', '--format', 'csv')).stdout).toContain('n,project\n');
  expect(await refused('of_crawl')).toMatch(
    /^Error: there is no saved question of_crawl\nTry: did you mean q05_of_crawl\? /,
  );
  expect(await refused('q06_page_by_crawl')).toContain('did you mean q06_pages_by_crawl? ');
  expect(await refused('nothing')).toMatch(/\nTry: .*crawlhouse.* query --question lists them\n$/);
});

test('the list of questions shows the parameters of each', async () => {
  const folder = await withQuestion();
  const listed = await query(folder, '--question');
  expect(listed.stdout).toMatch(/^name +title +model +parameters\nown +Numbers +mart\.t +project least=1\n$/);
  expect(JSON.parse((await query(folder, '--question', '--json')).stdout)).toEqual([
    {
      name: 'own',
      title: 'Numbers',
      model: 'mart.t',
      parameters: [
        {
          name: 'project',
          type: 'VARCHAR',
          default: null,
          description: 'Only this project, by its name or identifier.',
        },
        { name: 'least', type: 'BIGINT', default: '1', description: 'Least number.' },
      ],
    },
  ]);
});

test('every query in a hint runs', async () => {
  const folder = await published();
  const root = join(import.meta.dirname, '../../..', 'src');
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')));
  const queries = texts.flatMap((source) =>
    [...source.matchAll(/crawlhouse query '([^'$…]+)'/g)].map((match) => match[1] ?? ''),
  );
  expect(queries).toContain('SHOW ALL TABLES');
  for (const sql of new Set(queries)) expect([sql, (await query(folder, sql)).code]).toEqual([sql, 0]);
});

test('the shell completes the project names of the warehouse', async () => {
  const folder = await published('', [
    'CREATE SCHEMA raw',
    "CREATE TABLE raw.projects AS SELECT 'p1' AS id, 'My shop' AS name",
  ]);
  const complete = (begun: string) =>
    capture('completion', 'words', '--project-dir', folder, '--', 'run', '--project', begun);
  expect(await complete('My')).toMatchObject({ code: 0, stdout: 'My shop\n' });
  expect(await complete('Your')).toMatchObject({ code: 0, stdout: '' });
});

test('--output rows.xlsx writes a workbook, and --bom adds a byte order mark to CSV', async () => {
  const folder = await published();
  const output = join(folder, 'rows.xlsx');
  const made = await query(folder, 'FROM t ORDER BY n', '--output', output, '--names', 'people');
  expect([made.code, made.stderr]).toEqual([0, `3 rows in ${output}\n`]);
  expect(readXlsx(await readFile(output))).toEqual([
    {
      name: 'rows',
      rows: [
        ['N', 'S'],
        [0, '=1+1'],
        [1, '=1+1'],
        [2, '=1+1'],
      ],
    },
  ]);
  const long = "SELECT repeat('x', 40000) AS x";
  expect((await query(folder, long, '--output', output)).stderr).toContain(
    '1 text cut after 32,767 characters',
  );
  expect((await query(folder, 'SELECT 1 AS n', '--format', 'csv', '--bom')).stdout).toBe('\ufeffn\n1\n');
  for (const wrong of [['--format', 'xlsx'], ['--bom']])
    expect((await query(folder, 'FROM t', ...wrong)).code).toBe(2);
});
