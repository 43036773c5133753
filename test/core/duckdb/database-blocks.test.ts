import { copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyBlocks } from '../../../src/core/duckdb/database-blocks.ts';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { FILE_OPTIONS } from '../../../src/etl/state/catalog/schema.ts';
import { flipByte, places } from '../../support/bit-rot.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

/** A file with tables of numbers and long texts, and with blocks that a dropped table has left. */
async function someFile(options: string): Promise<string> {
  const folder = await temporaryFolder();
  const file = join(folder, 'some.duckdb');
  const connection = await temporaryConnection(folder);
  await connection.run(`ATTACH ${text(file)} AS sample (${options})`);
  for (const statement of [
    'CREATE TABLE sample.gone AS SELECT i, random() AS r FROM range(60000) AS t(i)',
    'CREATE TABLE sample.kept AS SELECT i, repeat(md5(i::VARCHAR), 1 + i::INTEGER % 2000) AS s FROM range(400) AS t(i)',
    'CHECKPOINT sample',
    'DROP TABLE sample.gone',
    'CHECKPOINT sample',
    'DETACH sample',
  ])
    await connection.run(statement);
  return file;
}

/** The places of a file that are free, by flipping a byte in each. */
async function freePlaces(file: string): Promise<number> {
  let free = 0;
  for (const [index, place] of (await places(file)).entries()) {
    const flipped = `${file}.flipped`;
    await copyFile(file, flipped);
    await flipByte(flipped, place + ((index * 104_729) & 0xfff));
    const thrown = await verifyBlocks(flipped).catch((error: unknown) => error);
    if (thrown === undefined) free++;
    else expect(thrown).toMatchObject({ code: 'damaged_warehouse' });
  }
  return free;
}

test('a flipped bit in any used header or block is found', async () => {
  const file = await someFile(FILE_OPTIONS);
  await verifyBlocks(file);
  const connection = await temporaryConnection(await temporaryFolder());
  await connection.run(`ATTACH ${text(file)} AS sample (READ_ONLY)`);
  const [size] = await connection.rows("SELECT * FROM pragma_database_size() WHERE database_name = 'sample'");
  expect(Number(size?.free_blocks)).toBeGreaterThan(10);
  expect(await freePlaces(file)).toBe(Number(size?.free_blocks));
});

test("a file with DuckDB's default block size is read", async () => {
  const file = await someFile('BLOCK_SIZE 262144');
  await verifyBlocks(file);
  await flipByte(file, 3 * 4096 + 262_144 - 1);
  await expect(verifyBlocks(file)).rejects.toMatchObject({
    code: 'damaged_warehouse',
    message: expect.stringMatching(
      /some\.duckdb is damaged: block 0 of \d+, at byte 12288 of \d+, has another checksum/,
    ),
  });
});

test.for([
  ['empty', (file: string) => writeFile(file, '')],
  ['garbage', (file: string) => writeFile(file, 'this is no database '.repeat(1000))],
  ['cut to half', async (file: string) => truncate(file, (await stat(file)).size / 2)],
  ['full of zeros', async (file: string) => writeFile(file, (await readFile(file)).fill(0, 12_288))],
] as const)('a file that is %s is reported as damaged', async ([_what, spoil]) => {
  const file = await someFile('BLOCK_SIZE 32768');
  await spoil(file);
  await expect(verifyBlocks(file)).rejects.toMatchObject({ code: 'damaged_warehouse' });
});

test('an abort ends the reading', async () => {
  const file = await someFile('BLOCK_SIZE 32768');
  await expect(verifyBlocks(file, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});
