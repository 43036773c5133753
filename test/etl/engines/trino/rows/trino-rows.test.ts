import { randomUUID } from 'node:crypto';
import { utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeStore } from '../../../../../src/etl/engines/trino/rows/make-store.ts';
import { TrinoRows } from '../../../../../src/etl/engines/trino/rows/trino-rows.ts';
import { vacuumRows } from '../../../../../src/etl/engines/trino/rows/vacuum-rows.ts';
import type { TrinoPlace } from '../../../../../src/etl/engines/trino/trino-place.ts';
import { errorOf } from '../../../../support/error-of.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { rowStoreContract } from '../../row-store-contract.ts';
import { duckDbPlace } from '../duckdb-trino.ts';

const PAGES = 'raw.crawl_pages';

rowStoreContract('the SQL for Trino', async () => {
  const place = await duckDbPlace();
  const rows = await TrinoRows.begin(place);
  const read = () => place.client.rows(`SELECT * FROM ${rows.names.work(PAGES)}`);
  return { rows, catalog: place.connection, read, publish: () => rows.publishPointers() };
});

/** Puts whole numbers in the place of a unit's rows. */
function put(rows: TrinoRows, unit: string, numbers: readonly number[]): Promise<bigint> {
  const from = `(VALUES (${numbers.join('), (')})) AS t(n)`;
  return rows.replaceUnit({ relation: PAGES, unit, values: new Map([['n', 'n']]), from });
}

/** The rows that readers see, and those that the writer sees, as texts. */
function views({ client }: TrinoPlace, rows: TrinoRows) {
  const read = async (name: string): Promise<string[]> =>
    (await client.rows(`SELECT * FROM ${name}`))
      .map((row) => Object.values(row).map(String).join(' '))
      .toSorted();
  return {
    seen: (relation = PAGES) => read(rows.names.reader(relation)),
    worked: (relation = PAGES) => read(rows.names.work(relation)),
  };
}

test('readers see loads, drops and quarantined units after their publication', async () => {
  const place = await duckDbPlace();
  const rows = await TrinoRows.begin(place);
  const { seen, worked } = views(place, rows);
  await put(rows, 'a', [1, 2]);
  await put(rows, 'b', [3]);
  expect(await seen()).toEqual([]);
  await rows.publishPointers();
  expect(await seen()).toEqual(['a 1', 'a 2', 'b 3']);
  await put(rows, 'a', [4]);
  await put(rows, 'c', [5]);
  expect(await rows.removeUnits(PAGES, ['b'])).toBe(1n);
  expect([await worked(), await seen()]).toEqual([
    ['a 4', 'c 5'],
    ['a 1', 'a 2', 'b 3'],
  ]);
  // Held: one has a former load, the other has none.
  await rows.restoreUnits(PAGES, ['a', 'c']);
  expect(await worked()).toEqual(['a 1', 'a 2']);
  await rows.publishPointers();
  expect(await seen()).toEqual(['a 1', 'a 2']);
  expect(rows.unitsOf(PAGES)).toEqual(['a']);
  expect(await rows.countUnits(PAGES, ['a', 'b'])).toEqual(
    new Map([
      ['a', 2n],
      ['b', 0n],
    ]),
  );
});

test('unpublished rows of an earlier writer are forgotten, and it can no longer publish', async () => {
  const place = await duckDbPlace();
  const former = await TrinoRows.begin(place);
  await put(former, 'a', [1]);
  const later = await TrinoRows.begin(place);
  await put(later, 'b', [2]);
  // As a process does that was paused.
  await put(former, 'c', [3]);
  const { seen, worked } = views(place, later);
  expect(await worked()).toEqual(['b 2']);
  expect((await errorOf(former.publishPointers())).code).toBe('locked');
  expect((await errorOf(former.vacuum())).code).toBe('locked');
  await later.publishPointers();
  expect(await seen()).toEqual(['b 2']);
});

test('unpublished rows of a killed writer are used, unless another writer has begun since', async () => {
  const place = await duckDbPlace();
  const killed = await TrinoRows.begin(place);
  await put(killed, 'a', [1]);
  await killed.publishPointers();
  await put(killed, 'b', [2]);
  const again = await TrinoRows.begin(place);
  await again.synchronize();
  expect(await views(place, again).worked()).toEqual(['a 1', 'b 2']);
  const { connection } = await duckDbPlace();
  await TrinoRows.begin({ ...place, connection });
  expect((await errorOf(TrinoRows.begin(place))).code).toBe('damaged_warehouse');
});

