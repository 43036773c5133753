import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import avro from 'avsc';
import { expect, test } from 'vitest';
import { type Connection, text } from '../../../../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../../../../src/core/duckdb/table-columns.ts';
import { DuckDbMirror } from '../../../../../src/etl/engines/duckdb/duckdb-engine.ts';
import { compareMirror, mirror } from '../../../../../src/etl/pipeline/publish/mirror.ts';
import { examineMirror } from '../../../../../src/etl/pipeline/publish/mirror-objects.ts';
import { LocalStore } from '../../../../support/local-store.ts';
import { sampleOf } from '../../../../support/runs.ts';
import { temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';

// Whether other readers read these tables: test/integration/mirror-iceberg.test.ts.

const signal = new AbortController().signal;
const EVENTS = 'raw.log_events';

async function scene() {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await connection.run('CREATE SCHEMA raw');
  await connection.run('CREATE SCHEMA mart');
  await connection.run(`CREATE TABLE ${EVENTS} AS SELECT * FROM (VALUES
    ('p', '2026-11-01', 'a', 9007199254740993), ('p', '2026-11-02', 'b', 2), ('p', '2026-11-02', NULL, 3)
  ) v (_source_id, _window, url, bytes)`);
  await connection.run("CREATE TABLE mart.crawls AS SELECT unnest(['x', 'y', NULL]) AS crawl_id");
  const bucket = join(folder, 'bucket');
  await mkdir(bucket);
  const place = { store: new LocalStore({ folder: bucket }), prefix: 'm' };
  const source = new DuckDbMirror(connection);
  const options = async (more: object) => ({
    ...place,
    tables: [EVENTS, 'mart.crawls'],
    publication: 'p',
    folder: join(folder, 'on the way'),
    columns: await tableColumns(connection, ['raw', 'mart']),
    format: 'iceberg' as const,
    snapshots: 2,
    ...more,
  });
  return {
    connection,
    bucket,
    place,
    run: async (more: object = {}) => mirror(source, await options(more), signal),
    compare: async (more: object = {}) =>
      (await compareMirror({ mirror: source, connection }, await options(more), signal)).differences,
  };
}

const objectsOf = async (bucket: string): Promise<string[]> =>
  (await readdir(bucket, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.uploads'))
    .map((entry) => join(entry.parentPath, entry.name).slice(bucket.length + 1))
    .sort();

interface Entry {
  readonly status: number;
  readonly data_file: { readonly file_path: string; readonly lower_bounds: { value: Buffer }[] | null };
}

function decoded<T>(url: string): Promise<T[]> {
  return Array.fromAsync(avro.createFileDecoder(url.replace('file://', '')) as AsyncIterable<T>);
}

/** The entries of a table's current snapshot. */
async function entriesOf(bucket: string, table: string): Promise<Entry[]> {
  const metadata = join(bucket, 'm', table, 'metadata');
  const version = await readFile(join(metadata, 'version-hint.text'), 'utf8');
  const { snapshots, 'current-snapshot-id': id } = JSON.parse(
    await readFile(join(metadata, `v${version}.metadata.json`), 'utf8'),
  );
  const current = snapshots.find((one: { 'snapshot-id': number }) => one['snapshot-id'] === id);
  const [list] = await decoded<{ manifest_path: string }>(current['manifest-list']);
  return decoded<Entry>(list?.manifest_path ?? '');
}

async function differing(connection: Connection, bucket: string): Promise<unknown> {
  const files = (await entriesOf(bucket, 'raw/log_events')).filter(({ status }) => status < 2);
  const paths = files.map(({ data_file: { file_path: url } }) => text(url.replace('file://', '')));
  const read = `FROM read_parquet([${paths.join(', ')}])`;
  return connection.rows(`(${read} EXCEPT ALL FROM ${EVENTS}) UNION ALL (FROM ${EVENTS} EXCEPT ALL ${read})`);
}

test('an Iceberg table consists of data files and metadata; a publication without changes writes neither', async () => {
  const { connection, bucket, run, compare } = await scene();
  expect(await run()).toEqual({ partitions: 3, rows: 6, uploaded: 3, removed: 0 });
  const files = (await objectsOf(bucket)).map((key) => key.replaceAll(/[0-9a-f-]{36}|\d{9,}/g, 'ID'));
  expect(files).toEqual([
    'm/manifest.json',
    ...['mart/crawls', 'raw/log_events'].flatMap((table) => [
      ...Array.from({ length: table === 'mart/crawls' ? 1 : 2 }, () => `m/${table}/data/ID.parquet`),
      ...['ID-m0.avro', 'snap-ID.avro', 'v1.metadata.json', 'v1.state.json', 'version-hint.text'].map(
        (name) => `m/${table}/metadata/${name}`,
      ),
    ]),
  ]);
  expect(await differing(connection, bucket)).toEqual([]);
  const before = await objectsOf(bucket);
  expect(await run()).toMatchObject({ uploaded: 0, removed: 0 });
  expect(await objectsOf(bucket)).toEqual(before);
  expect(await compare()).toEqual([]);
});

test('a file lists the values of its partition, so that readers can skip it', async () => {
  const { bucket, run } = await scene();
  await run();
  const entries = await entriesOf(bucket, 'raw/log_events');
  const bounds = entries.map(({ data_file: { lower_bounds: lower } }) =>
    lower?.map(({ value }) => String(value)),
  );
  expect(bounds.sort()).toEqual([
    ['p', '2026-11-01'],
    ['p', '2026-11-02'],
  ]);
});

test('objects of a snapshot stay until the snapshot expires', async () => {
  const { connection, bucket, run } = await scene();
  const change = (bytes: number) =>
    connection.run(`UPDATE ${EVENTS} SET bytes = ${bytes} WHERE _window = '2026-11-01'`);
  const counted = async (pattern: RegExp) =>
    (await objectsOf(bucket)).filter((key) => key.includes('log_events') && pattern.test(key)).length;
  await run();
  for (const bytes of [1, 2, 3, 4]) {
    await change(bytes);
    expect(await run()).toMatchObject({ uploaded: 1 });
    expect(await differing(connection, bucket)).toEqual([]);
    expect([await counted(/parquet$/), await counted(/avro$/), await counted(/metadata.json$/)]).toEqual([
      3, 4, 2,
    ]);
  }
  const [deleted] = (await entriesOf(bucket, 'raw/log_events')).filter(({ status }) => status === 2);
  expect(await objectsOf(bucket)).toContain(deleted?.data_file.file_path.slice(`file://${bucket}/`.length));
});

test('a comparison and doctor find any changed object, and the next copy repairs it', async () => {
  const { connection, bucket, place, run, compare } = await scene();
  await run();
  const harmed = async (problem: string, object: string) => {
    const about = { object, problem };
    expect({ object, differences: await compare() }).toMatchObject({ object, differences: [about] });
    const doctor = (await examineMirror(place, signal))?.differences;
    if (problem !== 'foreign') expect({ object, doctor }).toMatchObject({ object, doctor: [about] });
    await run();
    expect({ object, left: await compare() }).toEqual({ object, left: [] });
    expect(await differing(connection, bucket)).toEqual([]);
  };
  const own = async () =>
    (await objectsOf(bucket)).filter((key) => key.includes('log_events') && !key.endsWith('.state.json'));
  // Each is replaced by others, so they are told by their place.
  await connection.run(`UPDATE ${EVENTS} SET bytes = 0 WHERE _window = '2026-11-01'`);
  await run();
  for (const place of sampleOf([...Array(10).keys()])) {
    await connection.run(`UPDATE ${EVENTS} SET bytes = bytes + 1 WHERE _window = '2026-11-01'`);
    await run();
    const object = (await own())[place];
    if (object === undefined) throw new Error('a table has too few objects');
    await rm(join(bucket, object));
    await harmed('missing', object);
    await connection.run(`UPDATE ${EVENTS} SET bytes = bytes + 1 WHERE _window = '2026-11-01'`);
    await run();
    const other = (await own())[place] ?? '';
    await writeFile(join(bucket, other), `not ${other}`);
    await harmed('changed', other);
  }
  const foreign = 'm/raw/log_events/data/foreign.parquet';
  await writeFile(join(bucket, foreign), 'foreign');
  await harmed('foreign', foreign);
});

test('an Iceberg table without its state is written again from the start', async () => {
  const { connection, bucket, run, compare } = await scene();
  await run();
  await rm(join(bucket, 'm/raw/log_events/metadata/v1.state.json'));
  expect(await run()).toMatchObject({ uploaded: 2 });
  expect(await readFile(join(bucket, 'm/raw/log_events/metadata/version-hint.text'), 'utf8')).toBe('2');
  expect(await differing(connection, bucket)).toEqual([]);
  expect(await compare()).toEqual([]);
});

test('a mirror can change its format, and does not take over a copied bucket', async () => {
  const { connection, bucket, run, compare } = await scene();
  await run({ format: 'parquet' });
  expect(await run()).toMatchObject({ uploaded: 3, removed: 3 });
  expect(await differing(connection, bucket)).toEqual([]);
  expect(await compare()).toEqual([]);
  await cp(join(bucket, 'm'), join(bucket, 'copy'), { recursive: true });
  expect(await run({ prefix: 'copy' })).toMatchObject({ uploaded: 3, removed: 11 });
  expect(await compare({ prefix: 'copy' })).toEqual([]);
  await run({ format: 'parquet' });
  expect((await objectsOf(bucket)).filter((key) => key.startsWith('m/'))).toEqual([
    'm/manifest.json',
    'm/mart/crawls/data.parquet',
    'm/raw/log_events/source_id=p/window=2026-11-01/data.parquet',
    'm/raw/log_events/source_id=p/window=2026-11-02/data.parquet',
  ]);
});

test('a table that is no longer mirrored leaves no objects', async () => {
  const { bucket, run } = await scene();
  await run();
  await run({ tables: ['mart.crawls'] });
  expect((await objectsOf(bucket)).filter((key) => key.includes('log_events'))).toEqual([]);
});
