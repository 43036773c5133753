import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { type Connection, ident, text } from '../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../src/core/duckdb/table-columns.ts';
import type { ObjectStore } from '../../src/core/stores/object-store.ts';
import { DuckDbMirror } from '../../src/etl/engines/duckdb/duckdb-engine.ts';
import { DuckDbRows } from '../../src/etl/engines/duckdb/duckdb-rows.ts';
import type { RowStore } from '../../src/etl/engines/row-store.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoRows } from '../../src/etl/engines/trino/rows/trino-rows.ts';
import { TrinoMirror } from '../../src/etl/engines/trino/trino-engine.ts';
import { type MirrorOptions, type MirrorReport, mirror } from '../../src/etl/pipeline/publish/mirror.ts';
import { createSchema } from '../../src/etl/state/catalog/create-schema.ts';
import { openServer } from '../core/stores/store-server.ts';
import { LocalStore } from '../support/local-store.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

// The same rows in a table of DuckDB and in Trino, mirrored from both.

const EVENTS = 'raw.log_events';
const WIDE = Array.from({ length: 300 }, (_, index) => `wide ${index}`);
/** Column, type, and its values in the rows of the first unit. */
const COLUMNS: readonly (readonly [name: string, type: string, ...values: string[]])[] = [
  ['_unit', 'VARCHAR', "'log_events/a'", "'log_events/a'", "'log_events/a'"],
  ['_source_id', 'VARCHAR', "'p q/é'", "'p q/é'", 'NULL'],
  ['_window', 'VARCHAR', "'2026-11-01'", "'2026-11-02'", 'NULL'],
  ['big', 'BIGINT', '9007199254740993', '-9223372036854775808', 'NULL'],
  ['huge', 'DECIMAL(38,0)', '99999999999999999999999999999999999999', '0', 'NULL'],
  ['said "so"', 'VARCHAR', "''", "'a ''b'' \"c\" \\ \n\t😀'", 'NULL'],
  ['many', 'VARCHAR[]', "['one']", "['', NULL, 'x, y']", '[]'],
  ['of json', 'JSON', `'{"a": [1, 2]}'`, "'[]'", 'NULL'],
  ['at', 'TIMESTAMP WITH TIME ZONE', "'2026-11-01 01:02:03.123456Z'", "'1969-12-31 23:59:59Z'", 'NULL'],
  ['on', 'DATE', "'2026-11-01'", "'0001-01-01'", 'NULL'],
  ['part', 'DOUBLE', '0.1', "'-inf'::DOUBLE", 'NULL'],
  ['parts', 'DOUBLE[]', "['nan', 1e300]", '[]', 'NULL'],
  ['yes', 'BOOLEAN', 'true', 'false', 'NULL'],
  ...WIDE.map((name, index) => [name, 'BIGINT', `${index}`, 'NULL', `${-index}`] as const),
];
const values = (place: number): string =>
  COLUMNS.map(([name, type, ...own]) => `CAST(${own[place]} AS ${type}) AS ${ident(name)}`).join(', ');
const FROM = `(${[0, 1, 2].map((place) => `SELECT ${values(place)}`).join(' UNION ALL ')}) AS given`;

const { signal } = new AbortController();
const trino = inject('trino');
const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
afterAll(() => client[Symbol.asyncDispose]());

interface Scene {
  readonly connection: Connection;
  readonly bucket: string;
  readonly rows: RowStore;
  put(unit: string, from?: string | null): Promise<void>;
  copy(more?: Partial<MirrorOptions>): Promise<MirrorReport>;
}

async function scene(rowsOf: (connection: Connection, folder: string) => Promise<RowStore>): Promise<Scene> {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await createSchema(connection);
  const defined = COLUMNS.map(([name, type]) => `${ident(name)} ${type}`).join(', ');
  await connection.run(`CREATE TABLE ${EVENTS} (${defined})`);
  const rows = await rowsOf(connection, folder);
  const bucket = join(folder, 'bucket');
  await mkdir(bucket);
  const store = new LocalStore({ folder: bucket });
  const own = COLUMNS.map(([name]) => name).filter((name) => name !== '_unit');
  const values = new Map(own.map((name) => [name, ident(name)]));
  return {
    connection,
    bucket,
    rows,
    async put(unit, from = FROM) {
      await connection.transaction(() =>
        rows.replaceUnit({
          relation: EVENTS,
          unit,
          values: new Map([...values, ['_unit', text(unit)]]),
          from,
        }),
      );
    },
    async copy(more = {}) {
      const columns = await tableColumns(connection, ['raw']);
      const format = { format: 'parquet', snapshots: 2 } as const;
      const options = { store, prefix: 'm', tables: [EVENTS], columns, publication: 'p1', ...format };
      return mirror(
        rows instanceof TrinoRows ? new TrinoMirror(connection, rows) : new DuckDbMirror(connection),
        { ...options, folder: join(folder, 'on their way'), ...more },
        signal,
      );
    },
  };
}

function onTrino(objects: ObjectStore): Promise<Scene> {
  const prefix = `m${randomUUID().slice(0, 8)}_`;
  const place = { client, catalog: trino.catalog, prefix, bucket: trino.bucket, folder: `rows/${prefix}` };
  return scene((connection, folder) =>
    TrinoRows.begin({ ...place, objects, connection, temporary: join(folder, 'spill') }),
  );
}

const onDuckDb = (): Promise<Scene> => scene(async (connection) => new DuckDbRows(connection));

