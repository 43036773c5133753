import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openWarehouse } from '../../src/app/answers/query/open-warehouse.ts';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { sqlFolders } from '../../src/etl/project/sql/models/sql-folders.ts';
import { bindQuestion } from '../../src/etl/project/sql/questions/bind-question.ts';
import { loadQuestions } from '../../src/etl/project/sql/questions/questions.ts';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import {
  crawlhouse,
  crawlhouseProcess,
  differences,
  projectFolder,
  published,
  requestCount,
  runProject,
} from '../support/project.ts';
import { ALL_ROUNDS } from '../support/random.ts';
import { sharedFolder, temporaryConnection } from '../support/temporary.ts';
import { LARGE, leaveOut } from './leave-out.ts';

const trino = inject('trino');
const prefix = `m${randomUUID().slice(0, 8)}_`;
const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
const { signal } = new AbortController();
const GENERATED =
  'projects=1,crawls=2,pages=60,links=200,structured_data=10,log_days=2,events=20,columns=40,seed=4';
/** Keys of the bucket. The sandbox is not asked. */
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: trino.s3.accessKey,
  AWS_SECRET_ACCESS_KEY: trino.s3.secretKey,
  CRAWLHOUSE_THREADS: '2',
};
const IN_TRINO = `warehouse:
  engine: trino
  url: ${trino.url}
  catalog: ${trino.catalog}
  schema_prefix: ${prefix}
  location: s3://${trino.bucket}/moved/${prefix}
  region: ${trino.s3.region}
  endpoint: ${trino.s3.endpoint}
`;

/** By day the models that the few questions read go along: parity.test.ts makes all of them. */
const NOT_BY_DAY = [
  'bot_hits',
  'crawl_days',
  'dates',
  'indexability',
  'page_demand',
  'page_hits',
  'page_hreflangs',
  'page_lists',
  'pages_wide',
  'project_issues',
  'urls',
];
/** Questions that are asked in Trino: all of them take minutes. By night all are, once. */
const FEW = ['q05_status_codes_by_crawl', 'q06_page_changes', 'q23_redirect_map'];

const shared = sharedFolder();
let sandbox: Sandbox;
let folder: string;
/** What crawlhouse.yaml has besides `warehouse`. */
let settingsFile: string;
/** Answers of the file, by question. */
let before: ReadonlyMap<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox({ generate: [GENERATED] });
  folder = await projectFolder(shared);
  await leaveOut(folder, ALL_ROUNDS ? LARGE : [...LARGE, ...NOT_BY_DAY]);
  expect((await runProject(folder, sandbox)).exitCode).toBe(0);
  settingsFile = await readFile(join(folder, 'crawlhouse.yaml'), 'utf8');
  await writeFile(join(folder, 'trino.yaml'), IN_TRINO);
  before = await answers();
}, 600_000);

afterAll(async () => {
  await sandbox.close();
  for (const schema of ['raw', 'mart', 'ops', 'work', 'store'])
    await client.run(`DROP SCHEMA IF EXISTS "${prefix}${schema}" CASCADE`);
  await client[Symbol.asyncDispose]();
});

/** The answers to questions as the settings of the folder give them. */
async function answers(names?: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const settings = await loadSettings(folder, {});
  await using warehouse = await openWarehouse({ logger: silentLogger }, settings);
  const found = new Map<string, string>();
  for (const question of await loadQuestions(sqlFolders(settings))) {
    if (names?.includes(question.name) === false) continue;
    const { sql, parameters } = bindQuestion(question);
    let text = '';
    const write = async (piece: string): Promise<void> => {
      text += piece;
    };
    await warehouse.write(sql, { format: 'typed' }, write, signal, parameters);
    // Sums of another order agree in nine digits.
    const rounded = text.replaceAll(/(?<![\w.-])-?\d+\.\d+(e[+-]?\d+)?(?![\w.:-])/g, (number) =>
      String(Number(Number(number).toPrecision(9))),
    );
    found.set(question.name, rounded);
  }
  return found;
}

