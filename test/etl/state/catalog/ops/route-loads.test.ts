import { expect, test } from 'vitest';
import { LAST_LOADS, LEAST_ROWS } from '../../../../../src/etl/project/model/route-pace.ts';
import { readRouteLoads } from '../../../../../src/etl/state/catalog/ops/ops-loads.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';
import { openWorking } from '../../../engines/open-working.ts';

type Load = [unit: string, route: string, format: string, received: number, waited: number | null];

async function loaded(loads: readonly Load[], more = "NULL AS filter, 'crawl' AS source_kind") {
  const { connection } = await openWorking(await temporaryFolder());
  for (const [index, load] of loads.entries())
    await connection.run(
      `INSERT INTO ops.loads BY NAME SELECT $1 AS unit, 'crawl_pages' AS dataset, 'p' AS project_id, $2 AS route,
         $3 AS format, $4 AS received, CAST($5 AS DOUBLE) AS waited, ${index + 10} AS seconds, ${more},
         TIMESTAMPTZ '2026-01-01' + INTERVAL ${index} HOUR AS loaded_at`,
      load,
    );
  return connection;
}

test('recent loads are read by route and format: streams with enough rows, data exports with their wait', async () => {
  const connection = await loaded([
    ...Array.from(
      { length: LAST_LOADS + 2 },
      (_, index): Load => [`u${index}`, 'stream', 'json', LEAST_ROWS, null],
    ),
    ['csv', 'stream', 'csv', LEAST_ROWS, null],
    ['few', 'stream', 'csv', LEAST_ROWS - 1, null],
    ['export', 'export', 'parquet', 3, 2.5],
    ['again', 'export', 'parquet', LEAST_ROWS, null],
    ['search', 'search', 'json', LEAST_ROWS, null],
  ]);
  const loads = await readRouteLoads(connection);
  const json = loads.filter(({ format }) => format === 'json');
  expect(json.map(({ seconds }) => seconds)).toEqual(
    Array.from({ length: LAST_LOADS }, (_, index) => 18 - index),
  );
  expect(loads.filter(({ format }) => format !== 'json')).toEqual([
    {
      dataset: 'crawl_pages',
      project_id: 'p',
      route: 'export',
      format: 'parquet',
      rows: 3,
      seconds: 21,
      waited: 2.5,
    },
    {
      dataset: 'crawl_pages',
      project_id: 'p',
      route: 'stream',
      format: 'csv',
      rows: LEAST_ROWS,
      seconds: 19,
      waited: null,
    },
  ]);
});

test.for(["'{}' AS filter, 'crawl' AS source_kind", "NULL AS filter, 'crawl_over_crawl' AS source_kind"])(
  'loads of %s are ignored',
  async (more) => {
    expect(await readRouteLoads(await loaded([['u', 'stream', 'json', LEAST_ROWS, null]], more))).toEqual([]);
  },
);

test('a warehouse of an earlier version has only stream loads, without waits', async () => {
  const connection = await loaded([
    ['u', 'stream', 'json', LEAST_ROWS, null],
    ['export', 'export', 'parquet', LEAST_ROWS, 2],
  ]);
  await connection.run('ALTER TABLE ops.loads DROP COLUMN waited');
  expect(await readRouteLoads(connection)).toMatchObject([{ route: 'stream', waited: null }]);
});
