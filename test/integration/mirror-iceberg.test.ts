import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Connection, ident, text } from '../../src/core/duckdb/duckdb.ts';
import { tableColumns } from '../../src/core/duckdb/table-columns.ts';
import type { ObjectStore, StoredObject } from '../../src/core/stores/object-store.ts';
import { DuckDbMirror } from '../../src/etl/engines/duckdb/duckdb-engine.ts';
import { compareMirror, mirror } from '../../src/etl/pipeline/publish/mirror.ts';
import { openServer } from '../core/stores/store-server.ts';
import { LocalStore } from '../support/local-store.ts';
import { installPython } from '../support/python-environment.ts';
import { createBucket, startVersitygw } from '../support/servers.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

// Iceberg tables of a mirror, read by DuckDB's extension and by PyIceberg.

const PACKAGES = [
  'duckdb==1.5.5',
  'duckdb-extension-avro==1.5.5',
  'duckdb-extension-httpfs==1.5.5',
  'duckdb-extension-iceberg==1.5.5',
  'pyarrow==26.0.1',
  'pyiceberg==0.12.0',
];
const { signal } = new AbortController();

let python: string | undefined;
let reason = '';
beforeAll(async () => {
  python = await installPython('mirror-iceberg', PACKAGES).catch((error: Error) => {
    reason = error.message;
    return undefined;
  });
});

type Answer = Record<string, { readonly file?: string; readonly error?: string }>;
type Read = (table: string, out: string, snapshot?: number) => Promise<Answer>;

