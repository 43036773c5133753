import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  type Connection,
  DUCKDB_VERSION,
  ident,
  parquetFiles,
  text,
} from '../../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { dropUnits } from '../../../../src/etl/engines/new-units.ts';
import { loadPackage } from '../../../../src/etl/pipeline/load/load-package.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import type { ColumnContract } from '../../../../src/etl/pipeline/load/refuse-drift.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import type { Counts } from '../../../../src/etl/project/model/runs/six-counts.ts';
import type { ReadField } from '../../../../src/etl/project/sql/models/model.ts';
import { unitFingerprints } from '../../../../src/etl/state/catalog/fingerprint.ts';
import { CATALOG } from '../../../../src/etl/state/catalog/schema.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase, openWorking } from '../../engines/open-working.ts';
import { fields, makePackage, type PackageSpec } from './make-package.ts';
import '../../../support/process-timeout.ts';

const signal = new AbortController().signal;

type Contract = 'evolve' | 'freeze';

interface Warehouse {
  readonly connection: Connection;
  load(
    spec: PackageSpec,
    schemaChange?: Contract,
    columns?: Readonly<Record<string, ColumnContract>>,
    fieldsRead?: ReadonlyMap<string, ReadField>,
  ): Promise<Counts>;
}

async function warehouse(): Promise<Warehouse> {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  let runs = 0;
  return {
    connection: working.connection,
    async load(spec, schemaChange = 'evolve', columns = {}, fieldsRead = new Map()) {
      const staged = await readPackage(await makePackage(staging, folder, spec));
      const columnContracts = new Map(Object.entries(columns));
      const runId = `run-${++runs}`;
      return loadPackage(working, staged, { runId, schemaChange, columnContracts, fieldsRead, signal });
    },
  };
}

/** Everything in the warehouse, as it stands. */
async function contents(connection: Connection): Promise<Record<string, unknown>> {
  const tables = await connection.rows<{ name: string }>(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE database_name = 'warehouse' ORDER BY 1`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables)
    found[name] = await connection.jsonRows(`SELECT * FROM ${name} ORDER BY ALL`);
  found.columns = await connection.jsonRows(
    `SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = 'warehouse' ORDER BY ALL`,
  );
  return found;
}

const PAGES = {
  id: 'c1',
  fields: fields('url', 'depth natural'),
  rows: [
    { url: 'a', depth: 0 },
    { url: 'b', depth: 1 },
  ],
};

const LIST = {
  dataset: 'projects',
  unit: { source: { kind: 'resource', id: 'projects', project_id: null } },
} as const;

test('the fingerprint of a unit equals that of its package if the table keeps its types', async () => {
  const { connection, load } = await warehouse();
  const fingerprints = async (): Promise<unknown[]> =>
    (await connection.rows('SELECT fingerprint FROM ops.loads ORDER BY unit')).map((row) => row.fingerprint);
  await load({ ...PAGES, manifest: { fingerprint: { sum: '7', duckdb: DUCKDB_VERSION } } });
  await load({ ...PAGES, id: 'c2', manifest: { fingerprint: { sum: '7', duckdb: 'v0.1.0' } } });
  await load({ ...PAGES, id: 'c3' });
  const [package7, other, own] = await fingerprints();
  expect(package7).toBe('7');
  expect(other).toMatch(/^\d{15,}$/);
  expect(other).toBe(own);
});

test('the fingerprint of a unit with converted types is computed from the table', async () => {
  const { connection, load } = await warehouse();
  await load({ ...PAGES, fields: fields('url', 'depth natural many') });
  await load({ ...PAGES, id: 'c2', manifest: { fingerprint: { sum: '7', duckdb: DUCKDB_VERSION } } });
  const [print] = await connection.rows("SELECT fingerprint FROM ops.loads WHERE unit = 'crawl_pages/c2'");
  const found = await unitFingerprints(connection, CATALOG, {
    dataset: 'crawl_pages',
    units: ['crawl_pages/c2'],
  });
  expect(print?.fingerprint).toBe(found.get('crawl_pages/c2'));
});

test('texts that all rows share are dictionary-encoded, others use zstd', async () => {
  const { connection, load } = await warehouse();
  const rows = Array.from({ length: 5000 }, (_, index) => ({ url: `https://www.example.com/${index}` }));
  await load({ ...PAGES, fields: fields('url'), rows });
  await connection.run('CHECKPOINT');
  const methods = await connection.jsonRows(
    `SELECT DISTINCT column_name AS name, compression FROM pragma_storage_info('raw.crawl_pages')
     WHERE segment_type = 'VARCHAR' AND column_name IN ('_unit', '_run_id', 'url') ORDER BY 1`,
  );
  expect(methods).toEqual([
    { name: '_run_id', compression: 'DICT_FSST' },
    { name: '_unit', compression: 'DICT_FSST' },
    { name: 'url', compression: 'ZSTD' },
  ]);
});

