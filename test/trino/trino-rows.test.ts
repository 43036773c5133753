import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Connection } from '../../src/core/duckdb/duckdb.ts';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { PointerTable } from '../../src/etl/engines/trino/rows/pointer-table.ts';
import { StoredTables } from '../../src/etl/engines/trino/rows/stored-tables.ts';
import { TrinoRows } from '../../src/etl/engines/trino/rows/trino-rows.ts';
import { vacuumRows } from '../../src/etl/engines/trino/rows/vacuum-rows.ts';
import type { TrinoPlace } from '../../src/etl/engines/trino/trino-place.ts';
import { createSchema } from '../../src/etl/state/catalog/create-schema.ts';
import { openServer } from '../core/stores/store-server.ts';
import { rowStoreContract } from '../etl/engines/row-store-contract.ts';
import { errorOf } from '../support/error-of.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

const trino = inject('trino');
const PAGES = 'raw.crawl_pages';

let client: TrinoClient;
let place: TrinoPlace;
let connection: Connection;

beforeEach(async () => {
  const folder = await temporaryFolder();
  connection = await temporaryConnection(folder);
  await createSchema(connection);
  await connection.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
  const objects = await openServer({ kind: 'store_b', bucket: trino.bucket, ...trino.s3 });
  onTestFinished(async () => {
    await objects[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
  });
  const prefix = `t${randomUUID().slice(0, 8)}_`;
  place = {
    client,
    catalog: trino.catalog,
    prefix,
    bucket: trino.bucket,
    folder: `rows/${prefix}`,
    objects,
    connection,
    temporary: join(folder, 'on their way'),
  };
});

rowStoreContract('Trino', async () => {
  const rows = await TrinoRows.begin(place);
  const read = () => client.rows(`SELECT * FROM ${rows.names.work(PAGES)}`);
  return { rows, catalog: connection, read, publish: () => rows.publishPointers() };
});

test('a missing warehouse has no columns, whatever other projects drop meanwhile', async () => {
  const names = new RelationNames(place.prefix);
  const ended = new AbortController();
  const other = async (number: number): Promise<void> => {
    while (!ended.signal.aborted) {
      await client.run(`CREATE SCHEMA ${place.prefix}other_${number}`);
      await client.run(`DROP SCHEMA ${place.prefix}other_${number}`);
    }
  };
  const others = Promise.all([1, 2, 3].map(other));
  for (let look = 0; look < 30; look++)
    expect(await new StoredTables(place, names, false).columns(PAGES, undefined)).toEqual(new Map());
  ended.abort();
  await others;
});

/** Puts whole numbers in the place of a unit's rows. */
function put(rows: TrinoRows, unit: string, numbers: readonly number[]): Promise<bigint> {
  const from = `(VALUES (${numbers.join('), (')})) AS t(n)`;
  return rows.replaceUnit({ relation: PAGES, unit, values: new Map([['n', 'n']]), from });
}

/** The rows of a name, as texts. */
async function read(name: string): Promise<string[]> {
  const found = await client.rows(`SELECT * FROM ${name}`);
  return found.map((row) => Object.values(row).map(String).join(' ')).toSorted();
}

const seen = (rows: TrinoRows, relation = PAGES): Promise<string[]> => read(rows.names.reader(relation));
const worked = (rows: TrinoRows, relation = PAGES): Promise<string[]> => read(rows.names.work(relation));

test('readers see loads, drops and quarantined units after their publication', async () => {
  const rows = await TrinoRows.begin(place);
  await put(rows, 'a', [1, 2]);
  await put(rows, 'b', [3]);
  expect(await seen(rows)).toEqual([]);
  await rows.publishPointers();
  expect(await seen(rows)).toEqual(['a 1', 'a 2', 'b 3']);
  await put(rows, 'a', [4]);
  await put(rows, 'c', [5]);
  await rows.removeUnits(PAGES, ['b']);
  expect(await worked(rows)).toEqual(['a 4', 'c 5']);
  expect(await seen(rows)).toEqual(['a 1', 'a 2', 'b 3']);
  // Held: one has a former load, the other has none.
  await rows.restoreUnits(PAGES, ['a', 'c']);
  expect(await worked(rows)).toEqual(['a 1', 'a 2']);
  await rows.publishPointers();
  expect(await seen(rows)).toEqual(['a 1', 'a 2']);
});

test('unpublished rows of an earlier writer are forgotten, and it can no longer publish', async () => {
  const former = await TrinoRows.begin(place);
  await put(former, 'a', [1]);
  const later = await TrinoRows.begin(place);
  await put(later, 'b', [2]);
  // As a process does that was paused.
  await put(former, 'c', [3]);
  expect(await worked(later)).toEqual(['b 2']);
  expect((await errorOf(former.publishPointers())).code).toBe('locked');
  await later.publishPointers();
  expect(await seen(later)).toEqual(['b 2']);
});

test('every DuckDB type is stored without loss', async () => {
  const values = {
    text: ['VARCHAR', `'it''s ü 😀'`],
    json: ['JSON', `'{"a":[1,"x"]}'`],
    jsons: ['JSON[]', `['{"a":1}'::JSON, NULL]`],
    whole: ['BIGINT', '9223372036854775807'],
    wide: ['DECIMAL(38,0)', '12345678901234567890123456789012345678'],
    float: ['DOUBLE', '0.1'],
    yes: ['BOOLEAN', 'true'],
    day: ['DATE', `'1582-10-04'`],
    at: ['TIMESTAMP WITH TIME ZONE', `'2026-01-02 03:04:05.123456+01'`],
    list: ['VARCHAR[]', `['a', NULL]`],
    none: ['BIGINT', 'NULL'],
  };
  const columns = Object.entries(values).map(([name, [type]]) => `"${name}" ${type}`);
  await connection.run(`CREATE TABLE raw.typed (_unit VARCHAR, ${columns.join(', ')})`);
  const sql = new Map(
    Object.entries(values).map(([name, [type, value]]) => [name, `CAST(${value} AS ${type})`]),
  );
  const rows = await TrinoRows.begin(place);
  await rows.replaceUnit({ relation: 'raw.typed', unit: 'a', values: sql, from: '(SELECT 1)' });
  expect((await client.rows(`SELECT * FROM ${rows.names.work('raw.typed')}`))[0]).toStrictEqual({
    _unit: 'a',
    text: "it's ü 😀",
    json: '{"a":[1,"x"]}',
    jsons: ['{"a":1}', null],
    whole: 9223372036854775807n,
    wide: 12345678901234567890123456789012345678n,
    float: 0.1,
    yes: true,
    day: '1582-10-04',
    at: '2026-01-02T02:04:05.123456Z',
    list: ['a', null],
    none: null,
  });
});

test('a model is built as a whole or by partition, from what the writer sees', async () => {
  const rows = await TrinoRows.begin(place);
  await put(rows, 'a', [1, 2]);
  const model = {
    relation: 'mart.sums',
    columns: new Map([
      ['unit', 'VARCHAR'],
      ['n', 'BIGINT'],
    ]),
    select: `SELECT _unit AS unit, sum(n) AS n FROM ${rows.names.work(PAGES)} GROUP BY 1`,
  };
  expect(await rows.build(model)).toBe(1n);
  await rows.publishPointers();
  expect(await seen(rows, 'mart.sums')).toEqual(['a 3']);
  await put(rows, 'a', [5]);
  await put(rows, 'b', [7]);
  // By partition from now on: the whole is gone.
  await rows.build(model, { by: ['unit'], built: ['["a"]', '["b"]'], gone: [] });
  expect(await worked(rows, 'mart.sums')).toEqual(['a 5', 'b 7']);
  expect(await seen(rows, 'mart.sums')).toEqual(['a 3']);
  await put(rows, 'b', [8]);
  await rows.build(model, { by: ['unit'], built: ['["b"]'], gone: ['["a"]'] });
  expect(await worked(rows, 'mart.sums')).toEqual(['b 8']);
  // And as a whole again.
  expect(await rows.build(model)).toBe(2n);
  await rows.publishPointers();
  expect(await seen(rows, 'mart.sums')).toEqual(['a 5', 'b 8']);
});

test('comments are copied for readers', async () => {
  const rows = await TrinoRows.begin(place);
  await put(rows, 'a', [1]);
  await connection.run(
    `COMMENT ON TABLE raw.crawl_pages IS 'The crawl''s pages'; COMMENT ON COLUMN raw.crawl_pages.n IS 'A number'`,
  );
  await rows.publishPointers();
  await rows.vacuum();
  const comment = await client.scalar(
    'SELECT comment FROM system.metadata.table_comments WHERE catalog_name = ? AND schema_name = ? AND table_name = ?',
    { values: [trino.catalog, `${place.prefix}raw`, 'crawl_pages'] },
  );
  const columns = await client.rows(`SHOW COLUMNS FROM ${rows.names.reader(PAGES)}`);
  expect([comment, columns.find(({ Column }) => Column === 'n')?.Comment]).toEqual([
    "The crawl's pages",
    'A number',
  ]);
});

test('a table is recreated if it was never finished, but not if it contains rows', async () => {
  const rows = await TrinoRows.begin(place);
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '{}');
  const { signal } = new AbortController();
  const leave = (path: string) => place.objects.put(`${place.folder}/raw/crawl_pages/${path}`, file, signal);
  const left = async (): Promise<number> =>
    (await Array.fromAsync(place.objects.list(`${place.folder}/raw/`, signal))).length;
  // Trino writes it, and a catalog that crashes never hears of it.
  await leave('metadata/00000-a.metadata.json');
  await leave('data/rows.parquet');
  await expect(put(rows, 'a', [1])).rejects.toMatchObject({
    message: expect.stringContaining('on a non-empty location'),
  });
  expect(await left()).toBe(2);
  for await (const object of place.objects.list(`${place.folder}/raw/crawl_pages/data/`, signal))
    await place.objects.remove(object, signal);
  await put(rows, 'a', [1]);
  expect(await worked(rows)).toEqual(['a 1']);
});