/** A process that reads tables, one after the other. */
function readers(s3: object = {}): Read {
  const child: ChildProcess = spawn(
    join(python ?? '', 'bin/python'),
    [join(import.meta.dirname, 'read-iceberg.py'), JSON.stringify(s3)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill());
  if (child.stdout === null) throw new Error('the reader has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (table, out, snapshot) => {
    child.stdin?.write(`${JSON.stringify({ table, out, snapshot })}\n`);
    const { value } = await lines.next();
    return JSON.parse(value ?? '{}');
  };
}

/** Column, type, the type that Iceberg's readers show, and values. */
const COLUMNS: readonly (readonly [name: string, type: string, read: string, ...values: string[]])[] = [
  ['crawl_id', 'VARCHAR', 'VARCHAR', "'a'", "'a'", "'b/ü'", 'NULL'],
  ['big', 'BIGINT', 'BIGINT', '9007199254740993', '-9223372036854775808', 'NULL', '1'],
  ['huge', 'HUGEINT', 'DECIMAL(38,0)', '99999999999999999999999999999999999999', '-1', 'NULL', '0'],
  ['unsigned', 'UBIGINT', 'DECIMAL(20,0)', '18446744073709551615', '0', 'NULL', '1'],
  ['tiny', 'UTINYINT', 'INTEGER', '255', '0', 'NULL', '1'],
  ['price', 'DECIMAL(9,2)', 'DECIMAL(9,2)', '1234567.89', '-0.01', 'NULL', '0'],
  ['part', 'DOUBLE', 'DOUBLE', '0.1', "'-inf'", 'NULL', '1e300'],
  ['real', 'FLOAT', 'FLOAT', '0.5', '-1', 'NULL', '0'],
  ['said "so"', 'VARCHAR', 'VARCHAR', "''", "'a ''b'' \n😀'", 'NULL', "'x'"],
  ['of json', 'JSON', 'VARCHAR', `'{"a": [1, 2]}'`, "'[]'", 'NULL', "'1'"],
  [
    'at',
    'TIMESTAMP WITH TIME ZONE',
    'TIMESTAMP WITH TIME ZONE',
    "'2026-11-01 01:02:03.123456Z'",
    "'1969-12-31 23:59:59Z'",
    'NULL',
    "'2000-01-01 00:00:00Z'",
  ],
  [
    'local',
    'TIMESTAMP',
    'TIMESTAMP',
    "'2026-11-01 01:02:03.123456'",
    "'1969-12-31 23:59:59'",
    'NULL',
    "'2000-01-01'",
  ],
  ['on', 'DATE', 'DATE', "'2026-11-01'", "'0001-01-01'", 'NULL', "'1970-01-01'"],
  ['yes', 'BOOLEAN', 'BOOLEAN', 'true', 'false', 'NULL', 'true'],
  ['bytes', 'BLOB', 'BLOB', "'\\x00\\xFF'", "''", 'NULL', "'a'"],
  ['many', 'VARCHAR[]', 'VARCHAR[]', "['one']", "['', NULL, 'x, y']", 'NULL', '[]'],
  ['jsons', 'JSON[]', 'VARCHAR[]', "['{}']", '[NULL]', 'NULL', '[]'],
  ['numbers', 'USMALLINT[][]', 'INTEGER[][]', '[[1, 65535], []]', '[NULL]', 'NULL', '[]'],
  [
    'item',
    'STRUCT(a UINTEGER, "b c" STRUCT(d VARCHAR)[])',
    'STRUCT(a BIGINT, "b c" STRUCT(d VARCHAR)[])',
    "{'a': 4294967295, 'b c': [{'d': 'x'}]}",
    "{'a': NULL, 'b c': []}",
    'NULL',
    // PyIceberg 0.12 reads a list that is NULL within a struct as one without items.
    "{'a': 1, 'b c': [NULL]}",
  ],
  [
    'counts',
    'MAP(VARCHAR, INTEGER)',
    'MAP(VARCHAR, INTEGER)',
    "MAP {'a': 1}",
    'MAP {}',
    'NULL',
    "MAP {'b': NULL}",
  ],
  ['kind', "ENUM('a, (b', 'c')", 'VARCHAR', "'a, (b'", "'c'", 'NULL', "'c'"],
];
const rowOf = (place: number): string =>
  COLUMNS.map(([name, type, , ...own]) => `CAST(${own[place]} AS ${type}) AS ${ident(name)}`).join(', ');
const AS_READ = COLUMNS.map(([name, , read]) => `CAST(${ident(name)} AS ${read}) AS ${ident(name)}`).join(
  ', ',
);

async function scene(open?: (folder: string) => Promise<ObjectStore>) {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  await connection.run('CREATE SCHEMA raw');
  await connection.run(
    `CREATE TABLE raw.pages AS ${[0, 1, 2, 3].map((place) => `SELECT ${rowOf(place)}`).join(' UNION ALL ')}`,
  );
  const bucket = join(folder, 'bucket');
  await mkdir(bucket);
  const store = await (open?.(folder) ?? new LocalStore({ folder: bucket }));
  const options = async (publication: string, more: object = {}) => ({
    store,
    prefix: 'm m',
    tables: ['raw.pages'],
    publication,
    folder: join(folder, 'on the way'),
    columns: await tableColumns(connection, ['raw']),
    format: 'iceberg' as const,
    snapshots: 3,
    ...more,
  });
  const source = new DuckDbMirror(connection);
  return {
    connection,
    bucket,
    folder,
    store,
    source,
    options,
    run: async (publication = 'p1', more: object = {}) =>
      mirror(source, await options(publication, more), signal),
    compare: async (more: object = {}) =>
      (await compareMirror({ mirror: source, connection }, await options('p', more), signal)).differences,
  };
}

/** That both readers have the rows of a relation, with Iceberg's types. */
async function expectRows(connection: Connection, answer: Answer, from = `SELECT ${AS_READ} FROM raw.pages`) {
  const types = (relation: string) =>
    connection.rows(`SELECT column_name, column_type FROM (DESCRIBE ${relation})`);
  for (const reader of ['duckdb', 'pyiceberg']) {
    const { file, error } = answer[reader] ?? {};
    expect({ reader, error }).toEqual({ reader, error: undefined });
    const read = `FROM read_parquet(${text(file ?? '')})`;
    expect({ reader, types: await types(read) }).toEqual({ reader, types: await types(from) });
    const differing = await connection.rows(
      `SELECT count(*) AS n FROM ((${read} EXCEPT ALL ${from}) UNION ALL (${from} EXCEPT ALL ${read}))`,
    );
    expect({ reader, differing }).toEqual({ reader, differing: [{ n: 0n }] });
  }
}

/** What readers find while a table changes: changes of raw.pages, each with the operation of its snapshot. */
const CHANGES = [
  ["INSERT INTO raw.pages SELECT * REPLACE ('new' AS crawl_id) FROM raw.pages LIMIT 2", 'append'],
  ["UPDATE raw.pages SET big = 7 WHERE crawl_id = 'new'", 'overwrite'],
  ["DELETE FROM raw.pages WHERE crawl_id = 'new'", 'delete'],
  ['ALTER TABLE raw.pages ADD COLUMN more VARCHAR[]', 'overwrite'],
  ['ALTER TABLE raw.pages RENAME COLUMN yes TO no', 'overwrite'],
  ['ALTER TABLE raw.pages ALTER COLUMN tiny TYPE VARCHAR', 'overwrite'],
  ['DELETE FROM raw.pages', 'overwrite'],
] as const;

/** The relation with Iceberg's types, whatever its columns are now. */
async function asRead(connection: Connection): Promise<string> {
  const types = new Map(COLUMNS.map(([name, type, read]) => [name, { type, read }]));
  const columns = (await tableColumns(connection, ['raw'])).get('raw.pages') ?? [];
  const casts = columns.map(({ name, type }) => {
    const known = types.get(name);
    const isSame = known !== undefined && type !== 'VARCHAR';
    return isSame ? `CAST(${ident(name)} AS ${known.read}) AS ${ident(name)}` : ident(name);
  });
  return `SELECT ${casts.join(', ')} FROM raw.pages`;
}

interface Metadata {
  readonly snapshots: readonly { 'snapshot-id': number; summary: Record<string, string> }[];
  readonly 'metadata-log': readonly unknown[];
}

async function metadataOf(table: string): Promise<Metadata> {
  const hint = await readFile(join(table, 'metadata/version-hint.text'), 'utf8');
  return JSON.parse(await readFile(join(table, `metadata/v${hint}.metadata.json`), 'utf8'));
}

test('each publication is a snapshot, and the last snapshots stay readable', async ({ skip }) => {
  if (python === undefined) skip(reason);
  const { connection, bucket, folder, run, compare } = await scene();
  const table = join(bucket, 'm m/raw/pages');
  const out = join(folder, 'read');
  const read = readers();
  await run();
  await expectRows(connection, await read(table, out), await asRead(connection));
  const seen: { id: number; rows: string }[] = [];
  for (const [index, [sql, operation]] of CHANGES.entries()) {
    await connection.run(sql);
    await run(`p${index}`);
    await expectRows(connection, await read(table, out), await asRead(connection));
    const { snapshots } = await metadataOf(table);
    const newest = snapshots.at(-1);
    expect({ sql, operation: newest?.summary.operation }).toEqual({ sql, operation });
    expect(newest?.summary['crawlhouse.publication']).toBe(`p${index}`);
    const kept = join(folder, `kept-${index}.parquet`);
    await connection.run(`COPY (${await asRead(connection)}) TO ${text(kept)} (FORMAT parquet)`);
    seen.push({ id: newest?.['snapshot-id'] ?? 0, rows: kept });
    for (const { id, rows } of seen.slice(-3))
      await expectRows(connection, await read(table, out, id), `FROM read_parquet(${text(rows)})`);
  }
  const { snapshots, 'metadata-log': log } = await metadataOf(table);
  expect([snapshots.length, log.length]).toEqual([3, 2]);
  const files = await readdir(join(table, 'metadata'));
  expect(files.filter((name) => name.endsWith('.avro'))).toHaveLength(6);
  expect(files.filter((name) => name.endsWith('.json'))).toHaveLength(4);
  expect(await compare({ full: true })).toEqual([]);
});

/** A store whose process is killed before it writes or removes the object of a step. */
class KilledStore extends LocalStore {
  step = 0;
  at = 0;

  override async put(key: string, file: string, of: AbortSignal): Promise<void> {
    this.#go();
    await super.put(key, file, of);
  }

  override async remove(object: StoredObject): Promise<void> {
    this.#go();
    await super.remove(object);
  }

  #go(): void {
    if (this.step++ === this.at) throw new Error('killed');
  }
}