test('a loaded package has crawlhouse columns next to the service fields', async () => {
  const { connection, load } = await warehouse();
  expect(await load(PAGES)).toEqual({
    reported: 2,
    received: 2,
    staged: 2,
    rejected: 0,
    loaded: 2,
    queryable: null,
  });
  const [row] = await connection.rows("FROM raw.crawl_pages WHERE url = 'b'");
  expect(row).toMatchObject({
    url: 'b',
    depth: 1n,
    _unit: 'crawl_pages/c1',
    _source_id: 'c1',
    _crawl_id: 'c1',
    _project_id: 'p1',
    _run_id: 'run-1',
  });
  expect(Object.keys(row ?? {})).toEqual([
    '_unit',
    '_source_id',
    '_crawl_id',
    '_project_id',
    '_run_id',
    '_loaded_at',
    'url',
    'depth',
  ]);
  expect(await connection.scalar('SELECT dirty FROM ops.publication')).toBe(true);
});

test('dated data has a window, resources have neither crawl nor project', async () => {
  const { connection, load } = await warehouse();
  await load({
    ...PAGES,
    dataset: 'log_events',
    unit: {
      source: { kind: 'log_monitoring', id: 'p9', project_id: 'p9' },
      window: { from: '2026-11-01', to: '2026-11-02' },
    },
  });
  await load({
    ...PAGES,
    dataset: 'projects',
    unit: { source: { kind: 'resource', id: 'w', project_id: null } },
  });
  const [event] = await connection.rows('FROM raw.log_events LIMIT 1');
  expect(event).toMatchObject({
    _unit: 'log_events/p9/2026-11-01',
    _window: '2026-11-01',
    _project_id: 'p9',
  });
  expect(event).not.toHaveProperty('_crawl_id');
  const [project] = await connection.rows('FROM raw.projects LIMIT 1');
  expect(project).toMatchObject({ _source_id: 'w', _project_id: null });
  expect(await connection.jsonRows('SELECT window_from, window_to FROM ops.loads ORDER BY dataset')).toEqual([
    { window_from: '2026-11-01', window_to: '2026-11-02' },
    { window_from: null, window_to: null },
  ]);
});

test('reloading a unit replaces its rows and records completely, and leaves other units unchanged', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES);
  await load({ ...PAGES, id: 'c2' });
  const rows = [{ url: 'c', depth: 5 }];
  await load({ ...PAGES, rows });
  expect(await connection.jsonRows('SELECT _unit, url, _run_id FROM raw.crawl_pages ORDER BY ALL')).toEqual([
    { _unit: 'crawl_pages/c1', url: 'c', _run_id: 'run-3' },
    { _unit: 'crawl_pages/c2', url: 'a', _run_id: 'run-2' },
    { _unit: 'crawl_pages/c2', url: 'b', _run_id: 'run-2' },
  ]);
  expect(await connection.jsonRows('SELECT unit, loaded, run_id FROM ops.loads ORDER BY unit')).toEqual([
    { unit: 'crawl_pages/c1', loaded: '1', run_id: 'run-3' },
    { unit: 'crawl_pages/c2', loaded: '2', run_id: 'run-2' },
  ]);
  expect(await connection.scalar('SELECT count(*) FROM ops.unit_fields')).toBe(4n);
});

test('a unit without rows creates its table and its records', async () => {
  const { connection, load } = await warehouse();
  expect(await load({ ...PAGES, rows: [] })).toMatchObject({ reported: 0, loaded: 0 });
  expect(await connection.scalar('SELECT count(*) FROM raw.crawl_pages')).toBe(0n);
  expect(await connection.scalar('SELECT count(*) FROM ops.unit_fields')).toBe(2n);
});

