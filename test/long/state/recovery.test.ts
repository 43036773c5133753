import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { LEDGER_VERSION, sqliteLedger } from '../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { type Sandbox, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { DataExportDesk } from '../../support/data-exports.ts';
import {
  crawlhouse,
  published,
  rawProjectFolder,
  requestCount,
  runProject,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

const PIPELINES = ['crawl_pages', 'crawl_links'];
const sandbox: Sandbox = await startSandbox({
  generate: ['projects=1,crawls=2,pages=30,links=60,columns=8,seed=3'],
});
afterAll(() => sandbox.close());
const desk = new DataExportDesk(sandbox);
let folder: string;
let stateDir: string;

beforeEach(async () => {
  folder = await rawProjectFolder();
  stateDir = join(folder, '.crawlhouse');
});

/** Requests that bring rows, and those that only count or list them. */
async function exportsAsked(work: () => Promise<unknown>): Promise<number> {
  const before = await downloads();
  await work();
  return (await downloads()) - before;
}

async function downloads(): Promise<number> {
  const answer = await fetch(`${sandbox.baseUrl}/_sandbox/requests`);
  const requests = (await answer.json()) as { path: string }[];
  return requests.filter(({ path }) => path.includes('export=true')).length;
}

async function run(only: readonly string[] = PIPELINES, more = {}) {
  const { report, exitCode } = await runProject(folder, sandbox, { pipelines: only, ...more });
  return { exitCode, statuses: report.units.map((one) => one.status) };
}

async function states(): Promise<Record<string, number>> {
  await using ledger = sqliteLedger(stateDir);
  const found = Map.groupBy(await ledger.units(), (one) => one.status);
  return Object.fromEntries([...found].map(([state, units]) => [state, units.length]));
}

/** Rows of each dataset, and how many units they came with; each loaded by one run. */
async function held(): Promise<unknown> {
  const connection = await temporaryConnection(await temporaryFolder());
  return published(
    connection,
    folder,
    `SELECT 'pages' AS dataset, count(*) AS n, count(DISTINCT _unit) AS units FROM raw.crawl_pages
     UNION ALL SELECT 'links', count(*), count(DISTINCT _unit) FROM raw.crawl_links ORDER BY 1`,
  );
}
const EVERYTHING = [
  { dataset: 'links', n: '120', units: '2' },
  { dataset: 'pages', n: '60', units: '2' },
];

test.for([
  ['deleted', (file: string) => rm(file)],
  ['empty', (file: string) => writeFile(file, '')],
  ['garbage', (file: string) => writeFile(file, 'this is no database '.repeat(1000))],
  ['cut short', (file: string) => truncate(file, 5000)],
] as const)(
  'a ledger that is %s is rebuilt from the published warehouse, without new requests',
  async ([_what, spoil]) => {
    await run();
    for (const suffix of ['-wal', '-shm'])
      await rm(join(stateDir, `ledger.sqlite${suffix}`), { force: true });
    await spoil(join(stateDir, 'ledger.sqlite'));
    expect(await exportsAsked(async () => expect(await run()).toEqual({ exitCode: 0, statuses: [] }))).toBe(
      0,
    );
    expect(await states()).toEqual({ published: 4 });
    await using ledger = sqliteLedger(stateDir);
    expect(await ledger.runs()).toHaveLength(2);
    const aside = (await readdir(stateDir)).filter((name) => /^ledger\.damaged-.*Z\.sqlite$/.test(name));
    expect(aside).toHaveLength(_what === 'garbage' || _what === 'cut short' ? 1 : 0);
  },
);

test('a reader reports a damaged ledger, and leaves it to the next run', async () => {
  await run(['crawl_pages']);
  await writeFile(join(stateDir, 'ledger.sqlite'), 'this is no database '.repeat(1000));
  for (const suffix of ['-wal', '-shm']) await rm(join(stateDir, `ledger.sqlite${suffix}`), { force: true });
  const { status, stderr } = await crawlhouse(folder, null, ['status']);
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/^Error: .*ledger\.sqlite is damaged: .*\nTry: the next run renames the file/),
  ]);
});

test('an older ledger takes over later entries', async () => {
  await run(['crawl_pages']);
  await copyFile(join(stateDir, 'ledger.sqlite'), join(folder, 'earlier.sqlite'));
  await run();
  for (const suffix of ['', '-wal', '-shm'])
    await rm(join(stateDir, `ledger.sqlite${suffix}`), { force: true });
  await copyFile(join(folder, 'earlier.sqlite'), join(stateDir, 'ledger.sqlite'));
  expect(await run()).toEqual({ exitCode: 0, statuses: [] });
  expect(await states()).toEqual({ published: 4 });
});