test('mirrors of both engines have the same partitions and rows, and copy only changes', async () => {
  await using objects = await openServer({ kind: 'store_b', bucket: trino.bucket, ...trino.s3 });
  const scenes = [await onDuckDb(), await onTrino(objects)];
  const both = async <T>(ask: (one: Scene) => Promise<T>): Promise<T> => {
    const [duckdb, other] = [await ask(scenes[0] as Scene), await ask(scenes[1] as Scene)];
    expect(other).toEqual(duckdb);
    return other;
  };
  await both((one) => one.put('log_events/a'));
  expect(await both((one) => one.copy())).toEqual({ partitions: 3, rows: 3, uploaded: 3, removed: 0 });
  const files = await both(filesOf);
  expect(files.map(({ file }) => file)).toEqual([
    'm/raw/log_events/source_id=__HIVE_DEFAULT_PARTITION__/window=__HIVE_DEFAULT_PARTITION__/data.parquet',
    'm/raw/log_events/source_id=p%20q%2F%C3%A9/window=2026-11-01/data.parquet',
    'm/raw/log_events/source_id=p%20q%2F%C3%A9/window=2026-11-02/data.parquet',
  ]);
  expect(await both((one) => one.copy())).toEqual({ partitions: 3, rows: 3, uploaded: 0, removed: 0 });
  // One more row in one partition, and another partition that is gone.
  await both((one) => one.put('log_events/b', `(SELECT * FROM ${FROM} WHERE "yes") AS one`));
  await both((one) => one.put('log_events/a', `(SELECT * FROM ${FROM} WHERE "yes" IS NOT NULL) AS two`));
  expect(await both((one) => one.copy())).toEqual({ partitions: 2, rows: 3, uploaded: 1, removed: 1 });
  expect((await both(filesOf)).map(({ rows }) => rows.length)).toEqual([2, 1]);
});

/** The objects of a mirror, each with its columns and rows. */
async function filesOf({
  connection,
  bucket,
}: Scene): Promise<{ readonly file: string; readonly columns: unknown[]; readonly rows: unknown[] }[]> {
  const files = (await readdir(bucket, { recursive: true })).filter((name) => name.endsWith('.parquet'));
  return Promise.all(
    files.sort().map(async (file) => {
      const from = `read_parquet(${text(join(bucket, file))}, hive_partitioning = false)`;
      const columns = await connection.rows(`DESCRIBE FROM ${from}`);
      return { file, columns, rows: await connection.jsonRows(`FROM ${from} ORDER BY ALL`) };
    }),
  );
}

test.each([
  ['DuckDB', onDuckDb],
  ['Trino', onTrino],
] as const)(
  'Trino reads the Iceberg table of rows in %s, of the selected publication',
  async (_engine, open) => {
    await using store = await openServer({ kind: 'store_b', bucket: trino.bucket, ...trino.s3 });
    const one = await open(store);
    const schema = `mirror_${randomUUID().slice(0, 8)}`;
    const place = { store, prefix: `of ${schema}`, format: 'iceberg' as const };
    const call = (procedure: string, location = '') =>
      client.run(`CALL ${trino.catalog}.system.${procedure}('${schema}', 'log_events'${location})`);
    const register = () =>
      call('register_table', `, 's3://${trino.bucket}/${place.prefix}/${EVENTS.replace('.', '/')}'`);
    const names = COLUMNS.map(([name]) => name).filter((name) => !name.startsWith('wide '));
    const from = `${trino.catalog}.${schema}.log_events ORDER BY big NULLS LAST`;
    const rows = () => client.rows(`SELECT ${names.map((name) => ident(name)).join(', ')} FROM ${from}`);
    await client.run(
      `CREATE SCHEMA ${trino.catalog}.${schema} WITH (location = 's3://${trino.bucket}/${schema}')`,
    );
    await one.put('log_events/a');
    await one.copy(place);
    await register();
    const first = await rows();
    const empty = Object.fromEntries(names.map((name) => [name, null]));
    expect(first).toEqual([
      {
        _unit: 'log_events/a',
        _source_id: 'p q/é',
        _window: '2026-11-02',
        'of json': '[]',
        yes: false,
        big: -9223372036854775808n,
        huge: 0n,
        'said "so"': 'a \'b\' "c" \\ \n\t😀',
        many: ['', null, 'x, y'],
        at: '1969-12-31T23:59:59.000000Z',
        on: '0001-01-01',
        part: Number.NEGATIVE_INFINITY,
        parts: [],
      },
      {
        _unit: 'log_events/a',
        _source_id: 'p q/é',
        _window: '2026-11-01',
        'said "so"': '',
        yes: true,
        big: 9007199254740993n,
        huge: 99999999999999999999999999999999999999n,
        many: ['one'],
        'of json': '{"a": [1, 2]}',
        at: '2026-11-01T01:02:03.123456Z',
        on: '2026-11-01',
        part: 0.1,
        parts: [Number.NaN, 1e300],
      },
      { ...empty, _unit: 'log_events/a', many: [] },
    ]);
    await one.put('log_events/a', `(SELECT * REPLACE (0.5 AS part) FROM ${FROM} WHERE "yes")`);
    await one.copy(place);
    expect(await rows()).toEqual(first);
    await call('unregister_table');
    await register();
    expect(await rows()).toEqual([{ ...first[1], part: 0.5 }]);
  },
);
