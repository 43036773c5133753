import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, projectFolder, published, requestCount, runProject } from '../../support/project.ts';
import { sharedFolder, temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const shared = sharedFolder();
let sandbox: Sandbox;
/** A project after its first run. */
let loadedProject: string;

beforeAll(async () => {
  sandbox = await startSandbox({ generate: ['projects=1,crawls=2,pages=300,links=1500,columns=40,seed=3'] });
  loadedProject = await projectFolder(shared);
  await runProject(loadedProject, sandbox);
});

afterAll(() => sandbox.close());

/** A copy of it, for one test to change. */
async function afterFirstRun(): Promise<string> {
  const folder = join(await temporaryFolder(), 'project');
  await cp(loadedProject, folder, { recursive: true });
  return folder;
}

test('without the state directory, the next run continues from the published warehouse', async () => {
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

test('without the published warehouse, the next run publishes again without downloading the crawls', async () => {
  const folder = await afterFirstRun();
  await rm(join(folder, 'warehouse.duckdb'));
  const before = await requestCount(sandbox);
  expect((await runProject(folder, sandbox)).exitCode).toBe(0);
  expect((await requestCount(sandbox)) - before).toBeLessThanOrEqual(10);
  expect(existsSync(join(folder, 'warehouse.duckdb'))).toBe(true);
});