test("another warehouse's location is refused, and only its certain owner clears it", async () => {
  const { signal } = new AbortController();
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '{}');
  const keys = async (): Promise<string[]> =>
    (await Array.fromAsync(place.objects.list(`${place.folder}/`, signal))).map(({ key }) => key);
  const forget = async (): Promise<void> => {
    for await (const object of place.objects.list(`${place.folder}/warehouse.json`, signal))
      await place.objects.remove(object, signal);
  };
  const occupied = { message: expect.stringContaining('on a non-empty location') };
  const rows = await TrinoRows.begin(place);
  // An empty table.
  await rows.prepare();
  const before = await keys();
  expect(before).toContain(`${place.folder}/warehouse.json`);
  const folder = await temporaryFolder();
  const copied = await temporaryConnection(folder);
  await createSchema(copied);
  await copied.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  const copy = { ...place, prefix: `${place.prefix}copy_`, connection: copied };
  expect(await errorOf(TrinoRows.begin(copy))).toMatchObject({
    code: 'bad_settings',
    message: expect.stringContaining(`the warehouse ${place.catalog}.${place.prefix}raw`),
  });
  // As before there were notes: nothing says whose it is until the owner comes that has published there.
  await forget();
  await expect(put(await TrinoRows.begin(copy), 'a', [1])).rejects.toMatchObject(occupied);
  expect(await keys()).toEqual(before.filter((key) => !key.endsWith('/warehouse.json')));
  await rows.publish({ path: file, id: randomUUID() });
  await TrinoRows.begin(place);
  expect(await keys()).toContain(`${place.folder}/warehouse.json`);
  await expect(TrinoRows.begin(copy)).rejects.toMatchObject({ code: 'bad_settings' });
  // The same warehouse with another location is taken: nothing of its state directory was changed.
  await TrinoRows.begin({ ...copy, folder: `rows/${copy.prefix}` });
});

