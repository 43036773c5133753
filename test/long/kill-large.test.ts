import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  crawlhouse,
  differences,
  projectFolder,
  published,
  sandboxFor,
  spawnCrawlhouse,
} from '../support/project.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

const KILLS = ALL_ROUNDS ? 10 : 3;

test(`after ${KILLS} kills amid larger downloads the warehouse is the one of an undisturbed run (seed ${testSeed()})`, async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=3,pages=8000,links=60000,columns=60,seed=7'],
  });
  const connection = await temporaryConnection(await temporaryFolder());
  const undisturbed = await projectFolder();
  const startedAt = performance.now();
  expect((await crawlhouse(undisturbed, sandbox, ['run'])).status).toBe(0);
  const whole = performance.now() - startedAt;

  const random = seededRandom(testSeed());
  const killed = await projectFolder();
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawnCrawlhouse(killed, sandbox, ['run']);
    const ended = once(child, 'exit');
    await sleep(200 + random() * whole * 0.8);
    child.kill('SIGKILL');
    await ended;
  }
  expect((await crawlhouse(killed, sandbox, ['run'])).status).toBe(0);

  for (const table of ['crawl_pages', 'crawl_links', 'crawls', 'projects']) {
    const rows = await published(connection, killed, `SELECT count(*) AS n FROM raw.${table}`);
    expect([table, rows]).toEqual([
      table,
      await published(connection, undisturbed, `SELECT count(*) AS n FROM raw.${table}`),
    ]);
  }
  for (const table of ['crawl_pages', 'crawl_links']) {
    expect([table, await differences(connection, undisturbed, killed, table)]).toEqual([table, 0n]);
  }
  const twice = await published(
    connection,
    killed,
    'SELECT _unit FROM raw.crawl_links GROUP BY _unit HAVING count(DISTINCT _run_id) > 1',
  );
  expect(twice).toEqual([]);
  for (const model of ['pages', 'links', 'page_changes', 'status_codes_by_crawl', 'links_to_broken_pages']) {
    const sql = `SELECT count(*) AS n FROM mart.${model}`;
    expect([model, await published(connection, killed, sql)]).toEqual([
      model,
      await published(connection, undisturbed, sql),
    ]);
  }
});
