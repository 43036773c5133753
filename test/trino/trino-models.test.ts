import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoRows } from '../../src/etl/engines/trino/rows/trino-rows.ts';
import { TrinoModels } from '../../src/etl/engines/trino/trino-engine.ts';
import { planModels } from '../../src/etl/project/sql/plan/plan-models.ts';
import { openServer } from '../core/stores/store-server.ts';
import { loadFiles, modelText } from '../etl/pipeline/transform/model-files.ts';
import { openWarehouse } from '../etl/pipeline/transform/test-warehouse.ts';
import { errorOf } from '../support/error-of.ts';

const trino = inject('trino');

test('models are built from what the writer sees, and readers see tables and views after the publication', async () => {
  await using warehouse = await openWarehouse();
  const { connection, folder } = warehouse;
  await connection.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
  const objects = await openServer({ kind: 'store_b', bucket: trino.bucket, ...trino.s3 });
  onTestFinished(async () => {
    await objects[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
  });
  const prefix = `b${randomUUID().slice(0, 8)}_`;
  const { catalog, bucket } = trino;
  const temporary = join(folder, 'on their way');
  const place = { client, catalog, prefix, bucket, folder: `rows/${prefix}`, objects, connection, temporary };
  const put = (rows: TrinoRows, numbers: readonly number[]): Promise<bigint> => {
    const from = `(VALUES (${numbers.join('), (')})) AS t(n)`;
    return rows.replaceUnit({ relation: 'raw.crawl_pages', unit: 'a', values: new Map([['n', 'n']]), from });
  };
  const models = await loadFiles({
    'mart/doubles.sql': modelText('doubles', {
      columns: ['n'],
      sql: 'SELECT n * 2 AS n FROM raw.crawl_pages',
    }),
    // A column with the schema before it, and a name of the query's own.
    'mart/sums.sql': modelText('sums', {
      kind: 'view',
      columns: ['n'],
      sql: `WITH own AS (SELECT raw.crawl_pages.n AS n FROM raw.crawl_pages)
        SELECT sum(own.n) AS n FROM own JOIN mart.doubles AS doubles ON doubles.n = own.n`,
    }),
  });
  const [counts] = await planModels({
    connection,
    models: await loadFiles({
      'mart/counts.sql': modelText('counts', {
        columns: ['unit', 'rows'],
        grain: '[unit]',
        more: 'incremental:\n  by: unit\n  partitions: SELECT unit, loaded_at FROM ops.loads',
        sql: 'SELECT _unit AS unit, count(*) AS rows FROM raw.crawl_pages GROUP BY _unit',
      }),
    }),
  });
  if (!counts) throw new Error('no plan');
  const build = async (rows: TrinoRows): Promise<(bigint | null)[]> => {
    const built: (bigint | null)[] = [];
    const engine = new TrinoModels(connection, rows);
    for (const planned of await planModels({ connection, models }))
      built.push(await engine.make(planned, undefined));
    return built;
  };
  const read = (name: string) => client.scalar(`SELECT sum(n) FROM ${name}`);

  const rows = await TrinoRows.begin(place);
  await put(rows, [1, 2, 4]);
  expect(await build(rows)).toEqual([3n, null]);
  // 2 and 4 are doubles of others.
  expect(await read(rows.names.work('mart.sums'))).toBe(6n);
  expect((await errorOf(client.run(`SELECT * FROM ${rows.names.reader('mart.sums')}`))).code).toBe(
    'bad_query',
  );
  await rows.publishPointers();
  expect([await read(rows.names.reader('mart.doubles')), await read(rows.names.reader('mart.sums'))]).toEqual(
    [14n, 6n],
  );
  const changes = { stamps: new Map(), behind: ['["a"]'], gone: ['["b"]'] };
  const engine = new TrinoModels(connection, rows);
  expect(await engine.make(counts, changes)).toBe(1n);
  // The two columns of builds follow, without a stamp NULL.
  expect(await client.rows(`SELECT * FROM ${rows.names.work('mart.counts')}`)).toEqual([
    { unit: 'a', rows: 3n, _load_id: null, _loaded_at: null },
  ]);
  await put(rows, [3, 6]);
  await build(rows);
  expect([await read(rows.names.work('mart.sums')), await read(rows.names.reader('mart.sums'))]).toEqual([
    6n,
    6n,
  ]);
  // A later writer has begun: this one leaves the readers alone.
  await TrinoRows.begin(place);
  expect((await errorOf(rows.publishPointers())).code).toBe('locked');
  expect(await read(rows.names.reader('mart.doubles'))).toBe(14n);
});
