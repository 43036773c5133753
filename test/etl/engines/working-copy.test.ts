import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { publish } from '../../../src/etl/pipeline/publish/publish.ts';
import { WAREHOUSE_VERSION } from '../../../src/etl/state/catalog/schema.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';
import { toVersion9 } from '../../support/to-version-9.ts';
import { openWorking, placeIn, withWorking } from './open-working.ts';

const signal = new AbortController().signal;

/** Puts a note into a folder's working copy; publishes it when asked to. */
async function note(folder: string, name: string, published: boolean): Promise<void> {
  await withWorking(folder, async (working) => {
    await working.connection.run(`CREATE TABLE raw.${name} (n INTEGER)`);
    await working.markDirty();
    if (published) await publish(working, silentLogger, signal);
  });
}

async function notes(folder: string): Promise<string[]> {
  return withWorking(folder, async ({ connection }) => {
    const rows = await connection.rows(
      "SELECT table_name FROM duckdb_tables() WHERE database_name = 'warehouse' AND schema_name = 'raw'",
    );
    return rows.map((row) => String(row.table_name)).sort();
  });
}

test('a new warehouse has its schemas and tables, is not dirty and not published', async () => {
  const folder = await temporaryFolder();
  const working = await openWorking(folder);
  expect(await working.publication()).toEqual({
    id: null,
    base_id: null,
    dirty: false,
    version: WAREHOUSE_VERSION,
  });
  const tables = await working.connection.rows(
    "SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE database_name = 'warehouse' ORDER BY 1",
  );
  expect(tables.map((row) => row.name)).toEqual([
    'ops.holds',
    'ops.listed',
    'ops.lists',
    'ops.loads',
    'ops.model_partitions',
    'ops.models',
    'ops.pointers',
    'ops.publication',
    'ops.rejects',
    'ops.runs',
    'ops.schema_changes',
    'ops.test_results',
    'ops.tombstones',
    'ops.unit_fields',
    'ops.units',
  ]);
  expect(existsSync(placeIn(folder).published)).toBe(false);
});

test('unpublished rows remain when the working copy is reopened', async () => {
  const folder = await temporaryFolder();
  await note(folder, 'first', true);
  await note(folder, 'second', false);
  expect(await notes(folder)).toEqual(['first', 'second']);
});

test('without a state directory, the working copy is restored from the published warehouse', async () => {
  const folder = await temporaryFolder();
  await note(folder, 'first', true);
  await rm(placeIn(folder).stateDir, { recursive: true });
  expect(await notes(folder)).toEqual(['first']);
});

test('a working copy of another publication is replaced with the published one', async () => {
  const folder = await temporaryFolder();
  const other = await temporaryFolder();
  await note(folder, 'ours', true);
  await note(other, 'theirs', true);
  await copyFile(placeIn(other).published, placeIn(folder).published);
  expect(await notes(folder)).toEqual(['theirs']);
});

test('a working copy older than the last publication is replaced', async () => {
  const folder = await temporaryFolder();
  const { stateDir } = placeIn(folder);
  await note(folder, 'first', true);
  await copyFile(join(stateDir, 'work.duckdb'), join(folder, 'old.duckdb'));
  await note(folder, 'second', true);
  await copyFile(join(folder, 'old.duckdb'), join(stateDir, 'work.duckdb'));
  expect(await notes(folder)).toEqual(['first', 'second']);
});

test.for([
  ['no DuckDB file at all', 'this is no DuckDB file'],
  ['an empty file', ''],
] as const)('a working file that is %s is replaced', async ([_what, content]) => {
  const folder = await temporaryFolder();
  await note(folder, 'first', true);
  await writeFile(join(placeIn(folder).stateDir, 'work.duckdb'), content);
  expect(await notes(folder)).toEqual(['first']);
});