test('only invisible rows, pointers and files are removed', async () => {
  const rows = await TrinoRows.begin(place);
  const { names } = rows;
  const check = async () => {};
  const tidied = { client, catalog: trino.catalog, names, relations: [PAGES], grace: '0s', check };
  const files = async (): Promise<number> => {
    const listed = await Array.fromAsync(place.objects.list(place.folder, new AbortController().signal));
    return listed.filter(({ key }) => key.includes('/data/')).length;
  };
  await put(rows, 'a', [1, 2]);
  await put(rows, 'b', [3]);
  await rows.publishPointers();
  await put(rows, 'a', [4]);
  await rows.removeUnits(PAGES, ['b']);
  expect(await vacuumRows(tidied)).toBe(0n);
  expect([await files(), await seen(rows)]).toEqual([3, ['a 1', 'a 2', 'b 3']]);
  await rows.publishPointers();
  expect(await vacuumRows(tidied)).toBe(3n);
  expect(await seen(rows)).toEqual(['a 4']);
  expect(await files()).toBe(1);
  const units = await client.rows(
    `SELECT DISTINCT unit, seq FROM ${rows.names.visible} WHERE relation IS NULL OR relation = '${PAGES}' ORDER BY unit`,
  );
  expect(units.map(({ unit }) => unit)).toEqual(['a', 'definition', null]);
  // Its pointers go on.
  await put(rows, 'c', [5]);
  await rows.publishPointers();
  expect(await seen(rows)).toEqual(['a 4', 'c 5']);
});

