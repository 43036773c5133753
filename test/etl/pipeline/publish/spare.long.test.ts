import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import {
  copyFile,
  link,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PrivateWarehouse } from '../../../../src/app/answers/query/private-warehouse.ts';
import { verifyBlocks } from '../../../../src/core/duckdb/database-blocks.ts';
import { createLogger, silentLogger } from '../../../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../../../src/etl/engines/working-copy.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import { flipByte, readWhole } from '../../../support/bit-rot.ts';
import { IN_DUCKDB } from '../../../support/in-duckdb.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, placeIn, withWorking } from '../../engines/open-working.ts';
import '../../../support/process-timeout.ts';

const { signal } = new AbortController();
const DUCKDB = import.meta.resolve('@duckdb/node-api');
const HOUR = 3_600_000;

/** Adds a table and publishes; how the copy was made. */
async function publishTable(working: WorkingCopy, name: string, rows = 5000): Promise<string | undefined> {
  let how: string | undefined;
  const logger = createLogger('debug', (line) => {
    how = /copied .*how=(\w+)/.exec(line)?.[1] ?? how;
  });
  await working.connection.run(
    `CREATE TABLE raw.${name} AS SELECT i, md5((i * random())::VARCHAR) AS s FROM range(${rows}) AS t(i)`,
  );
  await working.markDirty();
  await publish(working, logger, signal);
  return how;
}

/** The same by a process of its own, as far as a test can tell. */
async function runOnce(folder: string, name: string): Promise<string | undefined> {
  return withWorking(folder, (working) => publishTable(working, name));
}

/** A folder with two publications, and with a clock that shows an hour more after each. */
async function twice(): Promise<string> {
  const folder = await temporaryFolder();
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await runOnce(folder, 'one')).toBe('whole');
  vi.setSystemTime(Date.now() + HOUR);
  expect(await runOnce(folder, 'two')).toBe('whole');
  vi.setSystemTime(Date.now() + HOUR);
  return folder;
}

const spareOf = (folder: string): string => join(placeIn(folder).stateDir, 'spare.duckdb');
const noteOf = (folder: string): string => join(placeIn(folder).stateDir, 'spare.json');

/** Reads every value of the published file, and every checksum. */
async function expectPublished(folder: string, tables: readonly string[]): Promise<void> {
  const { published } = placeIn(folder);
  await verifyBlocks(published);
  const rows = await readWhole(await temporaryConnection(folder), published);
  expect(rows).toEqual(Object.fromEntries(tables.map((name) => [name, 5000])));
}

test('from the third publication on, two files alternate, and only changes are copied', async () => {
  const folder = await twice();
  const { published } = placeIn(folder);
  const inode = async (path: string): Promise<number> => (await stat(path)).ino;
  const [first, second] = [await inode(spareOf(folder)), await inode(published)];
  const tables = ['one', 'two'];
  for (const [name, there] of [
    ['three', first],
    ['four', second],
    ['five', first],
  ] as const) {
    expect(await runOnce(folder, name)).toBe('patch');
    expect(await inode(published)).toBe(there);
    tables.push(name);
    await expectPublished(folder, tables);
    vi.setSystemTime(Date.now() + HOUR);
  }
});

test('the files alternate even if users query each publication', async () => {
  const folder = await twice();
  const { published, stateDir } = placeIn(folder);
  for (const name of ['three', 'four', 'five']) {
    (await PrivateWarehouse.make(published, stateDir))[Symbol.dispose]();
    expect(await runOnce(folder, name)).toBe('patch');
    vi.setSystemTime(Date.now() + HOUR);
  }
});

test('the files also alternate within one process, whatever was replaced and dropped', async () => {
  const folder = await twice();
  await withWorking(folder, async (working) => {
    for (let round = 0; round < 6; round++) {
      await working.connection.run('CREATE OR REPLACE TABLE raw.two AS FROM raw.one ORDER BY random()');
      expect(await publishTable(working, `extra${round % 2}`)).toBe('patch');
      await working.connection.run(`DROP TABLE raw.extra${round % 2}`);
      vi.setSystemTime(Date.now() + HOUR);
      const connection = await temporaryConnection(folder);
      const { published } = placeIn(folder);
      expect(await readWhole(connection, published)).toMatchObject({ one: 5000, two: 5000 });
      await verifyBlocks(published);
    }
  });
});