test('a ledger of an earlier version is upgraded, and a copy is kept', async () => {
  await run();
  {
    const database = new DatabaseSync(join(stateDir, 'ledger.sqlite'));
    database.exec(`ALTER TABLE units DROP COLUMN failures; ALTER TABLE units DROP COLUMN failing_since; ALTER TABLE units DROP COLUMN next_try_at;
      ALTER TABLE exports DROP COLUMN run_id; ALTER TABLE runs DROP COLUMN summary; PRAGMA user_version = 0`);
    database.close();
  }
  expect(await run()).toEqual({ exitCode: 0, statuses: [] });
  expect(await states()).toEqual({ published: 4 });
  const copies = (await readdir(stateDir)).filter((name) =>
    /^ledger\.v1-\d{4}-\d\d-\d\dT.*Z\.sqlite$/.test(name),
  );
  expect(copies).toHaveLength(1);
  const copy = new DatabaseSync(join(stateDir, copies[0] ?? ''), { readOnly: true });
  expect(copy.prepare('SELECT count(*) AS n FROM units').get()).toEqual({ n: 4 });
  copy.close();
});

test('a ledger of a newer version is refused before any request', async () => {
  await run(['crawl_pages']);
  const database = new DatabaseSync(join(stateDir, 'ledger.sqlite'));
  database.exec(`PRAGMA user_version = ${LEDGER_VERSION + 1}`);
  database.close();
  const before = await requestCount(sandbox);
  const { status, stderr } = await crawlhouse(folder, sandbox, ['run', 'crawl_pages']);
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(
      `was written by a newer crawlhouse (ledger version ${LEDGER_VERSION + 1}; this crawlhouse supports`,
    ),
  ]);
  expect(await requestCount(sandbox)).toBe(before);
});

test.for([
  ['deleted', (file: string) => rm(file)],
  ['garbage', (file: string) => writeFile(file, 'this is no database '.repeat(1000))],
  ['cut to half', async (file: string) => truncate(file, (await readFile(file)).length / 2)],
  [
    'full of zeros after its header',
    async (file: string) => {
      const whole = await readFile(file);
      await writeFile(file, whole.fill(0, 12_288));
    },
  ],
] as const)('a working copy that is %s is restored from the published warehouse', async ([_what, spoil]) => {
  await run(['crawl_pages']);
  await spoil(join(stateDir, 'work.duckdb'));
  await run();
  expect(await run()).toEqual({ exitCode: 0, statuses: [] });
  expect(await held()).toEqual(EVERYTHING);
  expect(await states()).toEqual({ published: 4 });
});

test('without its state directory, a run loads only unpublished units', async () => {
  await run(['crawl_pages']);
  await rm(stateDir, { recursive: true });
  expect(await exportsAsked(async () => expect((await run()).statuses).toEqual(['loaded', 'loaded']))).toBe(
    2,
  );
  expect(await held()).toEqual(EVERYTHING);
  expect(await states()).toEqual({ published: 4 });
});

test('deleting a state directory with a package costs a download, not a second data export', async () => {
  await run(['crawl_pages']);
  const before = await desk.asked();
  const child = spawnCrawlhouse(folder, sandbox, [
    'run',
    'crawl_links',
    '--route',
    'export',
    '--format',
    'json',
    '--store',
    'store_a',
  ]);
  const ended = once(child, 'exit');
  await until(async () => {
    const { staged = 0, loaded = 0 } = await states();
    return staged + loaded > 0 ? true : undefined;
  });
  child.kill('SIGKILL');
  await ended;
  const asked = (await desk.asked()) - before;
  expect(asked).toBeGreaterThan(0);
  expect((await states()).published).toBe(2);
  await rm(stateDir, { recursive: true });
  const override = { route: 'export', format: 'json', store: 'store_a' } as const;
  expect(await run(['crawl_links'], override)).toEqual({ exitCode: 0, statuses: ['loaded', 'loaded'] });
  expect((await desk.asked()) - before).toBe(2);
  expect(await held()).toEqual(EVERYTHING);
});

test('a deleted published warehouse is published again from the working copy', async () => {
  await run();
  await rm(join(folder, 'warehouse.duckdb'));
  expect(await exportsAsked(async () => expect((await run()).exitCode).toBe(0))).toBe(0);
  expect(await held()).toEqual(EVERYTHING);
});

test('a broken published warehouse stops the run, and nothing is destroyed', async () => {
  await run();
  const file = join(folder, 'warehouse.duckdb');
  await writeFile(file, 'this is no database '.repeat(1000));
  const broken = await readFile(file);
  const { status, stderr } = await crawlhouse(folder, sandbox, ['run', ...PIPELINES]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('is not a readable DuckDB file')]);
  expect((await readFile(file)).equals(broken)).toBe(true);
  expect(existsSync(join(stateDir, 'work.duckdb'))).toBe(true);
  // What the message says to do: away with it, and the working copy is published.
  await rm(file);
  expect(await exportsAsked(async () => expect((await run()).exitCode).toBe(0))).toBe(0);
  expect(await held()).toEqual(EVERYTHING);
});

test('a restored older warehouse is completed again', async () => {
  await run(['crawl_pages']);
  await copyFile(join(folder, 'warehouse.duckdb'), join(folder, 'backup.duckdb'));
  await run();
  await copyFile(join(folder, 'backup.duckdb'), join(folder, 'warehouse.duckdb'));
  expect(await run()).toEqual({ exitCode: 0, statuses: ['loaded', 'loaded'] });
  expect(await held()).toEqual(EVERYTHING);
  expect(await states()).toEqual({ published: 4 });
});
