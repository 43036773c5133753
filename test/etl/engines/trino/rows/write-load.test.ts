import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../../../src/core/errors/errors.ts';
import { TrinoFailure, trinoError } from '../../../../../src/etl/engines/trino/client/trino-error.ts';
import {
  type PhysicalColumn,
  storedValues,
  writeLoad,
} from '../../../../../src/etl/engines/trino/rows/write-load.ts';
import type { PreparedLoad } from '../../../../../src/etl/project/model/prepared-load.ts';
import { temporaryConnection, temporaryFolder } from '../../../../support/temporary.ts';

const FOLDER = 'rows/raw/crawl_pages';
const COLUMNS: readonly PhysicalColumn[] = [
  { name: 'url', own: 'VARCHAR', type: 'varchar', target: 'url', former: [] },
  { name: 'n', own: 'BIGINT', type: 'bigint', target: 'n', former: [] },
];
const VALUES = new Map([
  ['url', 'u'],
  ['n', 'm'],
]);

/** What becomes of a load that a worker has prepared: whether its parts were brought, and what was registered. */
async function outcomeOf(changes: Partial<PreparedLoad>, refusal?: CrawlhouseError) {
  const folder = await temporaryFolder();
  const connection = await temporaryConnection(folder);
  const load = randomUUID();
  const prepared: PreparedLoad = {
    load,
    rows: 7,
    bytes: 100,
    loaded_at: '2026-11-23T06:00:00.000Z',
    location: `s3://lake/${FOLDER}/data/unit=crawl_pages.c1/${load}.parquet`,
    values: storedValues(COLUMNS, VALUES),
    ...changes,
  };
  const [said, put]: [string[], string[]] = [[], []];
  let isBrought = false;
  const bringParts = async (refused?: CrawlhouseError): Promise<void> => {
    isBrought = true;
    expect(refused).toBe(refusal);
  };
  const place = {
    connection,
    bucket: 'lake',
    temporary: join(folder, 'on their way'),
    objects: { put: async (key: string) => void put.push(key) },
  };
  const written = await writeLoad(
    place as never,
    {
      run: async (sql: string) => {
        if (refusal && sql.includes(prepared.location)) throw refusal;
        said.push(sql);
      },
    } as never,
    {
      stored: 'store.raw_crawl_pages',
      folder: FOLDER,
      columns: COLUMNS,
      values: VALUES,
      unit: `'crawl_pages/c1'`,
      name: 'crawl_pages/c1',
      from: `(VALUES ('a', 1)) AS t(u, m)`,
      prepared: { load: prepared, bringParts },
    },
    undefined,
  );
  expect(said).toEqual([expect.stringContaining(`'s3://lake/${put[0] ?? ''}`)]);
  const isTaken = said[0]?.includes(prepared.location) === true && written.load === prepared.load;
  return { isTaken, isBrought, rows: written.written, files: put.length };
}

const TAKEN = { isTaken: true, isBrought: false, rows: 7n, files: 0 };
const WRITTEN = { isTaken: false, isBrought: true, rows: 1n, files: 1 };

test('a prepared load is registered if its content and location match', async () => {
  const values = storedValues(COLUMNS, VALUES);
  const [url, n] = values;
  if (url === undefined || n === undefined) return expect.unreachable();
  expect(await outcomeOf({})).toEqual(TAKEN);
  expect(await outcomeOf({ values: values.toReversed() })).toEqual(TAKEN);
  for (const other of [
    [url],
    [...values, { ...n, target: 'more' }],
    [url, { ...n, type: 'DECIMAL(38,0)' }],
    [url, { ...n, target: '_as decimal(38,0): n' }],
    [url, { ...n, sql: 'm + 1' }],
  ])
    expect(await outcomeOf({ values: other })).toEqual(WRITTEN);
  for (const location of [
    `s3://lake/${FOLDER}/data/unit=crawl_pages.c2/${randomUUID()}.parquet`,
    `s3://other/${FOLDER}/data/unit=crawl_pages.c1/${randomUUID()}.parquet`,
  ])
    expect(await outcomeOf({ location })).toEqual(WRITTEN);
});

/** As Trino says that a statement failed. */
const failed = (errorName: string, errorType: string) =>
  trinoError(new TrinoFailure('q', { message: 'Failed to add files', errorName, errorType }));

test('a prepared load that Trino refuses is written again, but not if Trino is unreachable', async () => {
  for (const refusal of [
    failed('GENERIC_INTERNAL_ERROR', 'INTERNAL_ERROR'),
    failed('ICEBERG_FILESYSTEM_ERROR', 'EXTERNAL'),
    failed('INVALID_PROCEDURE_ARGUMENT', 'USER_ERROR'),
  ])
    expect(await outcomeOf({}, refusal)).toEqual(WRITTEN);
  for (const refusal of [
    failed('PERMISSION_DENIED', 'USER_ERROR'),
    failed('ADMINISTRATIVELY_KILLED', 'USER_ERROR'),
    new CrawlhouseError('connection', 'Trino cannot be reached'),
    new CrawlhouseError('engine_access', 'Trino answers 401'),
  ])
    await expect(outcomeOf({}, refusal)).rejects.toBe(refusal);
});
