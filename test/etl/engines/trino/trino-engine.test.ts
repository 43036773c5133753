import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrinoRows } from '../../../../src/etl/engines/trino/rows/trino-rows.ts';
import { TrinoMirror, TrinoModels } from '../../../../src/etl/engines/trino/trino-engine.ts';
import { type PlannedModel, planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { loadFiles, type ModelText, modelText } from '../../pipeline/transform/model-files.ts';
import { duckDbPlace } from './duckdb-trino.ts';

const PAGES = 'raw.crawl_pages';
const { signal } = new AbortController();

/** A writer, with the models of a warehouse in a Trino of its own. */
async function scene(models: Readonly<Record<string, ModelText>> = {}) {
  const place = await duckDbPlace();
  const { client, connection } = place;
  const rows = await TrinoRows.begin(place);
  const files = Object.entries(models).map(([name, text]) => [`mart/${name}.sql`, modelText(name, text)]);
  const plan = await planModels({ connection, models: await loadFiles(Object.fromEntries(files)) });
  const engine = new TrinoModels(connection, rows);
  return {
    ...{ client, connection, rows, plan, engine },
    async put(unit: string, numbers: readonly number[]): Promise<void> {
      const from = `(VALUES (${numbers.join('), (')})) AS t(n)`;
      await rows.replaceUnit({ relation: PAGES, unit, values: new Map([['n', 'n']]), from });
    },
    async make(): Promise<(bigint | null)[]> {
      const made: (bigint | null)[] = [];
      for (const planned of plan) made.push(await engine.make(planned, undefined));
      return made;
    },
    worked: (name: string) => client.rows(`SELECT * FROM ${rows.names.work(name)} ORDER BY ALL`),
    seen: (name: string) => client.rows(`SELECT * FROM ${rows.names.reader(name)} ORDER BY ALL`),
  };
}

test('a table and a view over it are built from what the writer sees', async () => {
  const { put, make, worked, seen, rows, engine } = await scene({
    doubles: { columns: ['n'], sql: 'SELECT n * 2 AS n FROM raw.crawl_pages' },
    sums: {
      kind: 'view',
      columns: ['n'],
      sql: 'SELECT CAST(sum(doubles.n) AS BIGINT) AS n FROM mart.doubles',
    },
  });
  await put('a', [1, 2]);
  expect(await make()).toEqual([2n, null]);
  await rows.publishPointers();
  expect((await seen('mart.sums')).map(({ n }) => n)).toEqual([6n]);
  await put('a', [5]);
  expect(await make()).toEqual([1n, null]);
  expect((await worked('mart.sums')).map(({ n }) => n)).toEqual([10n]);
  expect((await seen('mart.sums')).map(({ n }) => n)).toEqual([6n]);
  expect(await engine.queries.scalar('SELECT sum(n) FROM mart.doubles', [])).toBe(10n);
  await engine.drop('mart.doubles');
  expect(rows.unitsOf('mart.doubles')).toEqual([]);
});

const COUNTS: ModelText = {
  columns: ['unit', 'rows'],
  grain: '[unit]',
  more: 'incremental:\n  by: unit\n  partitions: SELECT unit, loaded_at FROM ops.loads',
  sql: 'SELECT _unit AS unit, count(*) AS rows FROM raw.crawl_pages GROUP BY _unit',
};

test('a model is built by partition, as a whole at first and then only what changed', async () => {
  const { put, engine, plan, worked, connection, rows, client } = await scene({ counts: COUNTS });
  const [counts] = plan as [PlannedModel];
  const load = (unit: string) =>
    connection.run(
      `INSERT INTO ops.loads BY NAME SELECT ? AS unit, 'crawl_pages' AS dataset, 'crawl' AS source_kind,
         ? AS source_id, 'p' AS project_id, 1 AS loaded, 'r' AS run_id, now() AS loaded_at, 'x' AS content_sha256`,
      [unit, unit],
    );
  await put('a', [1, 2]);
  await put('b', [3]);
  // Its rows are stored, and invisible.
  await put('unknown', [4]);
  await load('a');
  await load('b');
  expect(await engine.make(counts, undefined)).toBe(2n);
  const shown = async () => (await worked('mart.counts')).map(({ unit, rows }) => [unit, rows]);
  expect(await shown()).toEqual([
    ['a', 2n],
    ['b', 1n],
  ]);
  await put('a', [5]);
  await put('c', [6, 7, 8]);
  const changes = { stamps: new Map(), behind: ['["a"]', '["c"]'], gone: ['["b"]'] };
  expect(await engine.make(counts, changes)).toBe(2n);
  expect(await shown()).toEqual([
    ['a', 1n],
    ['c', 3n],
  ]);
  const built = client.said.length;
  expect(await engine.make(counts, { ...changes, behind: [], gone: [] })).toBe(2n);
  expect(client.said.slice(built).filter(({ sql }) => sql.startsWith('INSERT'))).toEqual([]);
  // Built again, the partitions are those of the catalog.
  expect(await engine.make(counts, undefined)).toBe(2n);
  expect(rows.unitsOf('mart.counts').toSorted()).toEqual(['["a"]', '["b"]']);
});

test('before models are built, the relations that they and their tests read are made equal to the catalog', async () => {
  const { engine, plan, worked, rows } = await scene({ counts: COUNTS });
  await engine.synchronize(plan, signal);
  expect(await worked(PAGES)).toEqual([]);
  expect(rows.unitsOf('ops.loads')).toEqual([]);
  await expect(engine.check(plan)).resolves.toBeUndefined();
  const [local] = await Promise.all(plan.map((one) => engine.local(one, signal)));
  expect(local?.model.name).toBe('mart.counts');
});

test('a mirror counts the rows of each partition, and copies them as Parquet', async () => {
  const { put, rows, connection, client } = await scene();
  await client.run(
    "CREATE MACRO checksum(value) AS CAST(md5(string_agg(CAST(value AS VARCHAR), ',')) AS VARCHAR)",
  );
  await client.run('CREATE MACRO to_hex(value) AS value');
  await client.run('CREATE MACRO "ROW"(a, b) AS concat(a, b)');
  await put('a', [1, 2]);
  await put("it's", [3]);
  await rows.synchronize();
  const mirror = new TrinoMirror(connection, rows);
  const columns = [
    { name: '_unit', type: 'VARCHAR' },
    { name: 'n', type: 'BIGINT' },
  ];
  const table = { name: PAGES, columns, cut: ['_unit'] };
  const partitions = await mirror.partitions(table, signal);
  expect(partitions.map(({ key, rows }) => [key, rows])).toEqual([
    [[['_unit', 'a']], 2],
    [[['_unit', "it's"]], 1],
  ]);
  const [, second] = partitions;
  if (second === undefined) return expect.unreachable();
  const file = join(await temporaryFolder(), 'below', 'part.parquet');
  expect(await mirror.write(table, second, file, signal)).toBe(1n);
  expect(await connection.rows(`FROM read_parquet('${file}')`)).toEqual([{ _unit: "it's", n: 3n }]);
  const [whole] = await mirror.partitions({ ...table, cut: [] }, signal);
  expect(whole).toMatchObject({ key: [], rows: 3, table: PAGES });
  expect(whole && (await mirror.write({ ...table, cut: [] }, whole, file, signal))).toBe(3n);
});