test('an interrupted mirror leaves readers the previous rows or the new ones', async ({ skip }) => {
  if (python === undefined) skip(reason);
  const { connection, bucket, folder, run, compare } = await scene();
  const table = join(bucket, 'm m/raw/pages');
  const read = readers();
  await run('p0', { snapshots: 1 });
  const killed = new KilledStore({ folder: bucket });
  let reads = 0;
  for (let at = 0, isWhole = false; !isWhole; at++) {
    const former = join(folder, `former-${at}.parquet`);
    await connection.run(`COPY (SELECT ${AS_READ} FROM raw.pages) TO ${text(former)} (FORMAT parquet)`);
    await connection.run(`UPDATE raw.pages SET big = ${at} WHERE crawl_id IS NULL`);
    Object.assign(killed, { step: 0, at });
    isWhole = await run(`p${at}`, { store: killed, snapshots: 1 }).then(
      () => true,
      (error: Error) => {
        expect(error.message).toBe('killed');
        return false;
      },
    );
    const answer = await read(table, join(folder, 'read'));
    const isNew = killed.step > 6;
    await expectRows(connection, answer, isNew ? undefined : `FROM read_parquet(${text(former)})`);
    await run(`p${at} again`, { snapshots: 1 });
    await expectRows(connection, await read(table, join(folder, 'read')));
    expect(await compare()).toEqual([]);
    reads++;
  }
  expect(reads).toBeGreaterThan(8);
  expect(await readdir(join(table, 'metadata'))).toHaveLength(5);
});

test('both readers read the rows of the warehouse, of every type', async ({ skip }) => {
  if (python === undefined) skip(reason);
  const { connection, bucket, folder, run, compare } = await scene();
  expect(await run()).toEqual({ partitions: 3, rows: 4, uploaded: 3, removed: 0 });
  const read = readers();
  await expectRows(connection, await read(join(bucket, 'm m/raw/pages'), join(folder, 'read')));
  expect(await compare()).toEqual([]);
});

test('both readers read an S3 bucket through its own addresses', async ({ skip }) => {
  if (python === undefined) skip(reason);
  await using server = await startVersitygw();
  const { endpoint, region, accessKey: key, secretKey: secret } = server;
  await createBucket(server, 'crawl-exports');
  const { connection, folder, run, compare } = await scene(() =>
    openServer({ ...server, kind: 'store_b', bucket: 'crawl-exports' }),
  );
  await run();
  await connection.run("UPDATE raw.pages SET big = 0 WHERE crawl_id = 'a'");
  await run('p2');
  const read = readers({ endpoint, region, key, secret });
  const table = 's3://crawl-exports/m m/raw/pages';
  await expectRows(connection, await read(table, join(folder, 'read')));
  expect(await compare({ full: true })).toEqual([]);
});
