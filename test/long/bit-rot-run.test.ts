import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  EVERYTHING,
  flipByte,
  placeOfPages,
  places,
  projectWithPages,
  readWhole,
  runDamaged,
} from '../support/bit-rot.ts';
import { crawlhouse } from '../support/project.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

const FLIPS = 3;

test(`a byte flipped in ${FLIPS} places of the working copy: each run publishes all, whole (seed ${testSeed()})`, async () => {
  const project = await projectWithPages();
  const connection = await temporaryConnection(await temporaryFolder());
  const random = seededRandom(testSeed());
  const all = await places(join(project.folder, '.crawlhouse', 'work.duckdb'));
  for (let flip = 0; flip < FLIPS; flip++) {
    const place = all[Math.floor(((flip + random()) * all.length) / FLIPS)] ?? 0;
    await runDamaged(connection, project, place + Math.floor(random() * 4096));
  }
});

test('a run that finds damage says so, begins again and ends well; a damaged publication is refused', async () => {
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
    expect.stringMatching(/Error: .*warehouse\.duckdb is damaged: block \d+ of \d+.*\nTry: restore a backup/),
  ]);
  const after = [await readFile(work), await readFile(warehouse)];
  expect(after.map((file, index) => before[index]?.equals(file))).toEqual([true, true]);
});