test('housekeeping removes nothing that another writer has registered or published since', async () => {
  const rows = await TrinoRows.begin(place);
  await put(rows, 'a', [1]);
  await rows.publishPointers();
  await put(rows, 'a', [2]);
  await rows.publishPointers();
  const { names } = rows;
  let later: TrinoRows | undefined;
  const tidied = { client, catalog: trino.catalog, names, relations: [PAGES], grace: '7d' };
  // Another writer registers and publishes right after the look at the token.
  const check = async (): Promise<void> => {
    later = await TrinoRows.begin(place);
    await put(later, 'b', [3]);
    await later.publishPointers();
    await put(later, 'c', [4]);
  };
  expect(await vacuumRows({ ...tidied, check })).toBe(1n);
  expect(await seen(rows)).toEqual(['a 2', 'b 3']);
  await later?.publishPointers();
  expect(await seen(rows)).toEqual(['a 2', 'b 3', 'c 4']);
});

test('housekeeping removes no catalog of a concurrent publication', async () => {
  const file = join(await temporaryFolder(), 'catalogue');
  await writeFile(file, '{}');
  const [first, second] = [randomUUID(), randomUUID()];
  const catalogs = async (): Promise<string[]> => {
    const listed = place.objects.list(`${place.folder}/catalogue/`, new AbortController().signal);
    return (await Array.fromAsync(listed)).map(({ key }) => basename(key, '.duckdb'));
  };
  const rows = await TrinoRows.begin(place);
  await rows.publish({ path: file, id: first });
  const list = place.objects.list.bind(place.objects);
  // Another writer publishes right when the catalogs are looked at.
  vi.spyOn(place.objects, 'list').mockImplementationOnce(async function* (prefix, signal) {
    await (await TrinoRows.begin(place)).publish({ path: file, id: second });
    yield* list(prefix, signal);
  });
  expect((await errorOf(rows.vacuum())).code).toBe('locked');
  expect(await catalogs()).toContain(second);
  const later = await TrinoRows.begin(place);
  await later.vacuum();
  expect(await catalogs()).toEqual([second]);
});

