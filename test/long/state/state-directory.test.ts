import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { sqliteLedger } from '../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { type Sandbox, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import {
  crawlhouse,
  published,
  rawProjectFolder,
  runProject,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

const PIPELINES = ['crawl_pages', 'crawl_links', 'projects'];
const sandbox: Sandbox = await startSandbox({
  generate: ['projects=1,crawls=2,pages=30,links=60,columns=8,seed=3'],
});
afterAll(() => sandbox.close());
let folder: string;

beforeEach(async () => {
  folder = await rawProjectFolder();
});

const stateOf = (project: string): string => join(project, '.crawlhouse');

async function run(project = folder, pipelines: readonly string[] = PIPELINES) {
  const { report, exitCode, errors } = await runProject(project, sandbox, { pipelines });
  expect(errors.map(String)).toEqual([]);
  return {
    exitCode,
    loaded: report.units.filter(({ status }) => status === 'loaded').map(({ unit }) => unit),
  };
}

/** What the warehouse has, where each unit stands, and that another run brings nothing of a crawl. */
async function expectWhole(project = folder): Promise<void> {
  const connection = await temporaryConnection(await temporaryFolder());
  expect(
    await published(
      connection,
      project,
      `SELECT 'pages' AS dataset, count(*) AS n, count(DISTINCT _unit) AS units FROM raw.crawl_pages
       UNION ALL SELECT 'links', count(*), count(DISTINCT _unit) FROM raw.crawl_links
       UNION ALL SELECT 'projects', count(*), 1 FROM raw.projects WHERE _seen_to IS NULL ORDER BY 1`,
    ),
  ).toEqual([
    { dataset: 'links', n: '120', units: '2' },
    { dataset: 'pages', n: '60', units: '2' },
    { dataset: 'projects', n: '1', units: '1' },
  ]);
  const again = await run(project);
  expect([again.exitCode, again.loaded.filter((unit) => unit.startsWith('crawl_'))]).toEqual([0, []]);
  await using ledger = sqliteLedger(stateOf(project));
  const statuses = (await ledger.units()).filter(({ dataset }) => dataset.startsWith('crawl_'));
  expect(statuses.map(({ status }) => status)).toEqual(Array(4).fill('published'));
}

/** A run that is stopped by its process's end once a unit is staged or loaded. */
async function killedRun(): Promise<void> {
  const child = spawnCrawlhouse(folder, sandbox, ['run', ...PIPELINES]);
  const ended = once(child, 'exit');
  await staged();
  child.kill('SIGKILL');
  await ended;
}

async function staged(): Promise<void> {
  await until(async () => {
    await using ledger = sqliteLedger(stateOf(folder));
    return (await ledger.units()).some(({ status }) => ['staged', 'loaded', 'published'].includes(status))
      ? true
      : undefined;
  });
}

test('a project copied during a run continues independently, without effect on the run', async () => {
  const child = spawnCrawlhouse(folder, sandbox, ['run', ...PIPELINES]);
  const ended = once(child, 'exit');
  await staged();
  const copy = join(await temporaryFolder(), 'copy');
  // As a person does it. Files that come and go meanwhile are no reason to stop.
  await promisify(execFile)('cp', ['-r', folder, copy]).catch(() => {});
  const { stdout } = await crawlhouse(copy, sandbox, ['status', '--json']);
  expect(JSON.parse(stdout).live).toBeNull();
  expect((await run(copy)).exitCode).toBe(0);
  expect(await ended).toEqual([0, null]);
  await expectWhole(copy);
  await expectWhole();
});

test('an older state directory with a newer warehouse takes over later entries, without requests', async () => {
  await run(folder, ['crawl_pages']);
  const backup = join(await temporaryFolder(), 'backup');
  await cp(stateOf(folder), backup, { recursive: true });
  await run();
  await rm(stateOf(folder), { recursive: true });
  await cp(backup, stateOf(folder), { recursive: true });
  expect((await run()).loaded.filter((unit) => unit.startsWith('crawl_'))).toEqual([]);
  await expectWhole();
});

test('an older state directory and warehouse are brought up to date by one run', async () => {
  await run(folder, ['crawl_pages']);
  const backup = join(await temporaryFolder(), 'backup');
  await cp(folder, backup, { recursive: true });
  await run();
  await rm(folder, { recursive: true });
  await cp(backup, folder, { recursive: true });
  expect((await run()).loaded.filter((unit) => unit.startsWith('crawl_'))).toHaveLength(2);
  await expectWhole();
});

const SEEDS = Array.from({ length: ALL_ROUNDS ? 16 : 4 }, (_, round) => roundSeed() + round);

test.each(SEEDS)('a half-deleted state directory is complete after the next run (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  if (seed % 2 === 0) await killedRun();
  else await run();
  const found = await readdir(stateOf(folder), { recursive: true });
  const removed = found.filter(() => random() < 0.5);
  for (const name of removed) await rm(join(stateOf(folder), name), { recursive: true, force: true });
  expect((await run()).exitCode, removed.join(' ')).toBe(0);
  await expectWhole();
});
