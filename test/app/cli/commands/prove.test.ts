import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, Database, text } from '../../../../src/core/duckdb/duckdb.ts';
import { FILE_OPTIONS } from '../../../../src/etl/state/catalog/schema.ts';
import { consoleProject } from '../../../support/console-project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { capture, type Outcome } from '../capture.ts';

const LOADS = `INSERT INTO ops.loads BY NAME SELECT 'crawl_pages/' || id AS unit, 'crawl_pages' AS dataset,
    'crawl' AS source_kind, id AS source_id, 'p1' AS project_id, 2 AS received, 2 AS staged, 0 AS rejected, 2 AS loaded,
    2 AS queryable, fingerprint, now() AS loaded_at
  FROM (VALUES ('c1', '11'), ('c2', '22')) AS t(id, fingerprint)`;

async function fill(connection: Connection): Promise<void> {
  await connection.run(`CREATE TABLE raw.crawl_pages AS
    SELECT 'crawl_pages/c' || c AS _unit, 'c' || c AS _crawl_id, i AS clicks FROM range(1, 3) AS t(c), range(2) AS u(i)`);
  await connection.run(
    'CREATE VIEW mart.pages AS SELECT _crawl_id AS crawl_id, clicks FROM warehouse.raw.crawl_pages',
  );
  await connection.run(LOADS);
  await connection.run(`INSERT INTO ops.models BY NAME SELECT 'mart.pages' AS name, 'view' AS kind, 'f' AS fingerprint,
    'made of 1' AS definition, 's' AS sources`);
}

const MODEL = `/*
name: mart.pages
kind: view
description: Pages.
grain: [crawl_id, clicks]
columns: {crawl_id: Identifier of the crawl., clicks: Clicks.}
*/
SELECT pages._crawl_id AS crawl_id, pages.clicks FROM raw.crawl_pages AS pages
`;

const QUESTION = `/*
title: Pages of a crawl
model: mart.pages
description: Clicks of a crawl.
parameters:
  crawl_name: {type: VARCHAR, description: A crawl., default: c1}
*/
SELECT clicks FROM mart.pages WHERE crawl_id = $crawl_name
`;

const VALUES = `SELECT 9007199254740993 AS large, CAST(NULL AS VARCHAR) AS nothing, '' AS empty, 12.50 AS decimal,
  0.1::DOUBLE + 0.2 AS sum, TIMESTAMPTZ '2026-03-01 12:00:00+02:00' AS at, [1, NULL] AS list, count(*) AS pages
  FROM mart.pages`;

async function project(): Promise<string> {
  const { projectDir } = await consoleProject(await temporaryFolder(), fill, {});
  await mkdir(join(projectDir, 'sql', 'mart'), { recursive: true });
  await mkdir(join(projectDir, 'sql', 'questions'), { recursive: true });
  await writeFile(join(projectDir, 'sql', 'mart', 'pages.sql'), MODEL);
  await writeFile(join(projectDir, 'sql', 'questions', 'page_clicks.sql'), QUESTION);
  return projectDir;
}

async function change(folder: string, ...statements: readonly string[]): Promise<void> {
  await using database = await Database.open({ memoryLimit: '400MB', threads: 1, tempDirectory: folder });
  const connection = await database.connect();
  await connection.run(
    `ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS warehouse (${FILE_OPTIONS}); USE warehouse`,
  );
  for (const statement of statements) await connection.run(statement);
  await connection.run('USE memory; DETACH warehouse');
}

const prove = (folder: string, ...argv: readonly string[]): Promise<Outcome> =>
  capture('prove', ...argv, '--project-dir', folder);

async function proofIn(folder: string, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await prove(folder, ...argv);
  expect([code, stderr]).toEqual([0, '']);
  const file = join(folder, 'proof.json');
  await writeFile(file, stdout);
  return file;
}