test('an incomplete copy of a killed process is not used as the working copy', async () => {
  const folder = await temporaryFolder();
  const { stateDir, published } = placeIn(folder);
  await note(folder, 'first', true);
  await rm(stateDir, { recursive: true });
  await mkdir(stateDir);
  const whole = await readFile(published);
  await writeFile(join(stateDir, 'work.duckdb.new'), whole.subarray(0, whole.length / 2));
  expect(await notes(folder)).toEqual(['first']);
  expect(existsSync(join(stateDir, 'work.duckdb.new'))).toBe(false);
});

test('a published file that is not a DuckDB file is named and stays unchanged', async () => {
  const folder = await temporaryFolder();
  const { published } = placeIn(folder);
  await writeFile(published, 'something of the user');
  await expect(openWorking(folder)).rejects.toMatchObject({
    code: 'bad_settings',
    message: `${published} is not a readable DuckDB file`,
    hint: expect.stringContaining('warehouse'),
  });
  expect(await readFile(published, 'utf8')).toBe('something of the user');
});

test('a foreign DuckDB file is refused and stays unchanged', async () => {
  const folder = await temporaryFolder();
  const { published } = placeIn(folder);
  const connection = await temporaryConnection(folder);
  await connection.run(`ATTACH ${text(published)} AS other`);
  await connection.run('CREATE TABLE other.mine AS SELECT 1 AS n');
  await connection.run('DETACH other');
  const before = await readFile(published);
  await expect(openWorking(folder)).rejects.toMatchObject({
    code: 'bad_settings',
    message: `${published} is not a warehouse of crawlhouse`,
  });
  expect((await readFile(published)).equals(before)).toBe(true);
});

test('a warehouse of a newer crawlhouse is refused', async () => {
  const folder = await temporaryFolder();
  await withWorking(folder, async (working) => {
    await working.connection.run('UPDATE ops.publication SET version = 99');
    await publish(working, silentLogger, signal);
  });
  await expect(openWorking(folder)).rejects.toMatchObject({
    code: 'newer_version',
    message: expect.stringContaining('was written by a newer crawlhouse (warehouse version 99;'),
  });
});

test('a warehouse of an earlier version opens and is migrated', async () => {
  const folder = await temporaryFolder();
  await withWorking(folder, async (working) => {
    const { connection } = working;
    await connection.run("INSERT INTO ops.loads (unit, loaded, queryable) VALUES ('crawl_pages/c1', 1, 1)");
    await toVersion9(connection);
    await connection.run('ALTER TABLE ops.loads DROP COLUMN reason');
    await connection.run("INSERT INTO ops.runs (run_id, status) VALUES ('r1', 'made room'), ('r2', 'done')");
    await connection.run('UPDATE ops.publication SET version = 1, dirty = true');
    await connection.run('CREATE TABLE raw.first (n INTEGER)');
    await connection.run('DELETE FROM ops.loads');
    await publish(working, silentLogger, signal);
  });
  const before = await readFile(placeIn(folder).published);
  await rm(placeIn(folder).stateDir, { recursive: true });
  await withWorking(folder, async ({ connection }) => {
    expect(await connection.scalar('SELECT version FROM ops.publication')).toBe(WAREHOUSE_VERSION);
    expect(
      await connection.scalar(
        "SELECT count(*) FROM duckdb_columns() WHERE table_name = 'loads' AND column_name = 'reason'",
      ),
    ).toBe(1n);
    expect(await connection.rows('SELECT run_id, status FROM ops.runs ORDER BY run_id')).toEqual([
      { run_id: 'r1', status: 'yielded' },
      { run_id: 'r2', status: 'done' },
    ]);
  });
  expect(await notes(folder)).toEqual(['first']);
  await note(folder, 'second', true);
  const kept = (await readdir(folder)).filter((name) => name.includes('.v1-'));
  expect(kept).toEqual([expect.stringMatching(/^warehouse\.v1-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.duckdb$/)]);
  expect((await readFile(join(folder, kept[0] ?? ''))).equals(before)).toBe(true);
});