test('ops.loads has the counts, route and its reason, format, bytes, hash and filter', async () => {
  const { connection, load } = await warehouse();
  const filter = { field: ['depth', 'gte', 2n ** 60n] };
  const reason = 'as requested';
  const source = { base_url: '', route: 'stream', format: 'csv', filter, reason, requested_at: '' };
  await load({
    ...PAGES,
    manifest: { source, attempts: 3, bytes: 1234, waited: 1.5, content_sha256: 'abc' },
  });
  const [row] = await connection.jsonRows('SELECT * EXCLUDE (loaded_at) FROM ops.loads');
  expect(row).toEqual({
    unit: 'crawl_pages/c1',
    source_ended_at: null,
    dataset: 'crawl_pages',
    source_kind: 'crawl',
    source_id: 'c1',
    project_id: 'p1',
    window_from: null,
    window_to: null,
    usual: null,
    flag: null,
    waited: 1.5,
    pinned: null,
    definition: null,
    fingerprint: expect.stringMatching(/^\d+$/),
    reported: '2',
    received: '2',
    staged: '2',
    rejected: '0',
    loaded: '2',
    queryable: null,
    route: 'stream',
    format: 'csv',
    bytes: '1234',
    seconds: 0.5,
    attempts: '3',
    content_sha256: 'abc',
    filter: '{"field":["depth","gte",1152921504606846976]}',
    run_id: 'run-1',
    reason: 'as requested',
  });
});

test('unexpected values are loaded and recorded once, even with schema_change: freeze', async () => {
  const { connection, load } = await warehouse();
  const status: Field = { name: 'status', type: 'enum', arity: 'one', values: ['ok', 'gone'] };
  const of = (id: string, ...rows: { clicks: number; status: string }[]): PackageSpec => ({
    id,
    fields: [...fields('clicks natural'), status],
    rows,
  });
  await load(of('c1', { clicks: 1, status: 'ok' }));
  await load(of('c2', { clicks: -1, status: 'lost' }, { clicks: 2, status: 'gone' }), 'freeze');
  await load(of('c3', { clicks: -1, status: 'lost' }), 'freeze');
  expect(
    await connection.jsonRows(
      'SELECT unit, field, change, before, after FROM ops.schema_changes ORDER BY field',
    ),
  ).toEqual([
    { unit: 'crawl_pages/c2', field: 'clicks', change: 'out_of_range', before: '>= 0', after: '-1' },
    { unit: 'crawl_pages/c2', field: 'status', change: 'enum_value', before: 'ok, gone', after: 'lost' },
  ]);
  expect(await connection.scalar('SELECT count(*) FROM raw.crawl_pages')).toBe(4n);
});

test('ops.unit_fields distinguishes a missing field from one that is null', async () => {
  const { connection, load } = await warehouse();
  await load({ id: 'c1', fields: fields('url', 'h1 string many'), rows: [{ url: 'a', h1: null }] });
  await load({ id: 'c2', fields: fields('url'), rows: [{ url: 'b' }] });
  expect(
    await connection.jsonRows(
      'SELECT unit, field, type, arity, column_name FROM ops.unit_fields ORDER BY ALL',
    ),
  ).toEqual([
    { unit: 'crawl_pages/c1', field: 'h1', type: 'string', arity: 'many', column_name: 'h1' },
    { unit: 'crawl_pages/c1', field: 'url', type: 'string', arity: 'one', column_name: 'url' },
    { unit: 'crawl_pages/c2', field: 'url', type: 'string', arity: 'one', column_name: 'url' },
  ]);
});

test('rejects of a unit are in ops.rejects, and disappear with a reload without rejects', async () => {
  const { connection, load } = await warehouse();
  const bad = {
    ...PAGES,
    rows: [
      { url: 'a', depth: 'deep' },
      { url: 'b', depth: 1 },
    ],
  };
  expect(await load(bad)).toMatchObject({ received: 2, staged: 1, rejected: 1, loaded: 1 });
  expect(await connection.jsonRows('SELECT * EXCLUDE (reason, rejected_at) FROM ops.rejects')).toEqual([
    {
      unit: 'crawl_pages/c1',
      dataset: 'crawl_pages',
      file: 'pages.jsonl',
      line: '1',
      field: 'depth',
      value: 'deep',
      run_id: 'run-1',
    },
  ]);
  await load(PAGES);
  expect(await connection.scalar('SELECT count(*) FROM ops.rejects')).toBe(0n);
});

test('an integer beyond 2^63 widens the column, earlier rows keep their values, and the change is recorded', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES);
  await load({ ...PAGES, id: 'c2', rows: [{ url: 'z', depth: 18446744073709551615n }] });
  await load({ ...PAGES, id: 'c3', rows: [{ url: 'n', depth: 3 }] });
  expect(
    await connection.jsonRows(
      'SELECT url, CAST(depth AS VARCHAR) AS depth FROM raw.crawl_pages ORDER BY depth, url',
    ),
  ).toEqual([
    { url: 'a', depth: '0' },
    { url: 'b', depth: '1' },
    { url: 'z', depth: '18446744073709551615' },
    { url: 'n', depth: '3' },
  ]);
  expect(
    await connection.jsonRows('SELECT unit, field, change, before, after FROM ops.schema_changes'),
  ).toEqual([
    { unit: 'crawl_pages/c2', field: 'depth', change: 'widened', before: 'BIGINT', after: 'DECIMAL(38,0)' },
  ]);
});

