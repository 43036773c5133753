import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DataExportDesk } from '../support/data-exports.ts';
import {
  crawlhouse,
  differences,
  published,
  rawProjectFolder,
  sandboxFor,
  spawnCrawlhouse,
} from '../support/project.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

const KILLS = ALL_ROUNDS ? 10 : 4;
const CRAWLS = 2;
const DATASETS = ['crawl_pages', 'crawl_links'];

test(`after ${KILLS} kills each unit was asked for by one data export, and every row is there once (seed ${testSeed()})`, async () => {
  const sandbox = await sandboxFor({
    generate: [`projects=1,crawls=${CRAWLS},pages=6000,links=40000,columns=60,seed=8`],
    exportObjects: 3,
    exportGzip: true,
  });
  const desk = new DataExportDesk(sandbox);
  const connection = await temporaryConnection(await temporaryFolder());
  const undisturbed = await rawProjectFolder();
  const startedAt = performance.now();
  expect((await crawlhouse(undisturbed, sandbox, ['run', ...DATASETS])).status).toBe(0);
  const whole = performance.now() - startedAt;
  expect(await desk.asked()).toBe(0);

  const args = ['run', ...DATASETS, '--route', 'export', '--format', 'json', '--store', 'store_a'];
  const random = seededRandom(testSeed());
  const killed = await rawProjectFolder();
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawnCrawlhouse(killed, sandbox, args);
    const ended = once(child, 'exit');
    await sleep(400 + random() * whole * 1.2);
    child.kill('SIGKILL');
    await ended;
  }
  const last = await crawlhouse(killed, sandbox, args);
  expect([last.status, last.stderr]).toEqual([0, expect.any(String)]);

  expect(await desk.asked()).toBe(CRAWLS * DATASETS.length);
  for (const dataset of DATASETS) {
    expect([dataset, await differences(connection, undisturbed, killed, dataset)]).toEqual([dataset, 0n]);
    const twice = `SELECT _unit FROM raw.${dataset} GROUP BY _unit HAVING count(DISTINCT _run_id) > 1`;
    expect(await published(connection, killed, twice)).toEqual([]);
  }
  const routes = await published(connection, killed, 'SELECT DISTINCT route FROM ops.loads');
  expect(routes).toEqual([{ route: 'export' }]);
});