test('unpublished rows of a killed writer are used, unless another writer may have removed them', async () => {
  const killed = await TrinoRows.begin(place);
  await put(killed, 'a', [1]);
  await killed.publishPointers();
  await put(killed, 'b', [2]);
  // Started again, with the same working copy.
  const again = await TrinoRows.begin(place);
  await again.synchronize();
  expect(await worked(again)).toEqual(['a 1', 'b 2']);
  const other = await temporaryConnection(await temporaryFolder());
  await createSchema(other);
  const elsewhere = await TrinoRows.begin({ ...place, connection: other });
  const check = async () => {};
  const tidied = {
    client,
    catalog: trino.catalog,
    names: again.names,
    relations: [PAGES],
    grace: '7d',
    check,
  };
  expect(await vacuumRows(tidied)).toBe(1n);
  expect(await seen(elsewhere)).toEqual(['a 1']);
  // The run then takes a new working copy, and loads the unit again.
  expect((await errorOf(TrinoRows.begin(place))).code).toBe('damaged_warehouse');
});

test('concurrent writers have different tokens, and only the last one publishes', async () => {
  await TrinoRows.begin(place);
  const all = await Promise.all(Array.from({ length: 4 }, () => TrinoRows.begin(place)));
  for (const [index, rows] of all.entries()) await put(rows, `u${index}`, [index]);
  const ended = await Promise.all(
    all.map(async (rows) => {
      try {
        await rows.publishPointers();
        return 'published';
      } catch (error) {
        return (error as { code?: string }).code;
      }
    }),
  );
  expect(ended.filter((one) => one === 'published')).toHaveLength(1);
  expect(ended.filter((one) => one === 'locked')).toHaveLength(3);
  const [first] = all;
  expect(first && (await seen(first))).toHaveLength(1);
});

test('a writer that begins during a publication either sees it, or has it refused', async () => {
  const names = new RelationNames(place.prefix);
  let rows = await TrinoRows.begin(place);
  let shown: string[] = [];
  for (let round = 1; round <= 4; round++) {
    await put(rows, 'a', [round]);
    const publication = rows.publishPointers().then(
      () => 'published',
      (error: { code?: string }) => error.code,
    );
    // At other moments of the publication.
    await sleep(round * 150);
    const [ended, later] = await Promise.all([publication, PointerTable.begin(place, names, undefined)]);
    if (ended === 'published') shown = [`a ${round}`];
    else expect(ended).toBe('locked');
    expect(await seen(rows)).toEqual(shown);
    const [load] = await client.rows<{ load: string }>(
      `SELECT load_id AS load FROM (${names.lastPointers('visible', PAGES)}) WHERE unit = 'a'`,
    );
    expect(later.published(PAGES).get('a')).toBe(load?.load);
    rows = await TrinoRows.begin(place);
  }
});

test('continuous readers see only complete publications', async () => {
  const rows = await TrinoRows.begin(place);
  const model = {
    relation: 'mart.copy',
    columns: new Map([['n', 'BIGINT']]),
    select: `SELECT n FROM ${rows.names.work(PAGES)}`,
  };
  const publishVersion = async (version: number): Promise<void> => {
    for (const unit of ['a', 'b']) await put(rows, unit, [version, version]);
    await rows.build(model);
    await rows.publishPointers();
  };
  await publishVersion(1);
  const versions = new Set<string>();
  let reading = true;
  const reader = async (): Promise<void> => {
    while (reading) {
      const [row] = await client.rows(
        `SELECT (SELECT array_agg(n ORDER BY n) FROM ${rows.names.reader(PAGES)}) AS pages,
           (SELECT array_agg(n ORDER BY n) FROM ${rows.names.reader('mart.copy')}) AS copy`,
      );
      versions.add(`${row?.pages} ${row?.copy}`);
    }
  };
  const readers = [reader(), reader()];
  for (const version of [2, 3]) await publishVersion(version);
  reading = false;
  await Promise.all(readers);
  const whole = [1, 2, 3].map((version) => `${Array(4).fill(version)} ${Array(4).fill(version)}`);
  expect([...versions].filter((one) => !whole.includes(one))).toEqual([]);
  expect(versions.size).toBeGreaterThan(1);
});