test('a new field is a new column, NULL in earlier units, and the change is recorded', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES);
  await load({ id: 'c2', fields: fields('url', 'it"s;new string'), rows: [{ url: 'c', 'it"s;new': 'x' }] });
  expect(
    await connection.jsonRows('SELECT url, depth, "it""s;new" FROM raw.crawl_pages ORDER BY url'),
  ).toEqual([
    { url: 'a', depth: '0', 'it"s;new': null },
    { url: 'b', depth: '1', 'it"s;new': null },
    { url: 'c', depth: null, 'it"s;new': 'x' },
  ]);
  expect(
    await connection.jsonRows(
      "SELECT field, change, before, after, run_id FROM ops.schema_changes WHERE change = 'added'",
    ),
  ).toEqual([{ field: 'it"s;new', change: 'added', before: null, after: 'VARCHAR', run_id: 'run-2' }]);
});

test('two fields that differ only in case keep their columns, whichever crawls contain them', async () => {
  const { connection, load } = await warehouse();
  await load({ id: 'c1', fields: fields('title'), rows: [{ title: 'lower' }] });
  await load({ id: 'c2', fields: fields('Title'), rows: [{ Title: 'Upper' }] });
  await load({ id: 'c3', fields: fields('Title', 'title'), rows: [{ Title: 'Upper', title: 'lower' }] });
  const registry = await connection.rows('SELECT DISTINCT field, column_name FROM ops.unit_fields');
  expect(registry).toHaveLength(2);
  const columnOf = (field: string) => String(registry.find((row) => row.field === field)?.column_name);
  expect(columnOf('title')).toBe('title');
  const rows = await connection.jsonRows('FROM raw.crawl_pages ORDER BY _unit');
  expect(rows.map((row) => [row[columnOf('title')], row[columnOf('Title')]])).toEqual([
    ['lower', null],
    [null, 'Upper'],
    ['lower', 'Upper'],
  ]);
});

test('a field that returns after reloads without it gets its former column', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES);
  await load({ id: 'c1', fields: fields('url'), rows: [{ url: 'a' }] });
  await load({ ...PAGES, id: 'c2' });
  const columns = await connection.rows(
    "SELECT column_name FROM duckdb_columns() WHERE table_name = 'crawl_pages' AND column_name LIKE 'depth%'",
  );
  expect(columns).toEqual([{ column_name: 'depth' }]);
});

test('a field with the name of a crawlhouse column causes no conflict', async () => {
  const { connection, load } = await warehouse();
  await load({ id: 'c1', fields: fields('_unit', 'url'), rows: [{ _unit: 'of the service', url: 'a' }] });
  const column = await connection.scalar("SELECT column_name FROM ops.unit_fields WHERE field = '_unit'");
  const [row] = await connection.rows('FROM raw.crawl_pages');
  expect(row?._unit).toBe('crawl_pages/c1');
  expect(row?.[String(column)]).toBe('of the service');
});

test('row hashes stay in the package, and a field with the same name keeps its values', async () => {
  const { connection, load } = await warehouse();
  await load({ id: 'c1', fields: fields('url'), rows: [{ url: 'a' }] });
  await expect(connection.rows('SELECT _row_hash FROM raw.crawl_pages')).rejects.toThrow('_row_hash');
  await load({ id: 'c2', fields: fields('url', '_row_hash'), rows: [{ url: 'b', _row_hash: 'own' }] });
  const rows = await connection.rows(
    'SELECT url, "_row_hash~8866b9" AS own FROM raw.crawl_pages ORDER BY url',
  );
  expect(rows).toEqual([
    { url: 'a', own: null },
    { url: 'b', own: 'own' },
  ]);
});

test('a mismatched type refuses the unit, which keeps its previous rows', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES);
  const before = await contents(connection);
  await expect(
    load({ ...PAGES, fields: fields('url', 'depth float', 'new'), rows: [{ url: 'x', depth: 0.5 }] }),
  ).rejects.toMatchObject({ code: 'contract_drift' });
  expect(await contents(connection)).toEqual(before);
});