test('the tables of models are part of the schema, and an earlier warehouse gets missing columns', async () => {
  const folder = await temporaryFolder();
  await withWorking(folder, async ({ connection }) => {
    await connection.run('ALTER TABLE ops.models DROP COLUMN looked_at');
    await connection.run("INSERT INTO ops.models (name, rows) VALUES ('mart.pages', 7)");
    await toVersion9(connection);
    await connection.run('DROP TABLE ops.model_pieces');
    await connection.run('UPDATE ops.publication SET version = 8');
  });
  await withWorking(folder, async ({ connection }) => {
    expect(await connection.rows('SELECT name, rows, definition, looked_at FROM ops.models')).toEqual([
      { name: 'mart.pages', rows: 7n, definition: null, looked_at: null },
    ]);
    expect(await connection.scalar('SELECT count(*) FROM ops.model_partitions')).toBe(0n);
  });
});

test('a warehouse of version 9 keeps its partitions and pinned units under their new names', async () => {
  const folder = await temporaryFolder();
  await withWorking(folder, async ({ connection }) => {
    await toVersion9(connection);
    await connection.run(
      "INSERT INTO ops.loads (unit, kept) VALUES ('crawl_pages/c1', true), ('crawl_pages/c2', NULL)",
    );
    await connection.run(`INSERT INTO ops.model_pieces VALUES ('mart.pages', '["c1"]', 's', true)`);
  });
  await withWorking(folder, async ({ connection }) => {
    expect(await connection.scalar('SELECT version FROM ops.publication')).toBe(WAREHOUSE_VERSION);
    expect(await connection.rows('SELECT unit, pinned FROM ops.loads ORDER BY unit')).toEqual([
      { unit: 'crawl_pages/c1', pinned: true },
      { unit: 'crawl_pages/c2', pinned: null },
    ]);
    expect(await connection.rows('FROM ops.model_partitions')).toEqual([
      { model: 'mart.pages', partition_key: '["c1"]', stamp: 's', tested: true, load_id: null },
    ]);
    expect(
      await connection.scalar("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'model_pieces'"),
    ).toBe(0n);
  });
});

test('a write-ahead log left by a crash next to the published file does no harm', async () => {
  const folder = await temporaryFolder();
  const { published, stateDir } = placeIn(folder);
  await note(folder, 'first', true);
  await writeFile(`${published}.wal`, 'left by a crash');
  await rm(stateDir, { recursive: true });
  expect(await notes(folder)).toEqual(['first']);
  expect(existsSync(`${published}.wal`)).toBe(false);
  await writeFile(`${published}.wal`, 'left by a crash');
  await note(folder, 'second', true);
  expect(existsSync(`${published}.wal`)).toBe(false);
  expect(await notes(folder)).toEqual(['first', 'second']);
});

test('after large loads, the file is reopened once, with all its content', async () => {
  const working = await openWorking(await temporaryFolder());
  const attach = vi.spyOn(working, 'attach');
  await working.connection.run('CREATE TABLE raw.pages AS SELECT i FROM range(10) AS t(i)');
  working.noteLoaded(49_000_000);
  await working.releaseMemory();
  expect(attach).not.toHaveBeenCalled();
  working.noteLoaded(1_000_000);
  await working.releaseMemory();
  await working.releaseMemory();
  expect(attach).toHaveBeenCalledTimes(1);
  expect(await working.connection.scalar('SELECT count(*) FROM raw.pages')).toBe(10n);
});

test('a file that could not be reopened is opened by the next load', async () => {
  const working = await openWorking(await temporaryFolder());
  const attach = vi.spyOn(working, 'attach').mockRejectedValueOnce(new Error('IO Error: in use'));
  working.noteLoaded(1e9);
  await expect(working.releaseMemory()).rejects.toThrow('in use');
  await working.releaseMemory();
  expect(attach).toHaveBeenCalledTimes(2);
  expect((await working.publication()).dirty).toBe(false);
});
