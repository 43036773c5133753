import { copyFile, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { dropUnfinishedCommit } from '../../../src/core/duckdb/unfinished-commit.ts';
import { FILE_OPTIONS } from '../../../src/etl/state/catalog/schema.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

/** Bytes of the entry that ends a commit. */
const FLUSH_BYTES = 21;
/** More than a row group, so that its rows are written to the file before the commit. */
const ROWS = 20_000;

/** Makes a file whose log has two commits of many rows, as a killed process leaves it, without its last bytes. */
async function killed(
  cut: number,
): Promise<{ readonly path: string; readonly rows: () => Promise<unknown> }> {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const [live, path] = [join(folder, 'live.duckdb'), join(folder, 'killed.duckdb')];
  await connection.run("SET checkpoint_threshold = '1TB'");
  await connection.run(`ATTACH ${text(live)} AS live (${FILE_OPTIONS})`);
  await connection.run('CREATE TABLE live.loads (unit VARCHAR PRIMARY KEY, loaded BIGINT)');
  await connection.run('CREATE TABLE live.pages (unit VARCHAR, url VARCHAR)');
  await connection.run('CHECKPOINT live');
  for (const unit of ['a', 'b'])
    await connection.transaction(async () => {
      await connection.run(
        `INSERT INTO live.pages SELECT '${unit}', 'https://example.com/' || i FROM range(${ROWS}) AS r (i)`,
      );
      await connection.run(`INSERT INTO live.loads VALUES ('${unit}', ${ROWS})`);
    });
  await copyFile(live, path);
  await copyFile(`${live}.wal`, `${path}.wal`);
  await truncate(`${path}.wal`, (await stat(`${path}.wal`)).size - cut);
  const rows = async (): Promise<unknown> => {
    await connection.run(`ATTACH ${text(path)} AS killed (${FILE_OPTIONS})`);
    const found = await connection.rows(
      `SELECT unit, count(*)::INTEGER AS rows, max(loaded)::INTEGER AS loaded
       FROM killed.pages LEFT JOIN killed.loads USING (unit) GROUP BY unit ORDER BY unit`,
    );
    await connection.run('DETACH killed');
    return found;
  };
  return { path, rows };
}

const A = { unit: 'a', rows: ROWS, loaded: ROWS };
const B = { unit: 'b', rows: ROWS, loaded: ROWS };

test('a commit without its last entry is removed, and the commit before it stays', async () => {
  const { path, rows } = await killed(FLUSH_BYTES);
  expect(await dropUnfinishedCommit(path)).toBe(true);
  expect(await rows()).toEqual([A]);
});

test('a commit that was cut within an entry is removed', async () => {
  for (const cut of [1, FLUSH_BYTES + 10]) {
    const { path, rows } = await killed(cut);
    expect(await dropUnfinishedCommit(path)).toBe(true);
    expect(await rows()).toEqual([A]);
  }
});

test('finished commits stay, and a file without a log is left alone', async () => {
  const { path, rows } = await killed(0);
  expect(await dropUnfinishedCommit(path)).toBe(false);
  expect(await rows()).toEqual([A, B]);
  expect(await dropUnfinishedCommit(path)).toBe(false);
  expect(await dropUnfinishedCommit(join(path, '..', 'none.duckdb'))).toBe(false);
});

test('a log whose first commit was not finished leaves no rows', async () => {
  const { path, rows } = await killed(0);
  const log = await readFile(`${path}.wal`);
  // The first commit ends where the second one begins: after the first entry of the flush type.
  const flush = log.indexOf(Buffer.from([5, 0, 0, 0, 0, 0, 0, 0]));
  await truncate(`${path}.wal`, flush);
  expect(await dropUnfinishedCommit(path)).toBe(true);
  expect(await rows()).toEqual([]);
});

test('a log that a program has open stays unchanged', async () => {
  const { path, rows } = await killed(FLUSH_BYTES);
  const writer = await open(`${path}.wal`, 'r+');
  expect(await dropUnfinishedCommit(path)).toBe(false);
  await writer.close();
  expect(await dropUnfinishedCommit(path)).toBe(true);
  expect(await rows()).toEqual([A]);
});

test('a log of another version, a damaged one, and one with a checkpoint stay unchanged', async () => {
  const { path } = await killed(FLUSH_BYTES);
  const log = await readFile(`${path}.wal`);
  const first = log.indexOf(Buffer.from([0xff, 0xff])) + 2;
  for (const [at, byte] of [
    [5, 3],
    [6, 120],
    [first + 16, 9],
    [first + 18, 99],
  ] as const) {
    const other = Buffer.from(log);
    other[at] = byte;
    await writeFile(`${path}.wal`, other);
    expect([at, await dropUnfinishedCommit(path)]).toEqual([at, false]);
    expect((await readFile(`${path}.wal`)).equals(other)).toBe(true);
  }
});

test.for(['', '\0', 'd\0b'])('a log of the bytes %j is left to DuckDB', async (bytes) => {
  const path = join(await temporaryFolder(), 'w.duckdb');
  await writeFile(`${path}.wal`, bytes);
  expect(await dropUnfinishedCommit(path)).toBe(false);
});
