import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { peakOf } from '../../support/peak-memory.ts';
import {
  BUILT_PROGRAM,
  projectFolder,
  published,
  SHARED_DATA,
  sandboxFor,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const PAGE_FIELDS = join(SHARED_DATA, 'catalog', 'pages-750.fields.json');
/** The default `memory_limit` and what a process takes beside it at most (docs/settings.md), whatever the size. */
const LIMIT_MB = 400 + 300;
/** As it was measured, however many threads a machine has; the built program, because Node takes 50 MB more for TypeScript. */
const AS_MEASURED = { extra: { CRAWLHOUSE_THREADS: '2' }, program: BUILT_PROGRAM };
/** They take turns by the seed. */
const waits = (turn: number) => !ALL_ROUNDS && roundSeed() % 3 !== turn;

test.skipIf(waits(0) || !existsSync(PAGE_FIELDS))(
  'a crawl of 750 fields loads within the memory target (every third seed, and with ../shared/data)',
  async () => {
    const sandbox = await sandboxFor({
      generate: [`projects=1,crawls=1,pages=30000,links=10,seed=1,fields=${PAGE_FIELDS}`],
    });
    const folder = await projectFolder();
    const { status, peak } = await peakOf(
      spawnCrawlhouse(folder, sandbox, ['run', 'crawl_pages'], AS_MEASURED),
    );
    expect(status).toBe(0);
    const connection = await temporaryConnection(await temporaryFolder());
    expect(await published(connection, folder, 'SELECT count(*) AS n FROM raw.crawl_pages')).toEqual([
      { n: '30000' },
    ]);
    const fields =
      "SELECT count(*) AS n, count(*) FILTER (starts_with(field, 'gsc_')) AS gsc FROM ops.unit_fields";
    expect(await published(connection, folder, fields)).toEqual([{ n: '750', gsc: '600' }]);
    // 640 to 670 here: two parts are converted at once.
    expect(peak).toBeLessThan(LIMIT_MB);
  },
);

test.skipIf(waits(1))('a million links load within the memory target (every third seed)', async () => {
  const sandbox = await sandboxFor({
    generate: ['projects=1,crawls=1,pages=20000,links=1000000,columns=20,seed=1'],
  });
  const folder = await projectFolder();
  const { status, peak } = await peakOf(
    spawnCrawlhouse(folder, sandbox, ['run', 'crawl_links'], AS_MEASURED),
  );
  expect(status).toBe(0);
  // 320 to 350 here.
  expect(peak).toBeLessThan(480);
});

test.skipIf(waits(2))(
  'several crawls load together, and their models are built, within the memory target (every third seed)',
  async () => {
    const sandbox = await sandboxFor({ generate: ['projects=1,crawls=6,pages=100000,links=300000,seed=1'] });
    const folder = await projectFolder();
    const { status, peak } = await peakOf(spawnCrawlhouse(folder, sandbox, ['run'], AS_MEASURED));
    expect(status).toBe(0);
    const connection = await temporaryConnection(await temporaryFolder());
    const changes = 'SELECT count(*) > 0 AS made, count(DISTINCT crawl_id) AS crawls FROM mart.page_changes';
    expect(await published(connection, folder, changes)).toEqual([{ made: true, crawls: '5' }]);
    expect(peak).toBeLessThan(LIMIT_MB);
  },
);
