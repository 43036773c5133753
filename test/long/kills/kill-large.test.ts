import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { DataExportDesk } from '../../support/data-exports.ts';
import {
  crawlhouse,
  differences,
  projectFolder,
  published,
  rawProjectFolder,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../../support/random.ts';
import { sharedFolder, temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const [KILLS, EXPORT_KILLS] = ALL_ROUNDS ? [10, 10] : [3, 3];
const CRAWLS = 2;
const DATASETS = ['crawl_pages', 'crawl_links'];
const MODELS = ['pages', 'links', 'page_changes', 'status_codes_by_crawl', 'links_to_broken_pages'];

const shared = sharedFolder();
let sandbox: Sandbox;
/** A project after a run that nothing disturbed, and how long that took. */
let undisturbed: string;
let whole: number;

beforeAll(async () => {
  sandbox = await startSandbox({
    generate: [`projects=1,crawls=${CRAWLS},pages=8000,links=60000,columns=60,seed=7`],
    exportObjects: 3,
    exportGzip: true,
  });
  undisturbed = await projectFolder(shared);
  const startedAt = performance.now();
  expect((await crawlhouse(undisturbed, sandbox, ['run'])).status).toBe(0);
  whole = performance.now() - startedAt;
});

afterAll(() => sandbox.close());

/** Kills a command so often, each time at a random moment of so long; then it is to end well. */
async function killed(folder: string, args: string[], kills: number, within: number): Promise<void> {
  const random = seededRandom(testSeed());
  for (let kill = 0; kill < kills; kill++) {
    const child = spawnCrawlhouse(folder, sandbox, args);
    const ended = once(child, 'exit');
    await sleep(200 + random() * within);
    child.kill('SIGKILL');
    await ended;
  }
  const { status, stderr } = await crawlhouse(folder, sandbox, args);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
}

test(`after ${KILLS} kills during larger downloads, the warehouse equals that of an undisturbed run (seed ${testSeed()})`, async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const folder = await projectFolder();
  await killed(folder, ['run'], KILLS, whole * 0.8);
  const tables = [
    ...[...DATASETS, 'crawls', 'projects'].map((table) => `raw.${table}`),
    ...MODELS.map((model) => `mart.${model}`),
  ];
  for (const table of tables) {
    const sql = `SELECT count(*) AS n FROM ${table}`;
    const rows = await published(connection, folder, sql);
    expect([table, rows]).toEqual([table, await published(connection, undisturbed, sql)]);
  }
  await isOnce(folder);
});

test(`after ${EXPORT_KILLS} kills, each unit had one data export, and every row is there once (seed ${testSeed()})`, async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const desk = new DataExportDesk(sandbox);
  expect(await desk.asked()).toBe(0);
  const folder = await rawProjectFolder();
  const args = ['run', ...DATASETS, '--route', 'export', '--format', 'json', '--store', 'store_a'];
  await killed(folder, args, EXPORT_KILLS, whole * 0.6);
  expect(await desk.asked()).toBe(CRAWLS * DATASETS.length);
  await isOnce(folder);
  const routes = await published(connection, folder, 'SELECT DISTINCT route FROM ops.loads');
  expect(routes).toEqual([{ route: 'export' }]);
});

/** Each row is there once, as in the undisturbed project. */
async function isOnce(folder: string): Promise<void> {
  const connection = await temporaryConnection(await temporaryFolder());
  for (const dataset of DATASETS) {
    expect([dataset, await differences(connection, undisturbed, folder, dataset)]).toEqual([dataset, 0n]);
    const twice = `SELECT _unit FROM raw.${dataset} GROUP BY _unit HAVING count(DISTINCT _run_id) > 1`;
    expect(await published(connection, folder, twice)).toEqual([]);
  }
}
