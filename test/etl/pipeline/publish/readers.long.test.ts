import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { PublishedWarehouse } from '../../../../src/app/answers/query/query-warehouse.ts';
import { type Connection, text } from '../../../../src/core/duckdb/duckdb.ts';
import { toCrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../../../src/etl/engines/working-copy.ts';
import { loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import { IN_DUCKDB } from '../../../support/in-duckdb.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking, placeIn } from '../../engines/open-working.ts';
import { fields, makePackage } from '../load/make-package.ts';
import '../../../support/process-timeout.ts';

const { signal } = new AbortController();

/** Loads three units of two rows each, which all say `word`. */
async function loadAll(
  working: WorkingCopy,
  staging: Connection,
  folder: string,
  word: string,
): Promise<void> {
  for (const id of ['a', 'b', 'c']) {
    const rows = [{ url: word }, { url: word }];
    const made = await makePackage(staging, folder, { id, fields: fields('url'), rows });
    await loadPackage(working, await readPackage(made), { runId: 'r', schemaChange: 'evolve', signal });
  }
}

async function urlIn(path: string): Promise<unknown> {
  using open = await PublishedWarehouse.open({ warehouse: path, memoryLimit: '50MB', threads: 1 });
  const rows = await open.ask('SELECT DISTINCT url FROM raw.crawl_pages', signal, (result) => result.rows());
  return rows.flat();
}

test('twenty readers in two other processes see only complete publications while five publications happen', async () => {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  await loadAll(working, staging, folder, 'g0');
  await publish(working, silentLogger, signal);
  const program = join(import.meta.dirname, 'read-in-a-loop.ts');
  const readers = [1, 2].map(() =>
    spawn(process.execPath, [program, placeIn(folder).published], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  onTestFinished(() => {
    for (const reader of readers) reader.kill();
  });
  await Promise.all(readers.map((reader) => once(reader.stdout, 'data')));
  for (let n = 1; n <= 5; n++) {
    await loadAll(working, staging, folder, `g${n}`);
    await publish(working, silentLogger, signal);
  }
  for (const reader of readers) reader.stdin.end();
  for (const said of await Promise.all(readers.map((reader) => streamText(reader.stdout)))) {
    const { reads, seen, torn } = JSON.parse(said.trim().split('\n').at(-1) ?? '') as {
      reads: number;
      seen: string[];
      torn: string[];
    };
    expect(torn).toEqual([]);
    expect(reads).toBeGreaterThan(20);
    expect(seen.every((one) => /^g[0-5]$/.test(one))).toBe(true);
  }
  expect(await urlIn(placeIn(folder).published)).toEqual(['g5']);
});

test('a foreign .wal next to the published file is replayed neither by readers nor by publications', async () => {
  const folder = await temporaryFolder();
  const { published } = placeIn(folder);
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  await loadAll(working, staging, folder, 'true');
  await publish(working, silentLogger, signal);
  // A former state of the same file that somebody wrote to, and was killed.
  const other = join(folder, 'other.duckdb');
  const writer = await temporaryConnection(folder);
  await copyFile(published, other);
  await writer.run(`ATTACH ${text(other)} AS other`);
  await writer.run('PRAGMA disable_checkpoint_on_shutdown');
  await writer.run(`UPDATE other.raw.crawl_pages SET url = 'false'`);
  const wal = await readFile(`${other}.wal`);
  expect(wal.length).toBeGreaterThan(0);

  for (const stale of [wal, Buffer.from('garbage')]) {
    await writeFile(`${published}.wal`, stale);
    expect(await urlIn(published)).toEqual(['true']);
    await writeFile(`${published}.wal`, stale);
    await publish(working, silentLogger, signal);
    expect(existsSync(`${published}.wal`)).toBe(false);
    expect(await urlIn(published)).toEqual(['true']);
  }
});

test('a full disk during publication leaves the previous one, and the next publication succeeds', async ({
  skip,
}) => {
  const folder = await temporaryFolder();
  const small = join(folder, 'small');
  await mkdir(small);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=5m', 'tmpfs', small]).status !== 0)
    skip('a small disk cannot be mounted here');
  onTestFinished(() => void spawnSync('umount', ['-l', small]));
  const database = await openDatabase(folder);
  const published = join(small, 'warehouse.duckdb');
  const working = await WorkingCopy.open(
    database,
    { stateDir: placeIn(folder).stateDir, warehouse: published, engine: IN_DUCKDB },
    silentLogger,
  );
  onTestFinished(() => working[Symbol.asyncDispose]());
  const staging = await database.connect();
  await loadAll(working, staging, folder, 'former');
  await publish(working, silentLogger, signal);
  await loadAll(working, staging, folder, 'next');
  await working.connection.run('CREATE TABLE mart.big AS SELECT md5(random()::VARCHAR) FROM range(300000)');
  const thrown = await publish(working, silentLogger, signal).catch((error: unknown) => error);
  expect(toCrawlhouseError(thrown).code).toBe('disk');
  expect(await readdir(small)).toEqual(['warehouse.duckdb']);
  expect(await urlIn(published)).toEqual(['former']);
  expect(await working.publication()).toMatchObject({ dirty: true });
  spawnSync('mount', ['-o', 'remount,size=80m', small]);
  await publish(working, silentLogger, signal);
  expect(await urlIn(published)).toEqual(['next']);
});
