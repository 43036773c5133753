import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database, text } from '../../../src/core/duckdb/duckdb.ts';
import { parquetRows } from '../../../src/core/duckdb/parquet-rows.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function parquet(select: string): Promise<string> {
  const path = join(await temporaryFolder(), 'file.parquet');
  await using database = await Database.open({
    memoryLimit: '100MB',
    threads: 1,
    tempDirectory: `${path}.tmp`,
  });
  using connection = await database.connect();
  await connection.run(`COPY (${select}) TO ${text(path)} (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
  return path;
}

test.for([
  ['SELECT range AS a FROM range(0)', 0],
  ['SELECT range AS a FROM range(7)', 7],
  [
    "SELECT range AS a, [range] AS b, {x: 1, y: ['z']} AS c, now() AS d, 1.5::DECIMAL(9,2) AS e FROM range(100_000)",
    100_000,
  ],
  [`SELECT ${Array.from({ length: 300 }, (_, at) => `range AS "c ${at}"`).join(', ')} FROM range(3)`, 3],
] as const)('$0.length characters of SQL make a file with $1 rows in its footer', async ([select, rows]) => {
  expect(await parquetRows(await parquet(select), 'it')).toBe(rows);
});

test('a truncated file is not a complete Parquet file', async () => {
  const path = await parquet('SELECT range AS a FROM range(1000)');
  const { length } = await readFile(path);
  for (const size of [length - 1, length - 9, 20, 3, 0]) {
    await truncate(path, size);
    await expect(parquetRows(path, 'it')).rejects.toMatchObject({ code: 'cut_short', kind: 'retriable' });
  }
  await writeFile(path, 'PAR1 this is something else altogether PAR1');
  await expect(parquetRows(path, 'it')).rejects.toMatchObject({ code: 'cut_short' });
});

/** A Parquet file whose footer is these bytes. */
async function withFooter(footer: readonly number[]): Promise<string> {
  const path = join(await temporaryFolder(), 'file.parquet');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  await writeFile(
    path,
    Buffer.concat([Buffer.from('PAR1'), Buffer.from(footer), length, Buffer.from('PAR1')]),
  );
  return path;
}

const LONG = [...Array(9).fill(0xff), 0x01];

test.each([
  ['a list of 2^64 booleans', [0x19, 0xf1, ...LONG, 0x16, 0x02]],
  ['a list of 2^64 values of no type', [0x19, 0xf0, ...LONG, 0x16, 0x02]],
  ['a number of a thousand bytes', [0x15, ...Array(1000).fill(0x80), 0x00, 0x26, 0x02]],
  ['fewer rows than none', [0x36, 0x01]],
  ['more rows than 2^53', [0x36, ...LONG]],
])('a footer with %s is refused immediately', async (_, footer) => {
  await expect(parquetRows(await withFooter(footer), 'it')).rejects.toMatchObject({ code: 'cut_short' });
});

test('a footer with only its number of rows is read', async () => {
  expect(await parquetRows(await withFooter([0x36, 0x0e]), 'it')).toBe(7);
});