async function storedTables(): Promise<number> {
  const found = await client.scalar(
    `SELECT count(*) FROM information_schema.tables WHERE table_schema = '${prefix}store'`,
  );
  return Number(found);
}

const move = (...args: readonly string[]) => crawlhouse(folder, null, ['move', ...args], ENVIRONMENT);

test('a warehouse moves to Trino despite a kill, and questions have the same answers', async () => {
  const asked = await requestCount(sandbox);
  const killed = crawlhouseProcess(folder, ['move', '--to', 'trino'], ENVIRONMENT);
  const ended = once(killed, 'exit');
  // Some of the tables have rows by then.
  await expect.poll(storedTables, { timeout: 120_000, interval: 200 }).toBeGreaterThan(3);
  killed.kill('SIGKILL');
  await ended;
  const { status, stdout, stderr } = await move('--to', 'trino', '--json');
  expect([status, stderr]).toEqual([0, expect.stringContaining('Now write into crawlhouse.yaml')]);
  const { tables, models } = JSON.parse(stdout);
  expect(tables).toContainEqual({ name: 'raw.crawl_pages', units: 2, rows: 120 });
  expect(models.length).toBeGreaterThan(8);
  expect(before.size).toBeGreaterThan(ALL_ROUNDS ? 20 : 5);
  expect(await requestCount(sandbox)).toBe(asked);
  await writeFile(join(folder, 'crawlhouse.yaml'), `${settingsFile}${IN_TRINO}`);
  const names = ALL_ROUNDS ? [...before.keys()] : FEW;
  expect(await answers(names)).toEqual(new Map(names.map((name) => [name, before.get(name)])));
}, 1_800_000);

test('a run after the move loads nothing again', async () => {
  const { status, stdout, stderr } = await crawlhouse(folder, sandbox, ['run', '--json'], ENVIRONMENT);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  const { units } = JSON.parse(stdout) as { units: { unit: string; status: string }[] };
  expect(units.filter((one) => one.status === 'loaded')).toEqual([]);
  const few = await answers(FEW);
  expect(few).toEqual(new Map(FEW.map((name) => [name, before.get(name)])));
}, 1_800_000);

test('the warehouse moves back with every row, and questions have the same answers', async () => {
  const { status, stderr } = await move('--to', 'duckdb', '--warehouse', 'back/warehouse.duckdb');
  expect([status, stderr]).toEqual([0, expect.stringContaining('warehouse: back/warehouse.duckdb')]);
  expect(existsSync(join(folder, '.crawlhouse', 'moving'))).toBe(false);
  const connection = await temporaryConnection(folder);
  const tables = await published(
    connection,
    folder,
    "SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'raw' ORDER BY 1",
  );
  expect(tables.length).toBeGreaterThan(10);
  for (const { name } of tables)
    expect([name, await differences(connection, folder, join(folder, 'back'), String(name))]).toEqual([
      name,
      0n,
    ]);
  await writeFile(join(folder, 'crawlhouse.yaml'), `${settingsFile}warehouse: back/warehouse.duckdb\n`);
  expect(await answers()).toEqual(before);
}, 1_800_000);

test('a wrong target is reported before anything is moved', async () => {
  const wrong = async (...args: readonly string[]) => {
    const { status, stderr } = await move(...args);
    return [status, stderr.split('\n')[0]];
  };
  expect(await wrong()).toEqual([2, 'Error: --to is missing']);
  expect(await wrong('--to', 'duckdb')).toEqual([2, 'Error: the warehouse is already in duckdb']);
  expect(await wrong('--to', 'trino', '--warehouse', 'none.yaml')).toEqual([
    2,
    'Error: there is no none.yaml with the new location of the warehouse',
  ]);
  await writeFile(join(folder, 'wrong.yaml'), IN_TRINO.replace('s3://', ''));
  expect(await wrong('--to', 'trino', '--warehouse', 'wrong.yaml')).toEqual([
    2,
    'Error: wrong.yaml:6: warehouse.location: s3://BUCKET/FOLDER is expected',
  ]);
});
