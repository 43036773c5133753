import { randomUUID } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ident, table, text } from '../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../src/core/duckdb/table-columns.ts';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import type { RunResult } from '../../src/etl/project/model/runs/run-result.ts';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, projectFolder, runProject } from '../support/project.ts';
import { ALL_ROUNDS } from '../support/random.ts';
import { sharedFolder, temporaryConnection, temporaryFolder } from '../support/temporary.ts';
import { bucketCredentials, trinoSettings } from '../support/trino-settings.ts';
import { LARGE, leaveOut } from './leave-out.ts';
import { rowsOfDuckDB, rowsOfTrino } from './rows-of-both.ts';

// One sandbox, a project with a file of DuckDB and one with Trino. Everything else is the same. By day the largest models
// are left out.

const trino = inject('trino');
const environment = bucketCredentials(trino);
const DATA =
  'projects=1,crawls=3,pages=120,links=500,clusters=20,structured_data=60,comparisons=1,log_days=3,events=200,ranking_days=3,columns=40,seed=11';
/** Of the run, not of the service. */
const OF_A_RUN: ReadonlySet<string> = new Set([
  '_run_id',
  '_loaded_at',
  '_load_id',
  '_seen_from',
  '_seen_to',
  'loaded_at',
]);

const prefix = `r${randomUUID().slice(0, 8)}_`;
const names = new RelationNames(prefix);
const shared = sharedFolder();
const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
let sandbox: Sandbox;
const project = { duckdb: '', trino: '' };
let results: Record<keyof typeof project, RunResult>;

beforeAll(async () => {
  sandbox = await startSandbox({ generate: [DATA] });
  project.duckdb = await projectFolder(join(shared, 'duckdb'));
  project.trino = await projectFolder(join(shared, 'trino'));
  if (!ALL_ROUNDS) for (const folder of Object.values(project)) await leaveOut(folder, LARGE);
  await writeFile(join(project.trino, 'crawlhouse.yaml'), trinoSettings(trino, prefix));
  results = {
    duckdb: await runProject(project.duckdb, sandbox),
    trino: await runProject(project.trino, sandbox, { environment }),
  };
}, 1_800_000);
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await sandbox.close();
});

test('a run loads the same units, builds the same models and passes the same tests on both engines', () => {
  const said = ({ exitCode, errors, report }: RunResult) => ({
    exitCode,
    errors: errors.map(({ message }) => message),
    units: report.units.map(({ unit, status, counts }) => ({ unit, status, counts })).sort(byUnit),
    models: report.models.map(({ name, status, rows }) => ({
      name,
      status,
      rows: rows === null ? null : rows,
    })),
    tests: report.tests.map(({ model, name, status, failures }) => ({ model, name, status, failures })),
  });
  const [duckdb, onTrino] = [said(results.duckdb), said(results.trino)];
  expect(onTrino.errors).toEqual([]);
  // What Trino keeps as a table has rows.
  const rows = new Map(duckdb.models.map((one) => [one.name, one.rows]));
  expect({
    ...onTrino,
    models: onTrino.models.map((one) => ({ ...one, rows: rows.get(one.name) === null ? null : one.rows })),
  }).toEqual(duckdb);
  expect(duckdb.units.filter(({ status }) => status === 'loaded').length).toBeGreaterThan(20);
});

const byUnit = (one: { unit: string }, other: { unit: string }): number => (one.unit < other.unit ? -1 : 1);

test('every relation of raw and mart has the same columns and rows on both engines', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  await connection.run(`ATTACH ${text(join(project.duckdb, 'warehouse.duckdb'))} AS published (READ_ONLY)`);
  await connection.run('USE published');
  const relations = [...(await tableColumns(connection, ['raw', 'mart']))];
  expect(relations.length).toBeGreaterThan(40);
  const different: string[] = [];
  for (const [relation, columns] of relations) {
    const own = columns.map(({ name }) => name).filter((name) => !OF_A_RUN.has(name));
    const listed = own.map(ident).join(', ');
    const [duckdb, onTrino] = [
      await rowsOfDuckDB(connection, `SELECT ${listed} FROM ${table(...relation.split('.'))}`),
      await rowsOfTrino(client, `SELECT ${listed} FROM ${names.reader(relation)}`),
    ];
    if (JSON.stringify(duckdb.sort()) !== JSON.stringify(onTrino.sort()))
      different.push(
        `${relation}: ${duckdb.length} rows, ${onTrino.length} on Trino; ${firstDifference(duckdb, onTrino)}`,
      );
  }
  expect(different).toEqual([]);
});

function firstDifference(some: readonly string[], others: readonly string[]): string {
  const at = some.findIndex((row, index) => row !== others[index]);
  return `${some[at]} and ${others[at]}`;
}

test('readers of Trino see the ops tables of the catalog', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const catalog = join(project.trino, '.crawlhouse', 'catalogue.duckdb');
  await connection.run(`ATTACH ${text(catalog)} AS published (READ_ONLY)`);
  await connection.run('USE published');
  for (const name of ['publication', 'runs', 'units', 'loads', 'models', 'unit_fields', 'test_results']) {
    const own = await rowsOfDuckDB(connection, `SELECT * FROM ops.${ident(name)}`);
    expect(own.length).toBeGreaterThan(0);
    const found = await rowsOfTrino(client, `SELECT * FROM ${names.reader(`ops.${name}`)}`);
    expect([name, found.sort()]).toEqual([name, own.sort()]);
  }
});

test('a second run does nothing, and publishes nothing', async () => {
  const folder = join(await temporaryFolder(), 'project');
  await cp(project.trino, folder, { recursive: true });
  // A writer's token is a row without a relation.
  const published = () => client.scalar(`SELECT count(*) FROM ${names.visible} WHERE relation IS NOT NULL`);
  const before = await published();
  const { exitCode, report } = await runProject(folder, sandbox, { environment });
  expect(exitCode).toBe(0);
  expect(new Set(report.units.map(({ status }) => status))).toEqual(new Set(['unchanged']));
  expect(report.models.filter(({ status }) => status !== 'unchanged')).toEqual([]);
  expect(await published()).toBe(before);
});

test('crawlhouse test counts in Trino', async () => {
  const ran = await crawlhouse(project.trino, sandbox, ['test', '--json'], environment);
  expect([ran.status, ran.stderr]).toEqual([0, '']);
  const { tests } = JSON.parse(ran.stdout) as { tests: { model: string; status: string }[] };
  expect(tests.length).toBe(results.duckdb.report.tests.length);
  expect(tests.filter(({ status }) => status !== 'passed')).toEqual([]);
});