test('inconsistent counts refuse the unit during the transaction, and nothing changes', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES);
  const before = await contents(connection);
  const counts = { reported: 3, received: 3, staged: 3, rejected: 0 };
  const changed = { ...PAGES, fields: fields('url', 'depth natural', 'new'), manifest: { counts } };
  await expect(load(changed)).rejects.toMatchObject({
    code: 'unreconciled',
    message: 'crawl_pages/c1: 3 rows staged, but 2 loaded',
  });
  expect(await contents(connection)).toEqual(before);
});

test.for([
  ['rows are published by the fingerprint of their package', 'parts', 'c1', 'damaged_warehouse', {}],
  ['values take another type', 'parts', 'c2', 'bad_package', {}],
  ['a list of resources has its fingerprint from the table', 'parts', 'projects', 'bad_package', LIST],
  ['its rejects are recorded', 'rejects', 'c1', 'bad_package', { rows: [{ url: 'a', depth: 'x' }] }],
] as const)(
  'a file that changes between its seal and its load is detected if %s',
  async ([_what, kind, id, code, more]) => {
    const folder = await temporaryFolder();
    const database = await openDatabase(folder);
    const working = await openWorking(folder, database);
    const staging = await database.connect();
    const load = async (spec: PackageSpec, spoil: (path: string) => Promise<unknown> = async () => {}) => {
      const staged = await readPackage(await makePackage(staging, folder, spec));
      await spoil(join(staged.folder, staged.manifest[kind][0]?.file ?? ''));
      await loadPackage(working, staged, { runId: 'r', schemaChange: 'evolve', signal });
      await publish(working, silentLogger, signal);
    };
    if (id === 'c2') await load({ ...PAGES, rows: [{ url: 'a', depth: 2n ** 64n }] });
    const spoiled = load({ ...PAGES, id, ...more }, async (path) => {
      await staging.run(`CREATE OR REPLACE TEMP TABLE whole AS FROM ${parquetFiles([path])}`);
      const values = kind === 'parts' ? "'x' AS url" : "'x' AS value";
      await staging.run(`COPY (SELECT * REPLACE (${values}) FROM whole) TO ${text(path)} (FORMAT parquet)`);
    });
    await expect(spoiled).rejects.toMatchObject({ code });
  },
);

test('a value altered by the encoder of a part is not published', async () => {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  const run = staging.run.bind(staging);
  vi.spyOn(staging, 'run').mockImplementation((sql, ...rest) =>
    run(sql.replace(/^COPY \((.*)\) TO/s, "COPY (SELECT * REPLACE ('x' AS url) FROM ($1)) TO"), ...rest),
  );
  const staged = await readPackage(await makePackage(staging, folder, PAGES));
  await loadPackage(working, staged, { runId: 'r', schemaChange: 'evolve', signal });
  await expect(publish(working, silentLogger, signal)).rejects.toMatchObject({ code: 'damaged_warehouse' });
});

test('an aborted load changes nothing', async () => {
  const folder = await temporaryFolder();
  const working = await openWorking(folder);
  const staged = await readPackage(
    await makePackage(await (await openDatabase(folder)).connect(), folder, PAGES),
  );
  const load = { runId: 'r', schemaChange: 'evolve' } as const;
  await loadPackage(working, staged, { ...load, signal: new AbortController().signal });
  const before = await contents(working.connection);
  const aborted = loadPackage(working, staged, {
    runId: 'r',
    schemaChange: 'evolve',
    signal: AbortSignal.abort(new Error('stop')),
  });
  await expect(aborted).rejects.toThrow('stop');
  expect(await contents(working.connection)).toEqual(before);
});

test('with schema_change: freeze, the first unit sets the fields, and a unit that changes them is refused', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES, 'freeze');
  await load({ ...PAGES, id: 'c2' }, 'freeze');
  const before = await contents(connection);
  const rows = [{ url: 'x', depth: 0, new: 'y' }];
  const more = { id: 'c3', fields: fields('url', 'depth natural', 'new'), rows };
  await expect(load(more, 'freeze')).rejects.toMatchObject({
    code: 'contract_drift',
    message: 'crawl_pages/c3 changes the frozen fields of its dataset: new (added: VARCHAR)',
    hint: expect.stringContaining('schema_change: evolve'),
  });
  expect(await contents(connection)).toEqual(before);
  await load(more, 'evolve');
  expect(await connection.scalar('SELECT count(*) FROM raw.crawl_pages')).toBe(5n);
});

test('names and values with quotes stay text', async () => {
  const { connection, load } = await warehouse();
  const name = `it's "; DROP TABLE ops.loads; --`;
  await load({
    id: 'c1',
    fields: fields('url').map((field) => ({ ...field, name })),
    rows: [{ [name]: name }],
  });
  expect(await connection.rows(`SELECT ${ident(name)} AS value FROM raw.crawl_pages`)).toEqual([
    { value: name },
  ]);
  expect(await connection.scalar('SELECT count(*) FROM ops.loads')).toBe(1n);
});