test('a proof is equal in a copy, and says what differs where loads, rows, models or questions do', async () => {
  const folder = await project();
  const copy = join(await temporaryFolder(), 'copy');
  await cp(folder, copy, { recursive: true });
  const file = await proofIn(folder, 'question:page_clicks', '-p', 'crawl_name=c2');
  expect(await prove(copy, '--check', file)).toMatchObject({
    code: 0,
    stdout: 'equal: question:page_clicks, crawl_name = c2: 2 rows, 2 loads\n',
  });

  await change(copy, `UPDATE ops.models SET definition = 'made of 2'`);
  await writeFile(
    join(copy, 'sql', 'questions', 'page_clicks.sql'),
    QUESTION.replace('SELECT clicks', 'SELECT -clicks AS clicks'),
  );
  const newer = await prove(copy, '--check', file);
  expect([newer.code, newer.stdout.split('\n')]).toEqual([
    0,
    [
      'equal: question:page_clicks, crawl_name = c2: 2 rows, 2 loads',
      'definition of mart.pages: its SQL, that of a model it reads, or a type of a column differs',
      'sql: question:page_clicks has other SQL in this project',
      '',
    ],
  ]);

  // The models of this project lead to no dataset.
  await rm(join(copy, 'sql', 'mart', 'pages.sql'));
  expect(await prove(copy, '--check', file)).toMatchObject({ code: 0 });

  await change(
    copy,
    `UPDATE raw.crawl_pages SET clicks = 7 WHERE _unit = 'crawl_pages/c2' AND clicks = 1`,
    `UPDATE ops.loads SET fingerprint = '33' WHERE unit = 'crawl_pages/c2'`,
    `DELETE FROM ops.loads WHERE unit = 'crawl_pages/c1'`,
  );
  const { code, stdout } = await prove(copy, '--check', file, '--json');
  expect(code).toBe(4);
  const { equal, differences } = JSON.parse(stdout);
  expect(equal).toBe(false);
  expect(differences.slice(1, 5)).toEqual([
    { what: 'row', name: 'row', proven: [1], here: null },
    { what: 'row', name: 'row', proven: null, here: [7] },
    {
      what: 'load',
      name: 'crawl_pages/c1',
      proven: { loaded: 2, rejected: 0, fingerprint: '11', content_sha256: null },
      here: null,
    },
    {
      ...{ what: 'load', name: 'crawl_pages/c2' },
      proven: { loaded: 2, rejected: 0, fingerprint: '22', content_sha256: null },
      here: { loaded: 2, rejected: 0, fingerprint: '33', content_sha256: null },
    },
  ]);
});

test('values stay exact, rows may come in any order, and the loads and tables behind the SQL are listed', async () => {
  const folder = await project();
  const proof = JSON.parse(
    (await prove(folder, VALUES)).stdout,
    (key, value, context?: { source?: string }) =>
      typeof value === 'number' && key === '0' ? context?.source : value,
  );
  expect(proof.answer.rows[0].slice(0, 7)).toEqual([
    '9007199254740993',
    null,
    '',
    12.5,
    0.1 + 0.2,
    '2026-03-01T10:00:00Z',
    ['1', null],
  ]);
  expect(proof.tables).toEqual([
    { name: 'mart.pages', definition: 'made of 1' },
    { name: 'raw.crawl_pages', definition: null },
  ]);
  expect(proof.loads).toEqual([
    expect.objectContaining({ unit: 'crawl_pages/c1', loaded: 2, queryable: 2, fingerprint: '11' }),
    expect.objectContaining({ unit: 'crawl_pages/c2', fingerprint: '22' }),
  ]);
  await change(
    folder,
    `CREATE TABLE mart.crawls AS SELECT 'c1' AS crawl_id, 'p1' AS project_id, 'shop' AS project_name,
       CAST(NULL AS VARCHAR) AS previous_crawl_id, true AS is_main, now() AS ended_at`,
    `UPDATE ops.loads SET project_id = 'p2' WHERE unit = 'crawl_pages/c2'`,
  );
  const named = await prove(
    folder,
    'SELECT $crawl AS crawl, count(*) AS pages FROM mart.pages',
    '-p',
    'crawl=c1',
  );
  expect(JSON.parse(named.stdout).loads).toHaveLength(2);
  const hashes = new Set();
  for (const order of ['ASC', 'DESC']) {
    const { stdout } = await prove(folder, `SELECT clicks FROM mart.pages ORDER BY clicks ${order}`);
    hashes.add(JSON.parse(stdout).answer.sha256);
  }
  expect(hashes.size).toBe(1);
});

test('a figure that is not there, and SQL with a secret, are refused', async () => {
  const folder = await project();
  await expect(prove(folder, 'issu:noindex')).resolves.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('issu:noindex is not a figure'),
  });
  await expect(prove(folder, 'clicks_page')).resolves.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('clicks_page'),
  });
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    'shipped_models: none\naccess_token: planted-secret-0815\n',
  );
  const { code, stderr } = await prove(folder, `SELECT 'planted-secret-0815' AS secret`);
  expect([code, stderr]).toEqual([2, expect.stringContaining('the SQL or a parameter contains a secret')]);
  expect(stderr).not.toContain('planted-secret-0815');
  await expect(prove(folder, `SELECT reverse('5180-terces-detnalp') AS secret`)).resolves.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the answer contains a secret'),
  });
});

test('SQL that is no SELECT or hides its tables is refused, and a proof that does not run here is named', async () => {
  const folder = await project();
  for (const [sql, message] of [
    ['EXPLAIN SELECT 1', 'prove needs a SELECT'],
    ["SELECT * FROM query_table('mart.pages')", 'prove does not see the tables of query_table()'],
  ] as const)
    await expect(prove(folder, sql)).resolves.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  const file = await proofIn(folder, 'SELECT count(clicks) AS clicks FROM mart.pages');
  await change(folder, 'DROP VIEW mart.pages');
  const { stderr: absent } = await prove(folder, '--check', file);
  expect(absent).toContain(`--check: ${file}: its SQL does not run here: `);
});
