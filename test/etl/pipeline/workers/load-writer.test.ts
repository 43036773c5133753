import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { text } from '../../../../src/core/duckdb/duckdb.ts';
import { listObjects } from '../../../../src/core/stores/list-objects.ts';
import { objectBytes } from '../../../../src/core/stores/read-object.ts';
import { asTrino } from '../../../../src/etl/engines/trino/client/address.ts';
import { openTrinoBucket } from '../../../../src/etl/engines/trino/client/open-trino.ts';
import { readPackage } from '../../../../src/etl/pipeline/load/read-package.ts';
import { LoadWriter } from '../../../../src/etl/pipeline/workers/load-writer.ts';
import { IN_DUCKDB } from '../../../support/in-duckdb.ts';
import { environmentOf, rawProjectFolder, sandboxFor } from '../../../support/project.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { openDatabase } from '../../engines/open-working.ts';
import { fields, makePackage, type PackageSpec } from '../load/make-package.ts';
import { signal } from '../package-project.ts';

/** A worker whose warehouse is in the sandbox's bucket. Nobody asks Trino. */
async function worker() {
  const sandbox = await sandboxFor({});
  const environment = environmentOf(sandbox);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) process.env[name] = environment[name];
  const { bucket, endpoint, region } = sandbox.ready.store_b;
  const warehouse = {
    engine: 'trino',
    url: 'http://127.0.0.1:9',
    catalog: 'lake',
    location: `s3://${bucket}/rows`,
    region,
    endpoint,
  };
  const project = await rawProjectFolder();
  await writeFile(join(project, 'crawlhouse.yaml'), JSON.stringify({ warehouse }));
  const settings = await loadSettings(project, environment);
  const folder = await temporaryFolder();
  const database = await openDatabase(folder);
  const connection = await database.connect();
  const writer = await LoadWriter.open(settings.engine, database, folder);
  const objects = await openTrinoBucket(asTrino(settings.engine));
  onTestFinished(async () => {
    await writer?.[Symbol.asyncDispose]();
    await objects[Symbol.asyncDispose]();
  });
  const write = async (spec: Pick<PackageSpec, 'fields' | 'rows'>, tables: unknown, runId = 'run') => {
    const staged = await readPackage(await makePackage(connection, folder, { id: 'c1', ...spec }));
    const said = async () => (tables === null ? null : JSON.stringify(tables));
    const pipeline = { dataset: 'crawl_pages' } as never;
    return writer?.write({ runId, pipeline, schemaChange: 'evolve', staged, tables: said }, signal);
  };
  /** The rows of all files, and the types of their columns. */
  const found = async () => {
    const files = await Promise.all(
      (await listObjects(objects, 'rows/', signal)).map(async (object, index) => {
        const file = join(folder, `found-${index}.parquet`);
        const bytes = await Array.fromAsync(objectBytes(objects, object, {}, signal));
        await writeFile(file, Buffer.concat(bytes));
        return { file, location: object.url };
      }),
    );
    const rows = files.map(({ file }) => connection.jsonRows(`FROM read_parquet(${text(file)})`));
    return { locations: files.map(({ location }) => location), rows: (await Promise.all(rows)).flat() };
  };
  return { write, found, database, folder };
}

const COLUMNS = [
  ['_unit', 'VARCHAR'],
  ['_loaded_at', 'TIMESTAMP WITH TIME ZONE'],
  ['url', 'VARCHAR'],
  ['n', 'DECIMAL(38,0)'],
  ['gone', 'BIGINT'],
];
const STORED = [
  ['_unit', 'varchar'],
  ['_load_id', 'varchar'],
  ['_loaded_at', 'timestamp(6) with time zone'],
  ['url', 'varchar'],
  ['n', 'bigint'],
  ['_as decimal(38,0): n', 'decimal(38,0)'],
  ['gone', 'bigint'],
];
const TABLES = {
  crawl_pages: {
    tableColumns: COLUMNS,
    registry: [
      ['url', 'url'],
      ['n', 'n'],
    ],
    reads: [],
    stored: STORED,
  },
};
const PAGES = { fields: fields('url', 'n natural', 'fresh'), rows: [{ url: 'a', n: 1, fresh: 'f' }] };

test('a load file has the columns of package and table, and records them', async () => {
  const { write, found } = await worker();
  const load = await write(PAGES, TABLES);
  const { locations, rows } = await found();
  expect(locations).toEqual([load?.location]);
  expect(load?.location).toMatch(
    new RegExp(`/rows/raw/crawl_pages/data/unit=crawl_pages\\.c1/${load?.load}\\.parquet$`),
  );
  expect(rows).toEqual([
    {
      _unit: 'crawl_pages/c1',
      _load_id: load?.load,
      _source_id: 'c1',
      _crawl_id: 'c1',
      _project_id: 'p1',
      _run_id: 'run',
      _loaded_at: expect.anything(),
      // The column has widened: values go to the stored column of its later type.
      url: 'a',
      '_as decimal(38,0): n': expect.anything(),
      fresh: 'f',
    },
  ]);
  expect(load).toMatchObject({ rows: 1, bytes: expect.any(Number) });
  expect(load?.values).toContainEqual({
    target: '_as decimal(38,0): n',
    type: 'DECIMAL(38,0)',
    sql: 'CAST("n" AS DECIMAL(38,0))',
  });
  expect(load?.values).toContainEqual({ target: '_run_id', type: 'VARCHAR', sql: `'run'` });
});

test('nothing is written if the run lists no table, or refuses the package', async () => {
  const { write, found, database, folder } = await worker();
  expect(await write(PAGES, null)).toBeNull();
  expect(await write(PAGES, {})).toBeNull();
  // Of the same run, once its table is there.
  expect(await write({ ...PAGES, rows: [] }, TABLES)).toBeNull();
  expect(await write({ fields: fields('url natural'), rows: [{ url: 1 }] }, TABLES)).toBeNull();
  expect((await found()).rows).toEqual([]);
  expect(await write(PAGES, TABLES)).toMatchObject({ rows: 1 });
  // What it knows of a run's tables it asks once.
  expect(await write(PAGES, null)).toMatchObject({ rows: 1 });
  expect(await write(PAGES, null, 'another run')).toBeNull();
  expect((await found()).rows).toHaveLength(2);
  // A warehouse that is a file has one writer.
  expect(await LoadWriter.open(IN_DUCKDB, database, folder)).toBeNull();
});