/** More values than a load leaves the memory limit alone for. */
const MANY = { ...PAGES, rows: Array.from({ length: 50_000 }, (_, depth) => ({ url: `/${depth}`, depth })) };

test('a failed load reports the reason, and leaves DuckDB its memory', async () => {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const { connection } = working;
  const limit = () =>
    connection.scalar("SELECT current_setting('memory_limit') || current_setting('threads')");
  const before = await limit();
  const staged = await readPackage(await makePackage(await database.connect(), folder, MANY));
  for (const part of staged.manifest.parts) await writeFile(join(staged.folder, part.file), 'no Parquet');
  const options = { runId: 'r', schemaChange: 'evolve', signal } as const;
  await expect(loadPackage(working, staged, options)).rejects.toThrow(
    /too small to be a Parquet file|magic bytes/,
  );
  expect(await limit()).toBe(before);
});

test('a load that exceeds its share of memory is repeated once with all memory', async () => {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const { connection } = working;
  const staged = await readPackage(await makePackage(await database.connect(), folder, MANY));
  const options = { runId: 'r', schemaChange: 'evolve', signal } as const;
  const limits: unknown[] = [];
  const run = connection.run.bind(connection);
  const others = await database.connect();
  vi.spyOn(connection, 'run').mockImplementation(async (sql, ...rest) => {
    if (!/^INSERT INTO \S*raw/.test(sql)) return run(sql, ...rest);
    limits.push(await connection.scalar("SELECT current_setting('memory_limit')"));
    // As much memory besides as makes the share too little: the error is DuckDB's own.
    await others.scalar('SELECT len(list(i)) FROM range(10000000) t(i)');
    return run(sql, ...rest);
  });
  const whole = await connection.scalar("SELECT current_setting('memory_limit')");
  expect((await loadPackage(working, staged, options)).loaded).toBe(50_000);
  expect(limits).toEqual([expect.not.stringContaining(String(whole)), whole]);
  expect(await connection.scalar('SELECT count(*) FROM raw.crawl_pages')).toBe(50_000n);
});

test('fields of units dropped on the same connection are forgotten', async () => {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const staging = await database.connect();
  const columnContracts = new Map([['depth', { schemaChange: 'freeze' } as const]]);
  const options = { runId: 'r', schemaChange: 'evolve', columnContracts, signal } as const;
  const first = await readPackage(await makePackage(staging, folder, PAGES));
  await loadPackage(working, first, options);
  const second = await readPackage(
    await makePackage(staging, folder, { id: 'c2', fields: fields('url'), rows: [{ url: 'a' }] }),
  );
  await expect(loadPackage(working, second, options)).rejects.toMatchObject({ code: 'contract_drift' });
  const { name, unit } = first.manifest;
  await dropUnits(working, { units: [{ ...unit, unit: name }], reason: 'asked' });
  expect(await loadPackage(working, second, options)).toMatchObject({ loaded: 1 });
});

test('a load reopens the working copy after large loads', async () => {
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const working = await openWorking(folder, database);
  const detach = vi.spyOn(working, 'detach');
  const options = { runId: 'r', schemaChange: 'evolve', signal } as const;
  const staged = await readPackage(await makePackage(await database.connect(), folder, PAGES));
  for (const values of [0, 1e9, 0]) {
    working.noteLoaded(values);
    await loadPackage(working, staged, options);
    expect(await working.connection.scalar('SELECT count(*) FROM raw.crawl_pages')).toBe(2n);
  }
  expect(detach).toHaveBeenCalledTimes(1);
});

/** A list of projects as the service shows it at one moment. */
function projects(rows: PackageSpec['rows']): PackageSpec {
  return {
    id: 'w1',
    dataset: 'projects',
    fields: fields('id', 'name', 'features string many', 'limits object'),
    rows,
    unit: { source: { kind: 'resource', id: 'w1', project_id: null } },
  };
}

