import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Connection, text } from '../../../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../../../src/core/duckdb/table-columns.ts';
import { findObject } from '../../../../src/core/stores/list-objects.ts';
import { DuckDbMirror } from '../../../../src/etl/engines/duckdb/duckdb-engine.ts';
import { compareMirror, mirror } from '../../../../src/etl/pipeline/publish/mirror.ts';
import { LocalStore } from '../../../support/local-store.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

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
  await connection.run("INSERT INTO raw.crawls VALUES ('w', 'x'), ('w2', 'y')");
  await connection.run("CREATE TABLE mart.crawls AS SELECT unnest(['x', 'y', NULL]) AS crawl_id");
  await connection.run(`CREATE VIEW mart.totals AS SELECT sum(bytes)::BIGINT AS bytes FROM raw.log_events`);
  const bucket = join(folder, 'bucket');
  await mkdir(bucket);
  const store = new LocalStore({ folder: bucket });
  const options = async (tables: readonly string[], publication: string, full: boolean) => {
    const columns = await tableColumns(connection, ['raw', 'mart']);
    const format = { format: 'parquet', snapshots: 1 } as const;
    return {
      store,
      prefix: 'm',
      tables,
      columns,
      publication,
      full,
      ...format,
      folder: join(folder, 'on the way'),
    };
  };
  const source = new DuckDbMirror(connection);
  return {
    connection,
    bucket,
    run: async (tables: readonly string[], publication = 'p1', full = false) =>
      mirror(source, await options(tables, publication, full), signal),
    compare: async (tables: readonly string[], full = false) =>
      compareMirror({ mirror: source, connection }, await options(tables, 'p1', full), signal),
  };
}

/** Size and version of an object, as a manifest notes them. */
async function listed(bucket: string, key: string) {
  const object = await findObject(new LocalStore({ folder: bucket }), key, signal);
  return { bytes: object?.size, version: object?.version };
}

const parquetFiles = async (bucket: string): Promise<string[]> =>
  (await readdir(bucket, { recursive: true })).filter((name) => name.endsWith('.parquet')).sort();

async function differing(connection: Connection, bucket: string): Promise<unknown> {
  const events = text(join(bucket, 'm/raw/log_events/*/*/*.parquet'));
  const read = `SELECT _source_id, _window, url, bytes FROM read_parquet(${events}, hive_partitioning = true)`;
  return connection.rows(
    `(${read} EXCEPT ALL FROM raw.log_events) UNION ALL (FROM raw.log_events EXCEPT ALL ${read})`,
  );
}

const ALL = ['raw.log_events', 'mart.crawls', 'mart.totals'];

test('tables and views are stored as partitions that other engines read', async () => {
  const { connection, bucket, run } = await scene();
  expect(await run(ALL)).toEqual({ partitions: 4, rows: 7, uploaded: 4, removed: 0 });
  expect(await parquetFiles(bucket)).toEqual([
    // A row a crawl: one file.
    'm/mart/crawls/data.parquet',
    'm/mart/totals/data.parquet',
    'm/raw/log_events/source_id=p/window=2026-11-01/data.parquet',
    'm/raw/log_events/source_id=p/window=2026-11-02/data.parquet',
  ]);
  expect(await differing(connection, bucket)).toEqual([]);
});