test('a model is built as a whole or by partition, from what the writer sees', async () => {
  const place = await duckDbPlace();
  const rows = await TrinoRows.begin(place);
  const { seen, worked } = views(place, rows);
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
  expect(await seen('mart.sums')).toEqual(['a 3']);
  await put(rows, 'a', [5]);
  await put(rows, 'b', [7]);
  // By partition from now on: the whole is gone.
  expect(await rows.build(model, { by: ['unit'], built: ['["a"]', '["b"]'], gone: [] })).toBe(2n);
  expect([await worked('mart.sums'), await seen('mart.sums')]).toEqual([['a 5', 'b 7'], ['a 3']]);
  await put(rows, 'b', [8]);
  expect(await rows.build(model, { by: ['unit'], built: ['["b"]'], gone: ['["a"]'] })).toBe(1n);
  expect(await worked('mart.sums')).toEqual(['b 8']);
  expect(await rows.build(model, { by: ['unit'], built: ['["b"]'], gone: [], isWhole: true })).toBe(2n);
  expect(await worked('mart.sums')).toEqual(['b 8']);
  // And as a whole again.
  expect(await rows.build(model)).toBe(2n);
  await rows.publishPointers();
  expect(await seen('mart.sums')).toEqual(['a 5', 'b 8']);
  await rows.drop('mart.sums');
  await rows.publishPointers();
  expect((await errorOf(place.client.rows(`SELECT * FROM ${rows.names.reader('mart.sums')}`))).code).toBe(
    'bad_query',
  );
});

test('a view reads what its reader may see, and follows the views that it reads', async () => {
  const place = await duckDbPlace();
  const rows = await TrinoRows.begin(place);
  const { seen, worked } = views(place, rows);
  await put(rows, 'a', [1]);
  await rows.view('mart.first', (nameOf) => `SELECT n + 1 AS n FROM ${nameOf(PAGES)}`);
  await rows.view('mart.a_second', (nameOf) => `SELECT n * 10 AS n FROM ${nameOf('mart.first')}`);
  await rows.publishPointers();
  await put(rows, 'a', [2]);
  expect([await worked('mart.a_second'), await seen('mart.a_second')]).toEqual([['30'], ['20']]);
  expect(await rows.rows(rows.resolve((nameOf) => `SELECT n FROM ${nameOf('mart.a_second')}`))).toEqual([
    { n: 30n },
  ]);
});

test('lists and tables of ops are copied when they change, with the values that they will have', async () => {
  const place = await duckDbPlace();
  const { connection, client } = place;
  const rows = await TrinoRows.begin(place);
  await rows.prepare();
  await rows.publishPointers();
  const dirty = () => client.rows(`SELECT dirty FROM ${rows.names.reader('ops.publication')}`);
  await connection.run('UPDATE ops.publication SET dirty = true');
  const inserts = () => client.said.filter(({ sql }) => sql.includes('add_files')).length;
  const before = inserts();
  await rows.prepare();
  expect(inserts()).toBe(before);
  expect((await dirty()).every((row) => row.dirty === false)).toBe(true);
  await connection.run(
    `INSERT INTO ops.loads BY NAME SELECT 'crawl_pages/a' AS unit, 'crawl_pages' AS dataset, 'crawl' AS source_kind,
       'a' AS source_id, 'p' AS project_id, 3 AS loaded, 'r' AS run_id, now() AS loaded_at, 'x' AS content_sha256`,
  );
  await rows.synchronize(new Set(['ops.loads']));
  expect(inserts()).toBe(before + 1);
  const loads = `SELECT unit, queryable FROM ${rows.names.work('ops.loads')}`;
  expect(await client.rows(loads)).toEqual([{ unit: 'crawl_pages/a', queryable: 3n }]);
  await connection.run('DELETE FROM ops.loads');
  await rows.synchronize();
  expect(await client.rows(loads)).toEqual([]);
});

test('a publication puts its catalog into the bucket, and housekeeping removes the former one', async () => {
  const place = await duckDbPlace();
  const { signal } = new AbortController();
  const file = join(await temporaryFolder(), 'catalogue');
  await writeFile(file, '{}');
  const [first, second] = [randomUUID(), randomUUID()];
  const catalogs = async (): Promise<string[]> =>
    (await Array.fromAsync(place.objects.list(`${place.folder}/catalogue/`, signal))).map(({ key }) =>
      basename(key, '.duckdb'),
    );
  const rows = await TrinoRows.begin(place);
  await put(rows, 'a', [1]);
  await place.connection.run(
    `COMMENT ON TABLE raw.crawl_pages IS 'The crawl''s pages'; COMMENT ON COLUMN raw.crawl_pages.n IS 'A number'`,
  );
  await rows.publish({ path: file, id: first });
  await rows.publish({ path: file, id: second });
  expect((await catalogs()).toSorted()).toEqual([first, second].toSorted());
  const comments = () =>
    place.client.said.filter(({ sql }) => /^COMMENT ON.*crawl_pages/.test(sql)).map(({ sql }) => sql);
  await rows.vacuum();
  const both = [
    `COMMENT ON VIEW "p_raw"."crawl_pages" IS 'The crawl''s pages'`,
    `COMMENT ON COLUMN "p_raw"."crawl_pages"."n" IS 'A number'`,
  ];
  expect([await catalogs(), comments()]).toEqual([[second], both]);
  await rows.vacuum();
  expect(comments()).toEqual(both);
});