test('a list of resources keeps its history, and stores nothing twice', async () => {
  const { connection, load } = await warehouse();
  const shop = { id: 'p1', name: 'Shop', features: ['crawl'], limits: { max_speed: null } };
  const blog = { id: 'p2', name: 'Blog', features: null, limits: null };
  expect((await load(projects([shop, blog]))).loaded).toBe(2);
  expect((await load(projects([blog, shop]))).loaded).toBe(2);
  expect(await connection.scalar('SELECT count(*) FROM raw.projects')).toBe(2n);
  expect((await load(projects([{ ...shop, name: 'Store' }, blog]))).loaded).toBe(2);
  expect((await load(projects([{ ...shop, name: 'Store' }]))).loaded).toBe(1);
  const rows = await connection.jsonRows(
    `SELECT name, _seen_to IS NULL AS present, _seen_from <= coalesce(_seen_to, now()) AS ordered, _run_id
     FROM raw.projects ORDER BY name`,
  );
  expect(rows).toEqual([
    { name: 'Blog', present: false, ordered: true, _run_id: 'run-1' },
    { name: 'Shop', present: false, ordered: true, _run_id: 'run-1' },
    { name: 'Store', present: true, ordered: true, _run_id: 'run-3' },
  ]);
  expect((await load(projects([]))).loaded).toBe(0);
  expect(await connection.scalar('SELECT count(*) FROM raw.projects WHERE _seen_to IS NULL')).toBe(0n);
});

test('a resource that returns starts a new record', async () => {
  const { connection, load } = await warehouse();
  const shop = { id: 'p1', name: 'Shop', features: null, limits: null };
  await load(projects([shop]));
  await load(projects([]));
  await load(projects([shop]));
  expect(await connection.scalar('SELECT count(*) FROM raw.projects')).toBe(2n);
  expect(await connection.scalar('SELECT count(*) FROM raw.projects WHERE _seen_to IS NULL')).toBe(1n);
});

test('a missing or changed field is recorded with its old and new type', async () => {
  const { connection, load } = await warehouse();
  const unit = (id: string, ...texts: string[]): PackageSpec => ({
    id,
    fields: fields(...texts),
    rows: [Object.fromEntries(texts.map((text) => [text.split(' ')[0], null]))],
  });
  await load(unit('c1', 'url', 'depth natural', 'tags string', 'old enum'));
  await load(unit('c2', 'url', 'depth integer', 'tags string many'));
  await load(unit('c3', 'url', 'depth integer', 'tags string many'));
  const changes = await connection.jsonRows(
    "SELECT unit, field, change, before, after FROM ops.schema_changes WHERE change NOT IN ('added', 'widened') ORDER BY ALL",
  );
  const c2 = { unit: 'crawl_pages/c2' };
  expect(changes).toEqual([
    { ...c2, field: 'depth', change: 'retyped', before: 'natural', after: 'integer' },
    { ...c2, field: 'old', change: 'vanished', before: 'enum', after: null },
    { ...c2, field: 'tags', change: 'arity', before: 'one', after: 'many' },
  ]);
});

test('with schema_change: freeze, a unit that lacks a field is refused', async () => {
  const { load } = await warehouse();
  await load(PAGES);
  const less = { id: 'c2', fields: fields('url'), rows: [{ url: 'a' }] };
  await expect(load(less, 'freeze')).rejects.toMatchObject({
    code: 'contract_drift',
    message: expect.stringContaining('depth (vanished: natural)'),
  });
});

test('a field of another type is refused unless the pipeline file allows it', async () => {
  const { connection, load } = await warehouse();
  await load(PAGES);
  const other = { id: 'c2', fields: fields('url', 'depth float'), rows: [{ url: 'a', depth: 0.5 }] };
  await expect(load(other)).rejects.toMatchObject({
    code: 'contract_drift',
    hint: expect.stringContaining('retype: allow'),
  });
  await load(other, 'evolve', { depth: { retype: 'allow' } });
  await load({ ...PAGES, id: 'c3' }, 'evolve', { depth: { retype: 'allow' } });
  expect(
    await connection.jsonRows('SELECT depth, typeof(depth) AS type FROM raw.crawl_pages ORDER BY 1'),
  ).toEqual([0, 0, 0.5, 1, 1].map((depth) => ({ depth, type: 'DOUBLE' })));
  const change = { field: 'depth', unit: 'crawl_pages/c2' };
  expect(
    await connection.jsonRows(`SELECT field, unit, change, before, after FROM ops.schema_changes
      WHERE unit = 'crawl_pages/c2' ORDER BY change DESC`),
  ).toEqual([
    { ...change, change: 'widened', before: 'BIGINT', after: 'DOUBLE' },
    { ...change, change: 'retyped', before: 'natural', after: 'float' },
  ]);
});

/** A unit of a project with one row of nulls. */
function unitOf(id: string, project: string, ...texts: string[]): PackageSpec {
  return {
    id,
    fields: fields(...texts),
    rows: [Object.fromEntries(texts.map((one) => [one.split(' ')[0], null]))],
    unit: { source: { kind: 'crawl', id, project_id: project } },
  };
}