test('only changed partitions are uploaded again, and removed ones are deleted', async () => {
  const { connection, bucket, run } = await scene();
  await run(ALL);
  const untouched = join(bucket, 'm/mart/crawls/data.parquet');
  const before = await stat(untouched);
  expect(await run(ALL, 'p2')).toEqual({ partitions: 4, rows: 7, uploaded: 0, removed: 0 });
  await connection.run("DELETE FROM raw.log_events WHERE url IS DISTINCT FROM 'a'");
  await connection.run(
    "INSERT INTO raw.log_events VALUES ('p', '2026-11-03', 'c', 1), ('p', '2026-11-01', 'd', 1)",
  );
  expect(await run(ALL, 'p3')).toEqual({ partitions: 4, rows: 7, uploaded: 3, removed: 1 });
  expect(await differing(connection, bucket)).toEqual([]);
  expect((await stat(untouched)).mtimeMs).toEqual(before.mtimeMs);
  expect(await parquetFiles(bucket)).toHaveLength(4);
  const manifest = JSON.parse(await readFile(join(bucket, 'm/manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ version: 2, publication: 'p3' });
  expect(manifest.partitions).toHaveLength(4);
});

test('a model with hardly more rows than crawls is one file, even if one crawl has several rows', async () => {
  const { connection, bucket, run } = await scene();
  await connection.run("INSERT INTO mart.crawls VALUES ('x'), ('x')");
  expect(await run(['mart.crawls'])).toMatchObject({ partitions: 1, rows: 5 });
  expect(await parquetFiles(bucket)).toEqual(['m/mart/crawls/data.parquet']);
  await connection.run("INSERT INTO mart.crawls VALUES ('x')");
  expect(await run(['mart.crawls'])).toMatchObject({ partitions: 3, rows: 6, removed: 1 });
});

test('an empty table is one file without rows', async () => {
  const { connection, bucket, run } = await scene();
  await connection.run('DELETE FROM raw.log_events');
  expect(await run(['raw.log_events'])).toEqual({ partitions: 1, rows: 0, uploaded: 1, removed: 0 });
  const file = text(join(bucket, 'm/raw/log_events/data.parquet'));
  expect(await connection.rows(`DESCRIBE FROM read_parquet(${file})`)).toHaveLength(4);
});

const FIRST = 'm/raw/log_events/source_id=p/window=2026-11-01/data.parquet';
const SECOND = 'm/raw/log_events/source_id=p/window=2026-11-02/data.parquet';

test.each([
  ['removes an object', 'missing', FIRST, (bucket: string) => rm(join(bucket, FIRST))],
  ['writes over one', 'changed', FIRST, (bucket: string) => cp(join(bucket, SECOND), join(bucket, FIRST))],
  [
    'adds one',
    'foreign',
    'm/raw/log_events/part-0.parquet',
    (bucket: string) => cp(join(bucket, FIRST), join(bucket, 'm/raw/log_events/part-0.parquet')),
  ],
] as const)(
  'if a user %s, a comparison reports it, and the next copy repairs it',
  async (_what, problem, object, harm) => {
    const { connection, bucket, run, compare } = await scene();
    await run(ALL);
    expect((await compare(ALL)).differences).toEqual([]);
    await harm(bucket);
    expect((await compare(ALL)).differences).toMatchObject([{ object, problem }]);
    await run(ALL);
    expect((await compare(ALL)).differences).toEqual([]);
    expect(await differing(connection, bucket)).toEqual([]);
  },
);

test('an object that lost rows before it was listed is found by its footer', async () => {
  const { bucket, run, compare } = await scene();
  await run(ALL);
  await cp(join(bucket, SECOND), join(bucket, FIRST));
  const path = join(bucket, 'm/manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  for (const one of manifest.partitions.filter(({ object }: { object: string }) => object === FIRST))
    Object.assign(one, await listed(bucket, FIRST));
  await writeFile(path, JSON.stringify(manifest));
  expect((await compare(ALL)).differences).toEqual([{ object: FIRST, problem: 'damaged', rows: 1 }]);
});

test('with --full, verify reads the values, and a mirror copies everything', async () => {
  const { bucket, run, compare } = await scene();
  await run(ALL);
  const whole = await readFile(join(bucket, SECOND));
  // A byte of the first page.
  whole.writeUInt8(whole.readUInt8(40) ^ 0xff, 40);
  await writeFile(join(bucket, SECOND), whole);
  const path = join(bucket, 'm/manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  for (const one of manifest.partitions.filter(({ object }: { object: string }) => object === SECOND))
    Object.assign(one, await listed(bucket, SECOND));
  await writeFile(path, JSON.stringify(manifest));
  expect((await compare(ALL)).differences).toEqual([]);
  expect((await compare(ALL, true)).differences).toMatchObject([{ object: SECOND, problem: 'damaged' }]);
  expect(await run(ALL, 'p1', true)).toMatchObject({ uploaded: 4 });
  expect((await compare(ALL, true)).differences).toEqual([]);
});

test('a mirror in the previous layout is moved once', async () => {
  const { connection, bucket, run } = await scene();
  await run(ALL);
  const old = 'm/raw/log_events/_source_id=p/_window=2026-11-01/data.parquet';
  await cp(join(bucket, FIRST), join(bucket, old));
  await rm(join(bucket, 'm/raw/log_events/source_id=p'), { recursive: true });
  const partitions = [
    { table: 'raw.log_events', key: [['_source_id', 'p']], rows: 1, fingerprint: '1', object: old },
  ];
  await writeFile(
    join(bucket, 'm/manifest.json'),
    JSON.stringify({ version: 1, publication: 'p0', partitions }),
  );
  expect(await run(ALL)).toMatchObject({ uploaded: 4, removed: 1 });
  expect(await parquetFiles(bucket)).toHaveLength(4);
  expect(await differing(connection, bucket)).toEqual([]);
  expect(await run(ALL)).toMatchObject({ uploaded: 0, removed: 0 });
});

test('a missing table is a configuration error, and nothing is uploaded', async () => {
  const { bucket, run } = await scene();
  await expect(run(['raw.log_events', 'mart.nothing'])).rejects.toMatchObject({
    code: 'bad_settings',
    message: 'mirror.tables: there is no mart.nothing in the warehouse',
  });
  expect(await parquetFiles(bucket).catch(() => [])).toEqual([]);
});

test('a foreign object in place of the manifest stays unchanged', async () => {
  const { bucket, run } = await scene();
  await run(['raw.crawls']);
  await writeFile(join(bucket, 'm/manifest.json'), 'not ours');
  await expect(run(['raw.crawls'])).rejects.toMatchObject({ code: 'bad_settings' });
  expect(await readFile(join(bucket, 'm/manifest.json'), 'utf8')).toBe('not ours');
});

test('a manifest that names folders outside of the mirror is refused without touching them, and false marks only cause a copy', async () => {
  const { bucket, run, compare } = await scene();
  await run(['raw.crawls']);
  const path = join(bucket, 'm/manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  const others = ['m/backup/copy.parquet', 'other/raw/crawls/data.parquet', 'm/raw/crawls2/data.parquet'];
  for (const key of others) {
    await mkdir(join(bucket, key, '..'), { recursive: true });
    await writeFile(join(bucket, key), 'of somebody else');
  }
  const [first] = manifest.partitions;
  const write = (more: object) => writeFile(path, JSON.stringify({ ...manifest, ...more }));
  const tables = ['backup', '', '.', '..', 'raw', 'raw.', 'raw..', 'raw.../..', '../other.raw', 'ops.loads'];
  for (const table of tables) {
    const objects = [{ object: first.object }];
    for (const more of [
      { partitions: [...manifest.partitions, { ...first, table }] },
      { tables: [{ version: 1, table, objects }] },
    ]) {
      await write(more);
      await expect(run(['raw.crawls'], 'p2'), table).rejects.toMatchObject({ code: 'bad_settings' });
      await expect(compare(['raw.crawls'])).rejects.toMatchObject({ code: 'bad_settings' });
    }
  }
  for (const lie of [
    ...[...others, '/etc/passwd', '../m/raw/crawls/x', first.object].map((object) => ({ object })),
    { rows: -1 },
    { rows: 1e15 },
    { fingerprint: '' },
    { bytes: 0 },
    { version: '' },
    { key: [] },
  ]) {
    await write({ partitions: [{ ...first, ...lie }] });
    await run(['raw.crawls'], 'p3');
    expect([lie, (await compare(['raw.crawls'], true)).differences]).toEqual([lie, []]);
  }
  for (const key of others) expect(await readFile(join(bucket, key), 'utf8')).toBe('of somebody else');
});