test('invisible rows are removed once a day, from the second day on', async () => {
  const place = await duckDbPlace();
  const rows = await TrinoRows.begin(place);
  await put(rows, 'a', [1]);
  await put(rows, 'a', [2]);
  await rows.publishPointers();
  const stored = () => place.client.rows(`SELECT n FROM ${rows.names.stored(PAGES)} ORDER BY n`);
  await rows.vacuum();
  await rows.vacuum();
  expect(await stored()).toEqual([{ n: 1n }, { n: 2n }]);
  const note = join(place.temporary, 'tidied');
  await utimes(note, 0, 0);
  await rows.vacuum();
  expect(await stored()).toEqual([{ n: 2n }]);
  await put(rows, 'a', [3]);
  await rows.publishPointers();
  await rows.vacuum();
  expect(await stored()).toEqual([{ n: 2n }, { n: 3n }]);
});

test('housekeeping removes rows that no pointer names, and pointers that later ones replace', async () => {
  const place = await duckDbPlace();
  const { client } = place;
  const rows = await TrinoRows.begin(place);
  const { names } = rows;
  let checks = 0;
  const tidied = {
    ...{ client, catalog: 'lake', names, relations: [PAGES], grace: '7d' },
    check: async () => void checks++,
  };
  await put(rows, 'a', [1, 2]);
  await put(rows, 'b', [3]);
  await rows.publishPointers();
  await put(rows, 'a', [4]);
  await rows.removeUnits(PAGES, ['b']);
  client.said.length = 0;
  expect(await vacuumRows(tidied)).toBe(0n);
  expect(client.said.filter(({ sql }) => sql.includes('raw_crawl_pages" EXECUTE optimize'))).toEqual([]);
  await rows.publishPointers();
  client.said.length = 0;
  expect([await vacuumRows(tidied), checks]).toEqual([3n, 2]);
  expect(client.said.map(({ sql }) => sql).filter((sql) => sql.startsWith('ALTER TABLE'))).toEqual([
    'ALTER TABLE "p_store"."raw_crawl_pages" EXECUTE optimize',
    'ALTER TABLE "p_store".visible EXECUTE optimize',
    ...['"p_store".visible', '"p_store".candidate', '"p_store"."raw_crawl_pages"'].flatMap((name) =>
      ['expire_snapshots', 'remove_orphan_files'].map(
        (what) => `ALTER TABLE ${name} EXECUTE ${what}(retention_threshold => '7d')`,
      ),
    ),
  ]);
  const units = await client.rows(
    `SELECT DISTINCT unit FROM ${names.visible} WHERE relation IS NULL OR relation = '${PAGES}' ORDER BY unit`,
  );
  expect(units.map(({ unit }) => unit)).toEqual(['a', 'definition', null]);
  expect(await views(place, rows).seen()).toEqual(['a 4']);
});

test('schemas and tables of pointers are made once', async () => {
  const place = await duckDbPlace();
  const { names } = await TrinoRows.begin(place);
  place.client.said.length = 0;
  await makeStore(place, names, undefined);
  expect(place.client.said.map(({ sql }) => sql)).toEqual([names.storedTables]);
  await place.client.run(`DROP TABLE ${names.candidate}`);
  await makeStore(place, names, undefined);
  expect(place.client.said.filter(({ sql }) => sql.startsWith('CREATE'))).toHaveLength(7);
});

test('a state directory with units of another warehouse is refused', async () => {
  const place = await duckDbPlace();
  await place.connection.run(
    `INSERT INTO ops.loads BY NAME SELECT 'crawl_pages/a' AS unit, 'crawl_pages' AS dataset, 'crawl' AS source_kind,
       'a' AS source_id, 'p' AS project_id, 3 AS loaded, 'r' AS run_id, now() AS loaded_at, 'x' AS content_sha256`,
  );
  expect(await errorOf(TrinoRows.begin(place))).toMatchObject({
    code: 'bad_settings',
    message: 'the state directory has units of another warehouse than lake.p_raw in Trino',
  });
});
