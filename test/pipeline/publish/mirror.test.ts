import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, text } from '../../../src/core/duckdb/duckdb.ts';
import { DuckDbMirror } from '../../../src/engines/duckdb/duckdb-engine.ts';
import { mirror } from '../../../src/pipeline/publish/mirror.ts';
import { tableColumns } from '../../../src/state/catalogue/catalog.ts';
import { LocalStore } from '../../support/local-store.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const signal = new AbortController().signal;

async function scene() {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await connection.run('CREATE SCHEMA raw');
  await connection.run('CREATE SCHEMA mart');
  await connection.run(`CREATE TABLE raw.log_events AS SELECT * FROM (VALUES
    ('p', '2026-11-01', 'a', 9007199254740993), ('p', '2026-11-02', 'b', 2), ('p', '2026-11-02', NULL, 3)
  ) v (_source_id, _window, url, bytes)`);
  await connection.run(`CREATE TABLE raw.crawls (_source_id VARCHAR, id VARCHAR)`);
  await connection.run("INSERT INTO raw.crawls VALUES ('w', 'x')");
  await connection.run(`CREATE VIEW mart.totals AS SELECT sum(bytes)::BIGINT AS bytes FROM raw.log_events`);
  const bucket = join(folder, 'bucket');
  await mkdir(bucket);
  const store = new LocalStore({ folder: bucket });
  const run = async (tables: readonly string[], publication = 'p1') => {
    const columns = await tableColumns(connection, ['raw', 'mart']);
    const options = { store, prefix: 'm', tables, columns, publication, folder: join(folder, 'on the way') };
    return mirror(new DuckDbMirror(connection), options, signal);
  };
  return { connection, bucket, run };
}

const parquetFiles = async (bucket: string): Promise<string[]> =>
  (await readdir(bucket, { recursive: true })).filter((name) => name.endsWith('.parquet')).sort();

async function differing(connection: Connection, bucket: string): Promise<unknown> {
  const events = text(join(bucket, 'm/raw/log_events/*/*/*.parquet'));
  const read = `SELECT _source_id, _window::VARCHAR AS _window, url, bytes FROM read_parquet(${events}, hive_partitioning = true)`;
  return connection.rows(
    `(${read} EXCEPT ALL FROM raw.log_events) UNION ALL (FROM raw.log_events EXCEPT ALL ${read})`,
  );
}

const ALL = ['raw.log_events', 'raw.crawls', 'mart.totals'];

test('tables and views lie in the store as partitions that other engines read', async () => {
  const { connection, bucket, run } = await scene();
  expect(await run(ALL)).toEqual({ partitions: 4, uploaded: 4, removed: 0 });
  expect(await parquetFiles(bucket)).toEqual([
    'm/mart/totals/data.parquet',
    'm/raw/crawls/_source_id=w/data.parquet',
    'm/raw/log_events/_source_id=p/_window=2026-11-01/data.parquet',
    'm/raw/log_events/_source_id=p/_window=2026-11-02/data.parquet',
  ]);
  expect(await differing(connection, bucket)).toEqual([]);
});

test('only changed partitions are uploaded again, and removed ones are deleted', async () => {
  const { connection, bucket, run } = await scene();
  await run(ALL);
  const untouched = join(bucket, 'm/raw/log_events/_source_id=p/_window=2026-11-01/data.parquet');
  const before = await stat(untouched);
  expect(await run(ALL, 'p2')).toEqual({ partitions: 4, uploaded: 0, removed: 0 });
  await connection.run("DELETE FROM raw.log_events WHERE url = 'b'");
  await connection.run("DELETE FROM raw.crawls WHERE id = 'x'");
  expect(await run(ALL, 'p3')).toEqual({ partitions: 3, uploaded: 2, removed: 1 });
  expect(await differing(connection, bucket)).toEqual([]);
  expect((await stat(untouched)).mtimeMs).toEqual(before.mtimeMs);
  expect(await parquetFiles(bucket)).toHaveLength(3);
  const manifest = JSON.parse(await readFile(join(bucket, 'm/manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ version: 1, publication: 'p3' });
  expect(manifest.partitions).toHaveLength(3);
});

test('a table that is not there is a wrong setting, and nothing goes up', async () => {
  const { bucket, run } = await scene();
  await expect(run(['raw.log_events', 'mart.nothing'])).rejects.toMatchObject({
    code: 'bad_settings',
    message: 'mirror.tables: there is no mart.nothing in the warehouse',
  });
  expect(await parquetFiles(bucket).catch(() => [])).toEqual([]);
});

test('an object of somebody else in the place of the manifest is left alone', async () => {
  const { bucket, run } = await scene();
  await run(['raw.crawls']);
  await writeFile(join(bucket, 'm/manifest.json'), 'not ours');
  await expect(run(['raw.crawls'])).rejects.toMatchObject({ code: 'bad_settings' });
  expect(await readFile(join(bucket, 'm/manifest.json'), 'utf8')).toBe('not ours');
});
