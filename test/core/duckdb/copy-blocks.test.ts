import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareCopy, patchCopy } from '../../../src/core/duckdb/copy-blocks.ts';
import { verifyBlocks } from '../../../src/core/duckdb/database-blocks.ts';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { FILE_OPTIONS } from '../../../src/etl/state/catalog/schema.ts';
import { flipByte, readWhole } from '../../support/bit-rot.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const { signal } = new AbortController();
const NONE = { changed: new Set<number>(), next: 0 };
const ALL = { has: () => true };
/** In block 20 of a file. */
const IN_BLOCK = 3 * 4096 + 20 * 32_768 + 77;

async function someFile(rows: number): Promise<string> {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const file = join(folder, 'some.duckdb');
  await connection.run(`ATTACH ${text(file)} AS sample (${FILE_OPTIONS})`);
  await connection.run('CREATE SCHEMA sample.raw');
  await connection.run(
    `CREATE TABLE sample.raw.t AS SELECT i, md5(i::VARCHAR) AS s FROM range(${rows}) AS t(i)`,
  );
  await connection.run('DETACH sample');
  return file;
}

test('a copy is equal until a bit of an unchanged block differs', async () => {
  const file = await someFile(50_000);
  await copyFile(file, `${file}.copy`);
  expect(await compareCopy(file, `${file}.copy`, NONE, signal)).toEqual({ isEqual: true, next: 0 });
  await flipByte(`${file}.copy`, IN_BLOCK);
  expect(await compareCopy(file, `${file}.copy`, NONE, signal)).toMatchObject({ isEqual: false });
  const changed = new Set([20]);
  expect(await compareCopy(file, `${file}.copy`, { changed, next: 0 }, signal)).toMatchObject({
    isEqual: true,
  });
});

test('a comparison continues where the last one ended, and restarts after the last block', async () => {
  const file = await someFile(50_000);
  await copyFile(file, `${file}.copy`);
  await flipByte(`${file}.copy`, IN_BLOCK);
  const { changed } = NONE;
  expect(await compareCopy(file, `${file}.copy`, { changed, next: 21 }, signal)).toEqual({
    isEqual: true,
    next: 0,
  });
  expect(await compareCopy(file, `${file}.copy`, { changed, next: 1_000_000 }, signal)).toMatchObject({
    isEqual: false,
  });
});

test('a comparison and a patch find a damaged block', async () => {
  const file = await someFile(50_000);
  await copyFile(file, `${file}.copy`);
  await flipByte(file, IN_BLOCK);
  const damaged = { code: 'damaged_warehouse', message: expect.stringContaining('block 20 of') };
  await expect(compareCopy(file, `${file}.copy`, NONE, signal)).rejects.toMatchObject(damaged);
  await expect(patchCopy(file, `${file}.copy`, ALL, signal)).rejects.toMatchObject(damaged);
});

test('a patched copy has every value and the size of the file, whether it grew or shrank', async () => {
  const [file, longer, shorter] = [await someFile(20_000), await someFile(60_000), await someFile(10)];
  for (const copy of [longer, shorter]) {
    expect(await patchCopy(file, copy, ALL, signal)).toBeGreaterThan(100_000);
    await verifyBlocks(copy);
    expect((await stat(copy)).size).toBe((await stat(file)).size);
    expect(await readWhole(await temporaryConnection(await temporaryFolder()), copy)).toEqual({ t: 20_000 });
  }
});
