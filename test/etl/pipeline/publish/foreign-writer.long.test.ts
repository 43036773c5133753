import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PublishedWarehouse } from '../../../../src/app/answers/query/query-warehouse.ts';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import { createLogger, silentLogger } from '../../../../src/core/logs/logger.ts';
import { WorkingCopy } from '../../../../src/etl/engines/working-copy.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import { readPublication } from '../../../../src/etl/state/catalog/published/read-publication.ts';
import { IN_DUCKDB } from '../../../support/in-duckdb.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, placeIn } from '../../engines/open-working.ts';
import '../../../support/process-timeout.ts';

const signal = new AbortController().signal;
const DUCKDB = import.meta.resolve('@duckdb/node-api');

/** Notes a name in the working copy and publishes it; what was said on the way. */
async function publishNote(
  folder: string,
  name: string,
  warehouse = placeIn(folder).published,
): Promise<string[]> {
  const said: string[] = [];
  const logger = createLogger('warn', (line) => void said.push(line));
  await using database = await openDatabase(folder);
  await using working = await WorkingCopy.open(
    database,
    { stateDir: placeIn(folder).stateDir, warehouse, engine: IN_DUCKDB },
    logger,
  );
  await working.connection.run(`CREATE TABLE raw.${name} (n INTEGER)`);
  await working.markDirty();
  await publish(working, logger, signal);
  return said;
}

/** A program of somebody else's that has the file open for writing, with a row that is in its log only. */
async function foreignWriter(file: string): Promise<ChildProcess> {
  const script = `
    const { DuckDBInstance } = await import(${JSON.stringify(DUCKDB)});
    const connection = await (await DuckDBInstance.create(${JSON.stringify(file)})).connect();
    await connection.run('CREATE TABLE main.theirs AS SELECT 42 AS n');
    console.log('open');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function tablesOf(folder: string, file: string): Promise<string[]> {
  const connection = await temporaryConnection(folder);
  await connection.run(`ATTACH ${text(file)} AS seen (READ_ONLY)`);
  const rows = await connection.rows(
    `SELECT table_name FROM duckdb_tables() WHERE database_name = 'seen' AND schema_name IN ('raw', 'main') ORDER BY 1`,
  );
  await connection.run('DETACH seen');
  return rows.map((row) => String(row.table_name));
}

async function keptIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.includes('.changed-')).sort();
}

test('a warehouse that another program has open for writing is replaced, and its changes are kept', async () => {
  const folder = await temporaryFolder();
  const { published } = placeIn(folder);
  await publishNote(folder, 'first');
  const writer = await foreignWriter(published);
  const said = await publishNote(folder, 'second');
  expect(said[0]).toContain('the published warehouse is replaced anyway');
  expect(said[0]).toContain(`${published} is open for writing in node (process ${writer.pid})`);
  expect(said.at(-1)).toContain(
    'another program wrote to the published warehouse; its file is kept under another name',
  );
  expect(await tablesOf(folder, published)).toEqual(['first', 'second']);
  await end(writer);
  expect(existsSync(`${published}.wal`)).toBe(false);
  const [kept = '', wal] = await keptIn(folder);
  expect(wal).toBe(`${kept}.wal`);
  expect(await tablesOf(folder, join(folder, kept))).toEqual(['first', 'theirs']);
  expect(await publishNote(folder, 'third')).toEqual([]);
});

test('while another program writes, readers are told its name', async () => {
  const folder = await temporaryFolder();
  const { published } = placeIn(folder);
  await publishNote(folder, 'first');
  const writer = await foreignWriter(published);
  const connection = await temporaryConnection(folder);
  await expect(readPublication(connection, published)).rejects.toMatchObject({
    code: 'locked',
    message: `${published} is open for writing in node (process ${writer.pid})`,
  });
  const options = { warehouse: published, memoryLimit: '100MB', threads: 1 };
  await expect(PublishedWarehouse.open(options)).rejects.toMatchObject({
    code: 'locked',
    message: `${published} is open for writing in node (process ${writer.pid})`,
  });
  expect(existsSync(`${published}.wal`)).toBe(true);
});

test('a log with commits of a killed program is kept with its file, and never replayed', async () => {
  const folder = await temporaryFolder();
  const { published } = placeIn(folder);
  await publishNote(folder, 'first');
  await end(await foreignWriter(published));
  const connection = await temporaryConnection(folder);
  await readPublication(connection, published);
  expect(await tablesOf(folder, published)).toEqual(['first']);
  const [kept = ''] = await keptIn(folder);
  expect(await tablesOf(folder, join(folder, kept))).toEqual(['first', 'theirs']);
});

test.for([
  ['garbage', 'this is no log '.repeat(100), 2],
  ['empty', '', 0],
] as const)('a log that is %s does not block a publication', async ([_what, content, count]) => {
  const folder = await temporaryFolder();
  const { published } = placeIn(folder);
  await publishNote(folder, 'first');
  await writeFile(`${published}.wal`, content);
  await publishNote(folder, 'second');
  expect(await tablesOf(folder, published)).toEqual(['first', 'second']);
  expect(await keptIn(folder)).toHaveLength(count);
});

test.for([
  ['a file', true],
  ['nothing yet', false],
] as const)('a symbolic link to %s stays a link, and its target is published', async ([_what, isThere]) => {
  const folder = await temporaryFolder();
  const elsewhere = join(folder, 'other', 'disk');
  await mkdir(elsewhere, { recursive: true });
  const { published } = placeIn(folder);
  if (isThere) {
    await publishNote(folder, 'zeroth');
    await rename(published, join(elsewhere, 'real.duckdb'));
  }
  await symlink(join('other', 'disk', 'real.duckdb'), published);
  await publishNote(folder, 'first');
  await publishNote(folder, 'second');
  expect((await lstat(published)).isSymbolicLink()).toBe(true);
  expect(await readlink(published)).toBe(join('other', 'disk', 'real.duckdb'));
  const tables = isThere ? ['first', 'second', 'zeroth'] : ['first', 'second'];
  expect(await tablesOf(folder, join(elsewhere, 'real.duckdb'))).toEqual(tables);
  expect(await readdir(elsewhere)).toEqual(['real.duckdb']);
});

test('the previous publication is restored if the new one is incomplete, and removed if it is complete', async () => {
  const folder = await temporaryFolder();
  const { published, stateDir } = placeIn(folder);
  await publishNote(folder, 'first');
  const whole = await readFile(published);
  const open = async (): Promise<void> => {
    await using database = await openDatabase(folder);
    await using _working = await WorkingCopy.open(
      database,
      { stateDir, warehouse: published, engine: IN_DUCKDB },
      silentLogger,
    );
  };
  await writeFile(`${published}.some-id.former`, whole);
  await open();
  expect(existsSync(`${published}.some-id.former`)).toBe(false);
  await writeFile(`${published}.some-id.former`, whole);
  await writeFile(published, whole.subarray(0, 5000));
  await open();
  expect((await readFile(published)).equals(whole)).toBe(true);
  expect((await readdir(folder)).filter((name) => name.includes('former'))).toEqual([]);
});