test.for([
  ['vanishes', ['url', 'tags'], 'depth (vanished: natural)'],
  ['changes its type', ['url', 'depth integer', 'tags'], 'depth (retyped: integer)'],
  [
    'changes its arity',
    ['url', 'depth natural many', 'tags'],
    'depth (widened: BIGINT[]), depth (arity: many)',
  ],
] as const)('a frozen column that %s refuses its unit, while others evolve', async ([, texts, what]) => {
  const { connection, load } = await warehouse();
  const freeze = { depth: { schemaChange: 'freeze' } } as const;
  await load(unitOf('c0', 'p1', 'url'), 'evolve', freeze);
  // It comes for the first time: taken.
  await load(unitOf('c1', 'p1', 'url', 'depth natural', 'tags'), 'evolve', freeze);
  await load(unitOf('c2', 'p1', 'url', 'depth natural', 'new bool'), 'evolve', freeze);
  const before = await contents(connection);
  const changed = unitOf('c3', 'p1', ...texts);
  await expect(load(changed, 'evolve', freeze)).rejects.toMatchObject({
    code: 'contract_drift',
    message: `crawl_pages/c3 changes the frozen fields of its dataset: ${what}`,
    hint: expect.stringContaining('in the entry of the column'),
  });
  expect(await contents(connection)).toEqual(before);
  await load(changed);
});

test('a frozen column that the first unit of another project lacks refuses that unit', async () => {
  const { load } = await warehouse();
  await load(unitOf('c1', 'p1', 'url', 'depth natural'));
  const other = unitOf('c2', 'p2', 'url');
  await expect(load(other, 'evolve', { depth: { schemaChange: 'freeze' } })).rejects.toMatchObject({
    code: 'contract_drift',
    message: expect.stringContaining('depth (vanished)'),
  });
  await load(other);
});

test('in a frozen dataset, a column can evolve by name', async () => {
  const { load } = await warehouse();
  await load(unitOf('c1', 'p1', 'url'), 'freeze');
  const more = unitOf('c2', 'p1', 'url', 'new bool');
  await expect(load(more, 'freeze')).rejects.toMatchObject({ code: 'contract_drift' });
  await load(more, 'freeze', { new: { schemaChange: 'evolve' } });
});

test('a new column gets the type that models read, and a unit that does not fit is refused', async () => {
  const { connection, load } = await warehouse();
  const file = 'sql/m.sql';
  const reads = new Map([
    ['tags', { type: 'VARCHAR[]', file }],
    ['depth', { type: 'BIGINT', file }],
    ['url', { type: 'VARCHAR', file }],
  ]);
  const one = (name: string, type: string, value: unknown): PackageSpec => ({
    id: 'c1',
    fields: fields(`${name} ${type}`),
    rows: [{ [name]: value }],
  });
  for (const [spec, message] of [
    [
      one('depth', 'string', '1'),
      'the field depth has the type VARCHAR (string), but sql/m.sql reads it as BIGINT',
    ],
    [
      one('depth', 'float', 1),
      'the field depth has the type DOUBLE (float), but sql/m.sql reads it as BIGINT',
    ],
    [
      one('depth', 'natural many', [1]),
      'the field depth has the type BIGINT[] (natural), but sql/m.sql reads it as BIGINT',
    ],
    [
      one('depth', 'new_type', 1),
      'the field depth has the type JSON (new_type), but sql/m.sql reads it as BIGINT',
    ],
    [one('URL', 'string', 'a'), 'the unit has the field "URL" but not "url", which sql/m.sql reads'],
  ] as const) {
    await expect(load(spec, 'evolve', {}, reads)).rejects.toMatchObject({
      code: 'contract_drift',
      message: `crawl_pages/c1: ${message}`,
    });
  }
  expect((await contents(connection))['raw.crawl_pages']).toBeUndefined();
  await load(one('tags', 'string', 'a'), 'evolve', {}, reads);
  await load({ ...one('depth', 'natural', 2n ** 70n), id: 'c2' }, 'evolve', {}, reads);
  await load({ ...one('url', 'float', 1.5), id: 'c3' }, 'evolve', { url: { retype: 'allow' } }, reads);
  const rows = await connection.jsonRows('SELECT tags, depth, url FROM raw.crawl_pages ORDER BY _unit');
  expect(rows).toEqual([
    { tags: ['a'], depth: null, url: null },
    { tags: null, depth: String(2n ** 70n), url: null },
    { tags: null, depth: null, url: 1.5 },
  ]);
});