/** A process that has a file open. */
async function processWith(script: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

const STAY = `console.log('open'); setInterval(() => {}, 1000);`;

test.for<readonly [string, (folder: string) => Promise<unknown>]>([
  ['is gone', (folder) => rm(spareOf(folder))],
  ['has another name too', (folder) => link(spareOf(folder), join(folder, 'kept.duckdb'))],
  [
    'was written to, with its time put back',
    async (folder) => {
      const { atime, mtime } = await stat(spareOf(folder));
      await flipByte(spareOf(folder), 20_000);
      await utimes(spareOf(folder), atime, mtime);
    },
  ],
  [
    'is another warehouse',
    async (folder) => {
      const other = await temporaryFolder();
      await runOnce(other, 'theirs');
      await copyFile(placeIn(other).published, spareOf(folder));
    },
  ],
  ['has no note', (folder) => rm(noteOf(folder))],
  ['has a damaged note', async (folder) => flipByte(noteOf(folder), (await stat(noteOf(folder))).size - 20)],
  ['was published until now', async () => vi.setSystemTime(Date.now() - HOUR)],
  [
    'is open in another process, without a lock',
    (folder) =>
      processWith(`import fs from 'node:fs'; fs.openSync(${JSON.stringify(spareOf(folder))}); ${STAY}`),
  ],
  [
    'is read by DuckDB in another process',
    (folder) =>
      processWith(`const { DuckDBInstance } = await import(${JSON.stringify(DUCKDB)});
        globalThis.kept = await DuckDBInstance.create(${JSON.stringify(spareOf(folder))}, { access_mode: 'READ_ONLY' }); ${STAY}`),
  ],
  [
    'is open in this process',
    async (folder) => {
      const fd = openSync(spareOf(folder), 'r');
      onTestFinished(() => closeSync(fd));
    },
  ],
  [
    'is older than a working copy that another program wrote to',
    async (folder) => {
      const connection = await temporaryConnection(folder);
      await connection.run(`ATTACH '${join(placeIn(folder).stateDir, 'work.duckdb')}' AS other`);
      await connection.run('CREATE TABLE other.main.theirs AS SELECT 1 AS n');
      await connection.run('DETACH other');
    },
  ],
])('everything is copied if the spare file %s', async ([_what, change]) => {
  const folder = await twice();
  await change(folder);
  expect(await runOnce(folder, 'three')).toBe('whole');
  await expectPublished(folder, ['one', 'two', 'three']);
});

test('everything is copied after a program wrote to the published file, which then is not reused', async () => {
  const folder = await twice();
  const { published } = placeIn(folder);
  const handle = await open(published, 'r+');
  const { size } = await handle.stat();
  await handle.write(Buffer.from([0]), 0, 1, size);
  await handle.truncate(size);
  await handle.close();
  expect(await runOnce(folder, 'three')).toBe('patch');
  expect(existsSync(spareOf(folder))).toBe(false);
  vi.setSystemTime(Date.now() + HOUR);
  expect(await runOnce(folder, 'four')).toBe('whole');
  await expectPublished(folder, ['one', 'two', 'three', 'four']);
});

test('everything is copied to a warehouse on another file system, also after a move there', async ({
  skip,
}) => {
  const folder = await twice();
  const { published, stateDir } = placeIn(folder);
  const other = await mkdtemp('/dev/shm/crawlhouse-test-').catch(() => folder);
  onTestFinished(() => rm(other, { recursive: true, force: true }));
  if ((await stat(other)).dev === (await stat(folder)).dev)
    skip('/dev/shm is no file system of its own here');
  const warehouse = join(other, 'warehouse.duckdb');
  await copyFile(published, warehouse);
  for (const name of ['three', 'four']) {
    await using database = await openDatabase(folder);
    await using working = await WorkingCopy.open(
      database,
      { stateDir, warehouse, engine: IN_DUCKDB },
      silentLogger,
    );
    expect(await publishTable(working, name)).toBe('whole');
    vi.setSystemTime(Date.now() + HOUR);
  }
  expect(existsSync(spareOf(folder))).toBe(false);
  expect(await readdir(other)).toEqual(['warehouse.duckdb']);
  const rows = await readWhole(await temporaryConnection(folder), warehouse);
  expect(rows).toEqual({ one: 5000, two: 5000, three: 5000, four: 5000 });
});

test('everything is copied if nothing is published anymore', async () => {
  const folder = await twice();
  await rm(placeIn(folder).published);
  expect(await runOnce(folder, 'three')).toBe('whole');
  await expectPublished(folder, ['one', 'two', 'three']);
});

test('a restored working copy does not use the spare file', async () => {
  const folder = await twice();
  await writeFile(join(placeIn(folder).stateDir, 'work.duckdb'), 'garbage');
  await withWorking(folder, () => Promise.resolve(expect(existsSync(spareOf(folder))).toBe(false)));
  expect(await runOnce(folder, 'three')).toBe('whole');
  await expectPublished(folder, ['one', 'two', 'three']);
});

test('a damaged block of the working copy is found, whether it has changed or not', async () => {
  const folder = await twice();
  const work = join(placeIn(folder).stateDir, 'work.duckdb');
  const before = await readFile(placeIn(folder).published);
  await withWorking(folder, async (working) => {
    const { connection } = working;
    const block = await connection.scalar(
      `SELECT max(block_id) FROM pragma_storage_info('raw.one') WHERE column_name = 's' AND block_id >= 0`,
    );
    await flipByte(work, 3 * 4096 + Number(block) * 32_768 + 5000);
    await expect(publishTable(working, 'three')).rejects.toMatchObject({ code: 'damaged_warehouse' });
  });
  expect((await readFile(placeIn(folder).published)).equals(before)).toBe(true);
});
