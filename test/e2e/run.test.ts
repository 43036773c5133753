import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunResult } from '../../src/project/model/run-result.ts';
import { type Sandbox, startSandbox } from '../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, projectFolder, published, requestCount, runProject } from '../support/project.ts';
import { sharedFolder, temporaryConnection, temporaryFolder } from '../support/temporary.ts';

const statusOf = ({ report }: RunResult, status: string) =>
  report.units.filter((unit) => unit.status === status);

const SMALL = 'projects=1,crawls=2,pages=300,links=1500,columns=40,seed=3';

const shared = sharedFolder();
let sandbox: Sandbox;
/** A project after its first run, which is the same for most tests. */
let loadedProject: string;
let first: RunResult;

beforeAll(async () => {
  sandbox = await startSandbox({ generate: [SMALL] });
  loadedProject = await projectFolder(shared);
  first = await runProject(loadedProject, sandbox);
});
afterAll(() => sandbox.close());

/** A copy of it, for one test to change. */
async function afterFirstRun(): Promise<string> {
  const folder = join(await temporaryFolder(), 'project');
  await cp(loadedProject, folder, { recursive: true });
  return folder;
}

test('a run counts every row from the service to the query, and a second one does nothing', async () => {
  const folder = await afterFirstRun();
  expect(first.exitCode).toBe(0);
  const [loaded, skipped] = [statusOf(first, 'loaded'), statusOf(first, 'skipped')];
  expect(loaded.length + skipped.length).toBe(first.report.units.length);
  // Two crawls with five data types each, five lists of the workspace, three of the project.
  expect(loaded.length).toBe(2 * 5 + 5 + 3);
  expect(skipped.map((unit) => unit.error?.message)).toEqual([
    ...Array(4).fill('the project has no log monitoring'),
    'the project has no ranking performance',
  ]);
  for (const { unit, counts } of loaded) {
    const { reported, received, staged, rejected, loaded: rows, queryable } = counts;
    expect([unit, received, staged, rows, queryable, rejected]).toEqual([
      unit,
      received,
      received,
      received,
      received,
      0,
    ]);
    expect([unit, reported ?? received]).toEqual([unit, received]);
  }
  const rows = first.report.units
    .filter((unit) => unit.dataset === 'crawl_links')
    .map((unit) => unit.counts.queryable);
  expect(rows).toEqual([1500, 1500]);
  expect(first.report.tests.every((one) => one.status === 'passed')).toBe(true);

  const before = await requestCount(sandbox);
  const second = await runProject(folder, sandbox);
  expect(second.report.units.map((unit) => unit.status)).toEqual(Array(8).fill('unchanged'));
  expect(second.report.models.every((model) => model.status === 'unchanged')).toBe(true);
  expect((await requestCount(sandbox)) - before).toBeLessThanOrEqual(10);
});

test('with the state directory gone, the next run takes up from the published warehouse', async () => {
  const folder = await afterFirstRun();
  await rm(join(folder, '.crawlhouse'), { recursive: true });
  const connection = await temporaryConnection(await temporaryFolder());
  const status = JSON.parse((await crawlhouse(folder, sandbox, ['status', '--json'])).stdout);
  expect(status.units).toHaveLength(23);
  const again = await runProject(folder, sandbox);
  expect(again.report.units.map((unit) => unit.status)).toEqual(Array(8).fill('unchanged'));
  expect(await published(connection, folder, 'SELECT count(*) AS n FROM raw.crawl_links')).toEqual([
    { n: '3000' },
  ]);
  expect(JSON.parse((await crawlhouse(folder, sandbox, ['status', '--json'])).stdout).units).toHaveLength(23);
});

test('with the published warehouse gone, the next run publishes again without asking for the crawls', async () => {
  const folder = await afterFirstRun();
  await rm(join(folder, 'warehouse.duckdb'));
  const before = await requestCount(sandbox);
  expect((await runProject(folder, sandbox)).exitCode).toBe(0);
  expect((await requestCount(sandbox)) - before).toBeLessThanOrEqual(10);
  expect(existsSync(join(folder, 'warehouse.duckdb'))).toBe(true);
});
