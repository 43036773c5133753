import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database, text } from '../../src/core/duckdb.ts';
import { parquetRows } from '../../src/core/parquet-rows.ts';
import { temporaryFolder } from '../support/temporary.ts';

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

test('a file that was cut is no whole one', async () => {
  const path = await parquet('SELECT range AS a FROM range(1000)');
  const { length } = await readFile(path);
  for (const size of [length - 1, length - 9, 20, 3, 0]) {
    await truncate(path, size);
    await expect(parquetRows(path, 'it')).rejects.toMatchObject({ code: 'cut_short', kind: 'retriable' });
  }
  await writeFile(path, 'PAR1 this is something else altogether PAR1');
  await expect(parquetRows(path, 'it')).rejects.toMatchObject({ code: 'cut_short' });
});
