import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listObjects } from '../../../../src/core/stores/list-objects.ts';
import type { TrinoAddress } from '../../../../src/etl/engines/trino/client/address.ts';
import { openTrinoBucket } from '../../../../src/etl/engines/trino/client/open-trino.ts';
import { examineTrino } from '../../../../src/etl/engines/trino/examine-trino.ts';
import { sandboxStores } from '../../../core/stores/sandbox-stores.ts';
import { awsEnvironment } from '../../../core/stores/store-server.ts';

const { storeB } = sandboxStores();
const { signal } = new AbortController();

type Answers = Readonly<Record<string, unknown>>;
const FINE: Answers = { version: '476', schemas: ['p_raw', 'p_mart'], row: 7 };

/** A Trino that answers a doctor; a text in the place of a value is the name of its error. */
async function trino(answers: Answers): Promise<{ url: string; said: string[] }> {
  const said: string[] = [];
  const server = createServer(async (request, response) => {
    let sql = '';
    for await (const piece of request) sql += piece;
    said.push(sql.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=doctor_)[0-9a-f]{8}/g, 'ID'));
    const [start = ''] = Object.keys(answers.errors ?? {}).filter((one) => sql.startsWith(one));
    const error = (answers.errors as Answers | undefined)?.[start];
    const column = (name: string, type: string, values: readonly unknown[]) => ({
      columns: [{ name, type, typeSignature: { rawType: type, arguments: [] } }],
      data: values.map((value) => [value]),
    });
    const body = () => {
      if (error !== undefined) return { error: { ...(error as object), errorType: 'USER_ERROR' } };
      if (sql.startsWith('SELECT version')) return column('_col0', 'varchar', [answers.version]);
      if (sql.startsWith('SHOW SCHEMAS')) return column('Schema', 'varchar', answers.schemas as string[]);
      if (sql.startsWith('SHOW CATALOGS')) return column('Catalog', 'varchar', ['lake', 'system']);
      return sql.startsWith('SELECT n') ? column('n', 'bigint', [answers.row]) : {};
    };
    response.end(JSON.stringify({ id: 'q1', ...body() }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, said };
}

async function examined(answers: Answers, more: Partial<TrinoAddress> = {}) {
  const { bucket, region, endpoint, accessKey, secretKey } = storeB();
  awsEnvironment(accessKey, secretKey);
  const { url, said } = await trino(answers);
  const address: TrinoAddress = {
    ...{
      engine: 'trino',
      url,
      catalog: 'lake',
      schemaPrefix: 'p_',
      bucket,
      folder: 'rows',
      region,
      endpoint,
    },
    ...{ user: 'doctor', credentials: undefined, authority: undefined },
    ...more,
  };
  const [location, engine] = await examineTrino(address, signal);
  return { location, engine, said, address, where: `${new URL(url).host}, version 476, catalog lake` };
}

const failing = (start: string, errorName: string, message = 'no'): Answers => ({
  ...FINE,
  errors: { [start]: { errorName, message } },
});

test('a warehouse is tried with an object, and with a row in a table that is dropped', async () => {
  const { location, engine, said, address, where } = await examined(FINE);
  expect(location).toEqual({
    name: 'location',
    status: 'ok',
    message: `s3://${address.bucket}/rows: can list, write, read and delete`,
    hint: null,
    code: null,
  });
  expect(engine).toEqual({
    name: 'trino',
    status: 'ok',
    message: `${where}: can register and read a file`,
    hint: null,
    code: null,
  });
  const at = `s3://${address.bucket}/rows/crawlhouse-doctor/ID`;
  expect(said).toEqual([
    'SELECT version()',
    'SHOW SCHEMAS FROM "lake"',
    'CREATE SCHEMA "p_doctor_ID"',
    `CREATE TABLE "p_doctor_ID".rows (n bigint) WITH (location = '${at}')`,
    `ALTER TABLE "p_doctor_ID".rows EXECUTE add_files(location => '${at}/data/7.parquet', format => 'PARQUET')`,
    'SELECT n FROM "p_doctor_ID".rows',
    'DROP SCHEMA "p_doctor_ID" CASCADE',
  ]);
  await using bucket = await openTrinoBucket(address);
  // Trino removes it with its table.
  expect(
    (await listObjects(bucket, 'rows/', signal)).map(({ key }) => key.replace(/[^/]{36}/, 'ID')),
  ).toEqual(['rows/crawlhouse-doctor/ID/data/7.parquet']);
});

test('a warehouse without a publication says so', async () => {
  const { engine, where } = await examined({ ...FINE, schemas: ['raw'] });
  expect(engine?.message).toBe(`${where}: can register and read a file; nothing published yet`);
});

test.each([
  ['SHOW SCHEMAS', 'CATALOG_NOT_FOUND', 'no', 'bad_settings', 'warehouse.catalog: Trino has no catalog lake'],
  ['SHOW SCHEMAS', 'PERMISSION_DENIED', 'no', 'engine_access', 'no (PERMISSION_DENIED, query q1)'],
  ['CREATE SCHEMA', 'SYNTAX_ERROR', 'no', 'bad_query', 'no (SYNTAX_ERROR, query q1)'],
  ['ALTER TABLE', 'NOT_SUPPORTED', 'no', 'bad_query', 'no (NOT_SUPPORTED, query q1)'],
  [
    'ALTER TABLE',
    'NOT_SUPPORTED',
    'add_files is off',
    'engine_access',
    'add_files is off (NOT_SUPPORTED, query q1)',
  ],
])('if %s ends with %s (%s), the check fails as %s', async (start, name, message, code, expected) => {
  const { engine, said } = await examined(failing(start, name, message));
  expect(engine).toMatchObject({ status: 'fail', code, message: expected });
  expect(said.some((sql) => sql.startsWith('DROP SCHEMA'))).toBe(start === 'ALTER TABLE');
  const hint = {
    bad_settings: 'catalogs that you can use: lake, system',
    engine_access: 'set iceberg.add-files-procedure.enabled=true in the catalog properties',
  }[code];
  expect(engine?.hint === hint).toBe(name !== 'PERMISSION_DENIED' && code !== 'bad_query');
});

test('another row than the written one is a failure', async () => {
  expect((await examined({ ...FINE, row: 8 })).engine).toMatchObject({
    status: 'fail',
    code: 'engine_failed',
    message: 'Trino returned a different row than written',
  });
});

test.each([
  [undefined, 'warn'],
  ['TABLE_NOT_FOUND', 'warn'],
  ['SCHEMA_NOT_FOUND', 'warn'],
  ['PERMISSION_DENIED', 'fail'],
])('a user who may not write may read if the pointers answer %j', async (name, status) => {
  const denied = { errorName: 'PERMISSION_DENIED', message: 'no' };
  const read = name === undefined ? {} : { 'SELECT count(*)': { errorName: name, message: 'no' } };
  const { engine, said, where } = await examined({ ...FINE, errors: { 'CREATE SCHEMA': denied, ...read } });
  expect(engine).toMatchObject({
    status,
    message: status === 'warn' ? `${where}: can read, may not write` : 'no (PERMISSION_DENIED, query q1)',
  });
  expect(said.at(-1)).toBe('SELECT count(*) FROM "p_store".visible');
});

test('both checks say why the warehouse cannot be opened', async () => {
  const { location, engine } = await examined(FINE, { authority: '/nowhere/ca.crt' });
  expect([location?.message, engine?.message]).toEqual(
    Array(2).fill('warehouse.ca: /nowhere/ca.crt cannot be read'),
  );
});
