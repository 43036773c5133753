import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toCrawlhouseError } from '../../../src/core/errors/errors.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { loadPackage } from '../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../src/etl/pipeline/load/read-package.ts';
import { publish } from '../../../src/etl/pipeline/publish/publish.ts';
import { openDatabase, placeIn, withWorking } from '../../etl/engines/open-working.ts';
import { fields, makePackage } from '../../etl/pipeline/load/make-package.ts';
import {
  EVERYTHING,
  flipByte,
  placeOfPages,
  places,
  projectWithPages,
  readWhole,
  runDamaged,
} from '../../support/bit-rot.ts';
import { crawlhouse } from '../../support/project.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const signal = new AbortController().signal;

/** Loads one crawl of pages into a folder's working copy. */
async function load(folder: string, id: string, rows: number): Promise<void> {
  const database = await openDatabase(folder);
  const staging = await database.connect();
  const pages = Array.from({ length: rows }, (_, page) => ({
    url: `https://${id}.example/${page}/${(page * 7919).toString(36)}`,
    title: `Page ${(page * 104_729) % 1000} ${'of many words '.repeat(page % 4)}`,
  }));
  const made = await makePackage(staging, folder, { id, fields: fields('url', 'title'), rows: pages });
  await withWorking(folder, async (working) => {
    await loadPackage(working, await readPackage(made), { runId: 'r', schemaChange: 'evolve', signal });
  });
}

async function publishAll(folder: string): Promise<void> {
  await withWorking(folder, (working) => publish(working, silentLogger, signal));
}

test('a working copy with a flipped byte in every other block is never published', async () => {
  const folder = await temporaryFolder();
  const { stateDir, published } = placeIn(folder);
  const work = join(stateDir, 'work.duckdb');
  await load(folder, 'c1', 20_000);
  await publishAll(folder);
  await load(folder, 'c2', 300);
  const sound = await readFile(work);
  const former = await readFile(published);
  const connection = await temporaryConnection(folder);
  // Each of them is flipped in test/core/duckdb/database-blocks.test.ts and, by night, in whole runs.
  const all = (await places(work)).filter((_, index) => index % 2 === 0);
  const ends = { refused: 0, anew: 0, free: 0 };
  for (const [index, place] of all.entries()) {
    await writeFile(work, sound);
    await writeFile(published, former);
    await flipByte(work, place + ((index * 7919) & 0xfff));
    const error = await publishAll(folder).then(
      () => null,
      (thrown: unknown) => toCrawlhouseError(thrown),
    );
    if (error) {
      expect([place, error.code]).toEqual([place, 'damaged_warehouse']);
      expect((await readFile(published)).equals(former)).toBe(true);
      ends.refused++;
      continue;
    }
    // A working copy that can't be opened is taken anew; a free block harms nobody.
    const { crawl_pages: rows } = await readWhole(connection, published);
    expect([20_000, 20_300]).toContain(rows);
    ends[rows === 20_000 ? 'anew' : 'free']++;
  }
  expect(all.length).toBeGreaterThan(10);
  expect(ends.refused).toBeGreaterThan(0);
  expect(ends.anew).toBeGreaterThan(2);
});

/** By night, each block. */
const FLIPS = ALL_ROUNDS ? Number.POSITIVE_INFINITY : 2;

test(`after a flipped byte anywhere in the working copy, each run publishes everything intact (seed ${testSeed()})`, async () => {
  const project = await projectWithPages();
  const connection = await temporaryConnection(await temporaryFolder());
  const random = seededRandom(testSeed());
  const all = await places(join(project.folder, '.crawlhouse', 'work.duckdb'));
  const flips = Math.min(FLIPS, all.length);
  for (let flip = 0; flip < flips; flip++) {
    const place = all[Math.floor(((flip + random()) * all.length) / flips)] ?? 0;
    await runDamaged(connection, project, place + Math.floor(random() * 4096));
  }
});

test('a run that finds damage reports it, starts again and succeeds; a damaged publication is refused', async () => {
  const { sandbox, folder } = await projectWithPages();
  const work = join(folder, '.crawlhouse', 'work.duckdb');
  const warehouse = join(folder, 'warehouse.duckdb');
  const connection = await temporaryConnection(await temporaryFolder());
  await flipByte(work, (await placeOfPages(connection, work)) + 1000);
  const healed = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', 'crawl_links']);
  expect([healed.status, healed.stderr]).toEqual([
    0,
    expect.stringMatching(/warn +damage found, starting again with a new working copy/),
  ]);
  expect(await readWhole(connection, warehouse)).toEqual(EVERYTHING);

  await flipByte(work, (await placeOfPages(connection, work)) + 1000);
  await flipByte(warehouse, (await placeOfPages(connection, warehouse)) + 1000);
  const before = [await readFile(work), await readFile(warehouse)];
  const refused = await crawlhouse(folder, sandbox, ['transform', '--full']);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /Error: .*warehouse\.duckdb is damaged: block \d+ of \d+.*\nTry: check the disk; restore a backup/,
    ),
  ]);
  const after = [await readFile(work), await readFile(warehouse)];
  expect(after.map((file, index) => before[index]?.equals(file))).toEqual([true, true]);
});

test('replacing a damaged publication is reported on stderr, in the report, and as an incident until the next run', async () => {
  const { sandbox, folder } = await projectWithPages();
  const warehouse = join(folder, 'warehouse.duckdb');
  const connection = await temporaryConnection(await temporaryFolder());
  await flipByte(warehouse, (await placeOfPages(connection, warehouse)) + 1000);
  const healed = await crawlhouse(folder, sandbox, ['transform', '--full', '--json']);
  const damage = expect.stringMatching(
    /warehouse\.duckdb is damaged: block \d+ of \d+.* checksum; publishing a complete file instead$/,
  );
  expect([healed.status, healed.stderr]).toEqual([
    0,
    expect.stringMatching(/warn +the published warehouse is damaged: publishing a complete file instead/),
  ]);
  expect(JSON.parse(healed.stdout).healed).toEqual([damage]);
  expect(await readWhole(connection, warehouse)).toEqual({ crawl_pages: EVERYTHING.crawl_pages });
  const incidents = async (): Promise<unknown> => {
    const { stdout } = await crawlhouse(folder, sandbox, ['status', '--json']);
    return JSON.parse(stdout).incidents;
  };
  expect(await incidents()).toMatchObject([
    {
      title: 'run replaced a file that was damaged or changed by another program',
      details: [damage],
      hint: expect.stringContaining('check the disk'),
    },
  ]);
  const next = await crawlhouse(folder, sandbox, ['transform', '--full', '--json']);
  expect([next.status, next.stderr, JSON.parse(next.stdout).healed]).toEqual([0, '', undefined]);
  expect(await incidents()).toEqual([]);
});
